// The log → tables: blocks on several threads, a sink each, as many readings as memory asks for.

import EvalogFacts
package import EvalogLog
package import EvalogMetrics

/// What a replay gives: the numbers, and what the reader knows of the log that they came from.
package struct ReplayResult: Sendable {
    package var tables: MetricsTables
    package var report: ReadReport
}

/// Computes all tables from a log, in one reading where they fit into memory.
package struct Replay: Sendable {
    let directory: LogDirectory
    let threads: Int
    let memoryByteCount: Int64
    let scope: ReplayScope
    let progress: (@Sendable (ReadProgress) -> Void)?

    /// - Parameters:
    ///   - memoryByteCount: What the tables may take while they are made; above it the log is read
    ///     several times, with the same result.
    ///   - scope: The part of the log that the tables are made of, `quality` included. What the
    ///     reader knows of damage and loss is about all headers, and about the blocks of this part.
    ///   - progress: Called now and then while the log is read, from the start at each reading.
    package init(
        _ directory: LogDirectory, threads: Int,
        memoryByteCount: Int64 = ReplayDefaults.memoryByteCount,
        scope: ReplayScope = ReplayScope(),
        progress: (@Sendable (ReadProgress) -> Void)? = nil
    ) {
        self.directory = directory
        self.threads = threads
        self.memoryByteCount = memoryByteCount
        self.scope = scope
        self.progress = progress
    }

    /// The tables of the whole log as it is at the first reading.
    ///
    /// - Parameter partCount: Into how many parts the evaluations are cut; nil: as memory asks for.
    /// - Throws: `MetricsError` for rules that cannot be, before anything is read; `LogError` where
    ///   a file cannot be read or lines went away between two readings. Damage is no error: it is
    ///   in the report.
    package func tables(_ rules: MetricsRules, partCount: Int? = nil) throws -> ReplayResult {
        let (run, reader) = try reading(rules, partCount)
        var tables = try run.tables(
            log: { Self.rows(of: reader.first) }, scan: { sinks in try reader.read(into: sinks) })
        if tables.testResultCount > 0 {
            tables.testSets = TestSetRow.rows(try testResults(reader), rules)
        }
        if let drift = rules.drift {
            tables.drift = try run.drift(drift) { sinks in try reader.read(into: sinks) }
        }
        return ReplayResult(tables: tables, report: reader.first)
    }

    /// A run of these rules, and the readings of the log that it asks for.
    ///
    /// - Throws: As ``tables(_:partCount:)``.
    func reading(
        _ rules: MetricsRules, _ partCount: Int? = nil
    ) throws -> (run: MetricsRun, reader: RepeatedReading) {
        try rules.validate()
        let memory = Int(clamping: memoryByteCount)
        let catalog = try LogCatalog.scan(directory, .facts)
        let lineCount = lineCount(of: catalog)
        let run = try MetricsRun(
            rules, threads: threads,
            partCount: partCount ?? MetricsRun.partCount(lines: lineCount, memory: memory),
            memory: MetricsRun.memoryForFacts(within: memory), lineCount: lineCount)
        return (run, RepeatedReading(self, first: catalog))
    }

    /// Lines that the headers promise, copies included.
    private func lineCount(of catalog: LogCatalog) -> Int {
        catalog.headers.reduce(0) { $0 + (scope.includes($1.header) ? Int($1.header.count) : 0) }
    }

    /// What the reader knows, as rows for `quality.csv`; none depends on how lines lie in files.
    private static func rows(of report: ReadReport) -> [QualityRow] {
        [
            QualityRow("log_damages", Int128(report.damages.count)),
            QualityRow("log_lost", Int128(report.lostCount)),
            QualityRow("log_unknown_loss", Int128(report.writers.count(where: \.hasUnknownLoss))),
            QualityRow("log_retired", Int128(report.retiredCount)),
            QualityRow("log_holes", Int128(report.holeCount)),
        ]
    }
}

/// Readings of a log that may grow meanwhile: each delivers the lines of the first.
final class RepeatedReading {
    private let replay: Replay
    private(set) var first = ReadReport()
    /// For the first reading; a later one looks again, for files may have moved since.
    private var catalog: LogCatalog?
    private var isFirst = true

    /// - Parameter catalog: What is read first, where it is known already.
    init(_ replay: Replay, first catalog: LogCatalog?) {
        self.replay = replay
        self.catalog = catalog
    }

    func read(into receivers: [some FactReceiver]) throws {
        let bound = isFirst ? nil : first.position[.facts]
        let reading = try FactReading(
            of: replay.directory, into: receivers, catalog: catalog, within: bound,
            where: replay.scope.includes, progress: replay.progress)
        catalog = nil
        if isFirst {
            first = reading.report
            isFirst = false
        } else if reading.lineCount != first.lineCount {
            throw LogError.unsteady(path: replay.directory.path)
        }
    }
}
