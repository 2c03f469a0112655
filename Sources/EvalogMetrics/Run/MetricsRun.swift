// Drives the passes over a log: one if everything fits, one more for ties, several if memory is short.

/// From the lines of a log to its tables.
package struct MetricsRun {
    private let rules: MetricsRules
    private let grid: WindowGrid
    private let threads: Int
    private let partCount: Int

    /// - Parameters:
    ///   - threads: How many sinks each pass gets, and how many threads compute.
    ///   - partCount: Into how many parts evaluations are cut, each small enough for memory:
    ///     ``partCount(lines:memory:)``. With n > 1 parts the log is read 2n times.
    /// - Throws: What ``MetricsRules/validate()`` throws.
    package init(
        _ rules: MetricsRules, threads: Int, partCount: Int = 1
    ) throws(MetricsError) {
        try rules.validate()
        grid = try WindowGrid(rules.window, timeZone: rules.timeZone)
        self.rules = rules
        self.threads = max(1, threads)
        self.partCount = max(1, partCount)
    }

    /// The parts that so many lines need within so many bytes.
    package static func partCount(lines: Int, memory: Int) -> Int {
        let room = max(memory - MetricsLimits.fixedBytes, MetricsLimits.fixedBytes)
        let (bytes, overflows) = lines.multipliedReportingOverflow(
            by: MetricsLimits.estimatedBytesPerLine)
        let byMemory = (overflows ? .max : bytes) / room + 1
        return max(byMemory, lines / MetricsLimits.rowCountMax + 1)
    }

    /// Computes the tables.
    ///
    /// - Parameters:
    ///   - log: Rows that follow those of `quality.csv`; asked for after the last pass.
    ///   - scan: Reads the log once and gives each line to any one of the sinks. It is called again
    ///     for each pass and must deliver the same lines every time.
    /// - Throws: What `scan` throws; nothing is left behind.
    package func tables<Failure: Error>(
        log: () -> [QualityRow] = { [] },
        scan: ([FactSink]) throws(Failure) -> Void
    ) throws(Failure) -> MetricsTables {
        guard partCount > 1 else {
            let sinks = try collect(.all, hasEvents: true, scan)
            return sinks.evaluations.tables(
                rules, grid, threads: threads, log: log, isLast: true)
        }
        var census = LogCensus(rules, grid)
        for part in 0..<partCount {
            let sink = try collect(.ids(part: part, of: partCount), hasEvents: part == 0, scan)
            census.add(sink, threads: threads)
        }
        var tallies = PartTallies(census)
        for part in 0..<partCount {
            let admission = Admission.keys(part: part, of: partCount, census.verdicts)
            let sink = try pass(admission, hasEvents: false, scan)
            tallies.add(sink.evaluations, threads: threads)
        }
        return tallies.tables(log: log())
    }

    /// A pass whose facts are joined and have no ties left.
    private func collect<Failure: Error>(
        _ admission: Admission, hasEvents: Bool, _ scan: ([FactSink]) throws(Failure) -> Void
    ) throws(Failure) -> FactSink {
        let sink = try pass(admission, hasEvents: hasEvents, scan)
        for collector in [sink.evaluations, sink.events].compactMap({ $0 }) {
            while let ties = collector.unresolvedTies() {
                let sinks = (0..<threads).map { _ in FactSink(ties) }
                try scan(sinks)
                collector.settle(ties, by: sinks.compactMap(\.breaker))
            }
        }
        return sink
    }

    private func pass<Failure: Error>(
        _ admission: Admission, hasEvents: Bool, _ scan: ([FactSink]) throws(Failure) -> Void
    ) throws(Failure) -> FactSink {
        let sinks = (0..<threads).map { _ in FactSink(admission, hasEvents: hasEvents) }
        try scan(sinks)
        for other in sinks.dropFirst() {
            sinks[0].evaluations.absorb(other.evaluations)
            if let events = sinks[0].events, let others = other.events,
                events !== sinks[0].evaluations
            {
                events.absorb(others)
            }
        }
        return sinks[0]
    }
}
