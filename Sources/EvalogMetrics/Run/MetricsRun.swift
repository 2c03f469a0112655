// Drives the passes over a log: one if everything fits, one more for ties, several if it does not.

/// From the lines of a log to its tables.
package struct MetricsRun {
    let rules: MetricsRules
    let grid: WindowGrid
    let threads: Int
    let partCount: Int
    private let memory: Int
    let lineCount: Int

    /// - Parameters:
    ///   - threads: How many sinks each pass gets, and how many threads compute.
    ///   - partCount: Into how many parts evaluations are cut, each small enough for memory:
    ///     ``partCount(lines:memory:)``. With n > 1 parts the log is read 2n times.
    ///   - memory: Bytes that the facts of a part may take. If one needs more, the run starts again
    ///     with twice as many parts.
    ///   - lineCount: Lines to expect in a pass, if that is known: indexes get room for them at
    ///     once, which takes 5 to 10 bytes a line.
    /// - Throws: What ``MetricsRules/validate()`` throws.
    package init(
        _ rules: MetricsRules, threads: Int, partCount: Int = 1, memory: Int = .max,
        lineCount: Int = 0
    ) throws(MetricsError) {
        try rules.validate()
        grid = try WindowGrid(rules.window, timeZone: rules.timeZone)
        self.rules = rules
        self.threads = max(1, threads)
        self.partCount = max(1, partCount)
        self.memory = memory
        self.lineCount = lineCount
    }

    /// The parts that so many lines need within so many bytes.
    package static func partCount(lines: Int, memory: Int) -> Int {
        let room = memoryForFacts(within: memory)
        let (bytes, overflows) = lines.multipliedReportingOverflow(
            by: MetricsLimits.estimatedBytesPerLine)
        let byMemory = (overflows ? .max : bytes) / room + 1
        return max(byMemory, lines / MetricsLimits.rowCountMax + 1)
    }

    /// What is left for facts of so many bytes for everything.
    package static func memoryForFacts(within memory: Int) -> Int {
        max(memory - MetricsLimits.fixedBytes, MetricsLimits.fixedBytes)
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
        var partCount = partCount
        while true {
            if let tables = try attempt(partCount, log: log, scan: scan) { return tables }
            partCount *= 2
        }
    }

    /// Folds evaluations as ``tables(log:scan:)`` does, and keeps which fell into which impression.
    ///
    /// - Parameter scan: As for the tables, for as many lines as fit into memory: it delivers all
    ///   evaluations of some keys, and the events that name them.
    /// - Throws: What `scan` throws.
    package func trace<Failure: Error>(
        scan: ([FactSink]) throws(Failure) -> Void
    ) throws(Failure) -> ImpressionTrace {
        guard let sink = try collect(.all, hasEvents: true, .max, lineCount, scan) else {
            preconditionFailure("more facts than rows can be numbered")
        }
        return ImpressionTrace(sink.evaluations, rules)
    }

    /// Nil if a part did not fit.
    private func attempt<Failure: Error>(
        _ partCount: Int, log: () -> [QualityRow], scan: ([FactSink]) throws(Failure) -> Void
    ) throws(Failure) -> MetricsTables? {
        let limit = memoryLimit(partCount)
        guard partCount > 1 else {
            guard let sink = try collect(.all, hasEvents: true, limit, lineCount, scan)
            else { return nil }
            return sink.evaluations.tables(
                rules, grid, threads: threads, log: log, isLast: true)
        }
        guard let census = try census(partCount, limit, scan) else { return nil }
        var tallies = PartTallies(census)
        for part in 0..<partCount {
            let admission = Admission.keys(part: part, of: partCount, census.verdicts)
            // More parts would not cut a key with very many evaluations: it takes what it needs.
            guard
                let sink = try pass(
                    admission, hasEvents: false, .max, lineCount / partCount, scan)
            else { return nil }
            tallies.add(sink.evaluations, threads: threads)
        }
        return tallies.tables(log: log())
    }

    /// Bytes that a sink's evaluations may take.
    func memoryLimit(_ partCount: Int) -> Int {
        // What the indexes of all sinks together can address is a limit as well.
        let bytesMax = MetricsLimits.rowCountMax * RecordStore.bytesPerRow
        return (partCount < MetricsLimits.partCountMax ? min(memory, bytesMax) : bytesMax) / threads
    }

    /// Reads the log once for each part, by id; nil if one did not fit.
    func census<Failure: Error>(
        _ partCount: Int, _ limit: Int, _ scan: ([FactSink]) throws(Failure) -> Void
    ) throws(Failure) -> LogCensus? {
        var census = LogCensus(rules, grid)
        for part in 0..<partCount {
            let admission = Admission.ids(part: part, of: partCount)
            let expected = lineCount / partCount
            guard let sink = try collect(admission, hasEvents: part == 0, limit, expected, scan)
            else { return nil }
            census.add(sink, threads: threads)
        }
        return census
    }

    /// A pass whose facts are joined and have no ties left; nil if a sink takes more than `limit`
    /// bytes.
    func collect<Failure: Error>(
        _ admission: Admission, hasEvents: Bool, _ limit: Int, _ expected: Int,
        _ scan: ([FactSink]) throws(Failure) -> Void
    ) throws(Failure) -> FactSink? {
        guard let sink = try pass(admission, hasEvents: hasEvents, limit, expected, scan)
        else { return nil }
        for collector in [sink.evaluations, sink.events].compactMap({ $0 }) {
            while let ties = collector.unresolvedTies() {
                let memory = MetricsLimits.tieBytes / threads
                let sinks = (0..<threads).map { _ in FactSink(ties, memory: memory) }
                try scan(sinks)
                collector.settle(ties, by: sinks.compactMap(\.breaker))
            }
        }
        return sink
    }

    func pass<Failure: Error>(
        _ admission: Admission, hasEvents: Bool, _ limit: Int, _ expected: Int,
        _ scan: ([FactSink]) throws(Failure) -> Void
    ) throws(Failure) -> FactSink? {
        let sinks = (0..<threads).map { _ in
            FactSink(admission, hasEvents: hasEvents, memory: limit)
        }
        // The first one will take over the rows of the others.
        for (place, sink) in sinks.enumerated() {
            sink.evaluations.index.makeRoom(for: place == 0 ? expected : expected / threads)
        }
        try scan(sinks)
        for sink in sinks { sink.finish() }
        if sinks.contains(where: \.evaluations.isOverflowing) { return nil }
        for other in sinks.dropFirst() {
            sinks[0].evaluations.absorb(other.evaluations, threads: threads)
            if let events = sinks[0].events, let others = other.events,
                events !== sinks[0].evaluations
            {
                events.absorb(others, threads: threads)
            }
        }
        return sinks[0]
    }
}
