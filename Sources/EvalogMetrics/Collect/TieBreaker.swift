// Settles which version of a line stays when several have the same id and the same time.

package import EvalogFacts
import EvalogText

/// Facts of which several versions share the least time: their bytes have to be seen once more.
package struct Ties: Sendable {
    struct Identity: Hashable {
        var kind: UInt8
        var id: UniqueID
    }

    /// A number for each, from 0: its place.
    fileprivate(set) var places: [Identity: Int] = [:]
    /// The least time of each, by place.
    fileprivate(set) var times: [Int64] = []

    /// Tied facts, not lines.
    package var count: Int { times.count }

    fileprivate mutating func insert(_ identity: Identity, time: Int64) {
        guard places[identity] == nil else { return }
        places[identity] = count
        times.append(time)
    }
}

/// Looks through the log a second time for the least bytes of tied lines. One thread at a time.
///
/// It keeps one line for each tied fact. When these become too many bytes, facts of the last places
/// are left to another round; the first place never is, so that every round settles something.
package final class TieBreaker: @unchecked Sendable {
    private let ties: Ties
    private let memory: Int
    /// The least line of each fact so far, by place; empty where none has come.
    private(set) var lines: [[UInt8]]
    /// Bytes of ``lines``: `memory` and one line at most.
    private(set) var byteCount = 0
    /// Facts from this place on are left out.
    private(set) var end: Int

    /// A breaker that has seen no line yet; all of one round get the same ties.
    ///
    /// - Parameter memory: Bytes that lines may take.
    package init(_ ties: Ties, memory: Int = MetricsLimits.tieBytes) {
        self.ties = ties
        self.memory = memory
        lines = Array(repeating: [], count: ties.count)
        end = ties.count
    }

    /// Considers one line. Both arguments are used during the call only.
    package func offer(_ view: borrowing FactView, line: UnsafeRawBufferPointer) {
        let code = RecordCode(view)
        guard code != .hole,
            let place = ties.places[Ties.Identity(kind: code.kind, id: view.id)], place < end,
            ties.times[place] == view.time,
            lines[place].isEmpty || line.lexicographicallyPrecedes(lines[place])
        else { return }
        byteCount += line.count - lines[place].count
        lines[place] = Array(line)
        while byteCount > memory, end > 1 {
            end -= 1
            byteCount -= lines[end].count
            lines[end] = []
        }
    }
}

extension FactCollector {
    /// Facts whose staying line cannot be told yet, at most `countMax` of them; nil if there are
    /// none.
    ///
    /// Offer all lines of the log to ``TieBreaker``s, hand those to ``settle(_:by:)``, and ask
    /// again. O(versions of conflicting lines).
    package func unresolvedTies(atMost countMax: Int = MetricsLimits.tieCount) -> Ties? {
        var ties = Ties()
        for number in 0..<claims.count {
            guard ties.count < countMax else { break }
            let row = Int(claims[number].row)
            if isContender(number, of: row) { ties.insert(identity(row), time: records.times[row]) }
        }
        return ties.count == 0 ? nil : ties
    }

    /// Gives the tied facts that no breaker left out, one at least, the values of their least lines.
    /// The breakers have seen the whole log between them.
    package func settle(_ ties: Ties, by breakers: [TieBreaker]) {
        let end = breakers.map(\.end).min() ?? 0
        var decoder = FactDecoder()
        for place in 0..<end {
            let least = breakers.map { $0.lines[place] }.filter { !$0.isEmpty }
                .min { $0.lexicographicallyPrecedes($1) }
            least?.withUnsafeBytes { line in
                if let view = try? decoder.decode(line) { adopt(view, line: line) }
            }
        }
        for number in 0..<claims.count {
            let row = Int(claims[number].row)
            if isContender(number, of: row), let place = ties.places[identity(row)], place < end {
                claims.settle(number)
            }
        }
    }

    /// Whether a version, not the one whose values the row has, shares the row's least time.
    private func isContender(_ claim: Int, of row: Int) -> Bool {
        claims[claim].time == records.times[row] && claims[claim].digest != records.digests[row]
    }

    private func identity(_ row: Int) -> Ties.Identity {
        Ties.Identity(kind: records.bits[row].code.kind, id: records.id(row))
    }

    /// Writes the values of a line to the row of its identity, and counts nothing.
    private func adopt(_ view: borrowing FactView, line: UnsafeRawBufferPointer) {
        let bits = RecordBits(view)
        let kind = bits.code.kind
        let hash = IdentityIndex.hash(view.id, kind: kind)
        guard let row = index.row(of: view.id, kind: kind, hash: hash) else { return }
        let copies = records.bits[row].copies
        var draft = draft(view, bits, digest: Self.digest(of: line, view))
        draft.session = number(ofSession: draft)
        write(draft, payload(view, bits), to: row)
        records.bits[row].copies = copies
    }
}
