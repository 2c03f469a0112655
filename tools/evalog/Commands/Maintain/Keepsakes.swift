// Lines that must be there, whatever happens, before others go.

import EvalogFacts
import EvalogLog

extension LogDirectory {
    /// Appends facts that stand for what is deleted or erased next, and syncs them: a power cut that the
    /// deletion outlives, they outlive too. Waits for room in memory.
    ///
    /// - Throws: Where one of them could not be written; then nothing may go.
    func keep(_ facts: [(line: [UInt8], time: Int64)]) throws(LogError) {
        if facts.isEmpty { return }
        let writer = try LogWriter(self, options: WriterOptions(durability: .synced))
        var isRefused = false
        for fact in facts where !isRefused {
            let outcome = writer.appendWaiting(fact.line, to: .facts, eventTime: fact.time)
            if case .refused = outcome { isRefused = true }
        }
        // A line is refused once the disk has failed: this says how.
        try writer.flush()
        try writer.close()
    }
}

extension Fact {
    /// Its line, and the time of its event.
    var dated: (line: [UInt8], time: Int64) {
        var line: [UInt8] = []
        encode(into: &line)
        return (line, time)
    }
}
