// Settles which version of a line stays when several have the same id and the same time.

package import EvalogFacts
import EvalogText

/// Facts of which several versions share the least time: their bytes have to be seen once more.
package struct Ties: Sendable {
    struct Identity: Hashable {
        var kind: UInt8
        var id: UniqueID
    }

    /// The least time of each.
    let times: [Identity: Int64]

    /// Tied facts, not lines.
    package var count: Int { times.count }
}

/// Looks through the log a second time for the least bytes of tied lines. One thread at a time.
///
/// It keeps one line for each tied fact.
package final class TieBreaker: @unchecked Sendable {
    private let ties: Ties
    private(set) var lines: [Ties.Identity: [UInt8]] = [:]
    /// The values of those lines.
    let values = FactCollector()

    /// A breaker that has seen no line yet; all of one round get the same ties.
    package init(_ ties: Ties) {
        self.ties = ties
    }

    /// Considers one line. Both arguments are used during the call only.
    package func offer(_ view: borrowing FactView, line: UnsafeRawBufferPointer) {
        let bits = RecordBits(view)
        let identity = Ties.Identity(kind: bits.code.kind, id: view.id)
        guard bits.code != .hole, ties.times[identity] == view.time else { return }
        if let known = lines[identity] {
            guard line.lexicographicallyPrecedes(known) else { return }
        }
        lines[identity] = Array(line)
        values.replace(view, line: line)
    }
}

extension FactCollector {
    /// Facts whose staying line cannot be told yet, at most `countMax` of them; nil if there are
    /// none.
    ///
    /// Offer all lines of the log to ``TieBreaker``s, hand those to ``settle(_:by:)``, and ask
    /// again. O(versions of conflicting lines).
    package func unresolvedTies(atMost countMax: Int = 100_000) -> Ties? {
        var times: [Ties.Identity: Int64] = [:]
        for number in 0..<claims.count {
            guard times.count < countMax else { break }
            let row = Int(claims[number].row)
            if isContender(number, of: row) { times[identity(row)] = records.times[row] }
        }
        return times.isEmpty ? nil : Ties(times: times)
    }

    /// Gives every tied fact the values of its least line. The breakers have seen the whole log
    /// between them.
    package func settle(_ ties: Ties, by breakers: [TieBreaker]) {
        var winners: [Ties.Identity: (line: [UInt8], breaker: Int)] = [:]
        for (number, breaker) in breakers.enumerated() {
            for (identity, line) in breaker.lines {
                if let known = winners[identity], !line.lexicographicallyPrecedes(known.line) {
                    continue
                }
                winners[identity] = (line, number)
            }
        }
        let numbers = breakers.map { Renumbering(from: $0.values, to: self) }
        for (identity, winner) in winners {
            adopt(identity, from: breakers[winner.breaker].values, numbers[winner.breaker])
        }
        for number in 0..<claims.count {
            let row = Int(claims[number].row)
            if isContender(number, of: row), ties.times[self.identity(row)] != nil {
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

    /// Counts a line in place of those of its identity.
    func replace(_ view: borrowing FactView, line: UnsafeRawBufferPointer) {
        let bits = RecordBits(view)
        let kind = bits.code.kind
        let hash = IdentityIndex.hash(view.id, kind: kind)
        guard let row = index.row(of: view.id, kind: kind, hash: hash) else {
            return add(view, line: line)
        }
        write(view, bits, digest: Self.digest(of: line, view), to: row)
    }

    private func adopt(
        _ identity: Ties.Identity, from source: FactCollector, _ numbers: Renumbering
    ) {
        let hash = IdentityIndex.hash(identity.id, kind: identity.kind)
        guard let found = source.index.row(of: identity.id, kind: identity.kind, hash: hash),
            let row = index.row(of: identity.id, kind: identity.kind, hash: hash)
        else { return }
        let payloadRow = records.sessions[row]
        let copies = records.bits[row].copies
        records.digests[row] = source.records.digests[found]
        records.bits[row] = source.records.bits[found]
        records.bits[row].copies = copies
        setLargeAttempts(source.largeAttempts[found], of: row)
        guard !records.bits[row].code.isEvaluation else {
            records.sessions[row] = numbers.sessions[Int(source.records.sessions[found])]
            records.subjects[row] = numbers.names[Int(source.records.subjects[found])]
            records.dimensions[row] = numbers.dimensions[Int(source.records.dimensions[found])]
            return
        }
        var payload = source.records.payloads[Int(source.records.sessions[found])]
        payload.subject = numbers.names[Int(payload.subject)]
        payload.report = numbers.names[Int(payload.report)]
        records.payloads[Int(payloadRow)] = payload
    }
}
