// Brings the evaluations of a session together: a counting sort, so that nothing large is compared.

/// Row numbers of the evaluations that can be folded, session by session.
final class FoldOrder {
    /// Grouped by session; in order of rows within one.
    let rows: UnsafeMutableBufferPointer<UInt32>
    /// Where each session's rows begin in ``rows``, and where the last one's end.
    let starts: [UInt32]

    /// O(rows + sessions) time, four bytes for each of both.
    init(_ collector: FactCollector, _ rules: MetricsRules) {
        let records = collector.records
        let (bits, times) = (records.bits, records.times)
        let (sessions, subjects) = (records.sessions, records.subjects)
        func isFolded(_ row: Int) -> Bool {
            bits[row].code.isEvaluation && sessions[row] != 0 && subjects[row] != 0
                && rules.folds(times[row])
        }
        var ends = [UInt32](repeating: 0, count: collector.sessions.count + 1)
        for row in 0..<records.count where isFolded(row) { ends[Int(sessions[row]) + 1] += 1 }
        for session in 1..<ends.count { ends[session] += ends[session - 1] }
        // From here on `ends[s + 1]` moves from the start of session s + 1 … back to its own start.
        let rows = UnsafeMutableBufferPointer<UInt32>.allocate(capacity: Int(ends[ends.count - 1]))
        for row in (0..<records.count).reversed() where isFolded(row) {
            let session = Int(sessions[row]) + 1
            ends[session] -= 1
            rows[Int(ends[session])] = UInt32(row)
        }
        self.rows = rows
        starts = Array(ends.dropFirst()) + [UInt32(rows.count)]
    }

    deinit { rows.deallocate() }

    /// The sessions of one of `count` parts with about equally many rows each.
    func sessions(part: Int, of count: Int) -> Range<Int> {
        session(atRow: rows.count * part / count)..<session(atRow: rows.count * (part + 1) / count)
    }

    /// The first session that begins at this place in ``rows`` or later.
    private func session(atRow row: Int) -> Int {
        var low = 0
        var high = starts.count - 1
        while low < high {
            let middle = (low + high) / 2
            if Int(starts[middle]) < row { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
