// For figures that need all evaluations of a session together, which no table does.

extension MetricsRun {
    /// Hands over all evaluations, in one part where memory allows; none of a session is in another part
    /// than the rest of it.
    ///
    /// - Parameters:
    ///   - scan: As for the tables.
    ///   - take: Is given the evaluations of a part, and all events, which are the same each time. It comes
    ///     once for each part, and never for a part that is read again.
    /// - Throws: What `scan` throws.
    func forEachSessionPart<Failure: Error>(
        scan: ([FactSink]) throws(Failure) -> Void,
        take: (_ evaluations: FactCollector, _ events: FactCollector) -> Void
    ) throws(Failure) {
        var partCount = partCount
        while true {
            if partCount == 1 {
                let limit = memoryLimit(partCount)
                if let sink = try collect(.all, hasEvents: true, limit, lineCount, scan) {
                    take(sink.evaluations, sink.evaluations)
                    return
                }
            } else if let census = try census(partCount, memoryLimit(partCount), scan) {
                let events = census.events ?? FactCollector()
                for part in 0..<partCount {
                    let admission = Admission.sessions(
                        part: part, of: partCount, census.verdicts)
                    // A single session with very many evaluations takes what it needs.
                    let sink = try pass(
                        admission, hasEvents: false, .max, lineCount / partCount, scan)
                    if let sink { take(sink.evaluations, events) }
                }
                return
            }
            partCount *= 2
        }
    }
}
