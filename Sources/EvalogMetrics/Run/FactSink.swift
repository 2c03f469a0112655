// Where a pass over the log delivers its lines; what becomes of them depends on the pass.

package import EvalogFacts

/// Takes the lines of one thread in one pass. One thread at a time.
package final class FactSink: FactReceiver, @unchecked Sendable {
    /// Takes evaluations, those of its share.
    let evaluations: FactCollector
    /// Takes everything else; nil in a pass that needs only evaluations.
    let events: FactCollector?
    /// Takes all lines instead, in a pass that settles ties.
    let breaker: TieBreaker?

    /// - Parameters:
    ///   - hasEvents: Whether the pass takes events; with all evaluations both are one.
    ///   - memory: Bytes that the evaluations may take.
    init(_ admission: Admission, hasEvents: Bool, memory: Int) {
        evaluations = FactCollector(admission, memory: memory)
        breaker = nil
        if case .all = admission {
            events = evaluations
        } else {
            events = hasEvents ? FactCollector() : nil
        }
    }

    /// - Parameter memory: Bytes that tied lines may take.
    init(_ ties: Ties, memory: Int) {
        evaluations = FactCollector()
        events = nil
        breaker = TieBreaker(ties, memory: memory)
    }

    /// Takes one decoded line. Both arguments are used during the call only.
    package func add(_ view: borrowing FactView, line: UnsafeRawBufferPointer) {
        if let breaker {
            breaker.offer(view, line: line)
        } else if view.kind == .evaluation {
            evaluations.enqueue(view, line: line)
        } else {
            events?.enqueue(view, line: line)
        }
    }

    /// Ends the pass: the collectors have all lines only now.
    func finish() {
        evaluations.settleQueue()
        events?.settleQueue()
    }

    /// Takes a line that no decoder could read.
    package func countUnreadable() {
        events?.countUnreadable()
    }
}
