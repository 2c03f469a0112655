// A few facts out of a log, duplicates settled: for what is rare beside evaluations.

package import EvalogFacts
import EvalogText

/// Keeps the facts that are chosen, of each id the line that stays. One thread at a time.
package final class ChosenFacts: FactReceiver, @unchecked Sendable {
    private struct Staying {
        var time: Int64
        var line: [UInt8]
        var fact: Fact
    }

    private let choose: (borrowing FactView) -> Bool
    private var staying: [UniqueID: Staying] = [:]

    /// - Parameter choose: Chooses facts of one type, for ids are unique within a type only.
    package init(_ choose: @escaping (borrowing FactView) -> Bool) {
        self.choose = choose
    }

    package func add(_ view: borrowing FactView, line: UnsafeRawBufferPointer) {
        guard choose(view), let fact = Fact(copy view) else { return }
        keep(Staying(time: view.time, line: Array(line), fact: fact))
    }

    package func countUnreadable() {}

    /// Takes over what another thread's has.
    package func absorb(_ other: ChosenFacts) {
        for found in other.staying.values { keep(found) }
    }

    /// In no order.
    package var facts: [Fact] { staying.values.map(\.fact) }

    /// The one with the least time stays; of equal times the least bytes do.
    private func keep(_ found: Staying) {
        if let known = staying[found.fact.id],
            (known.time, Name(bytes: known.line)) <= (found.time, Name(bytes: found.line))
        {
            return
        }
        staying[found.fact.id] = found
    }
}
