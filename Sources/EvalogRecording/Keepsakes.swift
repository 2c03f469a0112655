// Lines that must be there, whatever happens, before others go.

package import EvalogFacts
package import EvalogLog

extension LogDirectory {
    /// Appends facts that stand for what is deleted or erased next, and syncs them: a power cut that the
    /// deletion outlives, they outlive too. Waits for room in memory.
    ///
    /// - Parameter options: Of the writer, but for the durability.
    /// - Throws: Where one of them could not be written; then nothing may go.
    package func keep(
        _ facts: [(line: [UInt8], time: Int64)], options: WriterOptions = .init()
    ) throws(LogError) {
        if facts.isEmpty { return }
        var options = options
        options.durability = .synced
        let writer = try LogWriter(self, options: options)
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
    package var dated: (line: [UInt8], time: Int64) {
        var line: [UInt8] = []
        encode(into: &line)
        return (line, time)
    }
}
