// The log → tables: blocks on several threads, a collector each, joined at the end.

import EvalogFacts
package import EvalogLog
package import EvalogMetrics

/// What a replay gives: the numbers, and what the reader knows of the log that they came from.
package struct ReplayResult: Sendable {
    package var tables: MetricsTables
    package var report: ReadReport
}

/// Computes all tables from a log, in one reading where no versions of a line are tied.
package struct Replay: Sendable {
    let directory: LogDirectory
    let threads: Int
    let progress: (@Sendable (ReadProgress) -> Void)?

    /// - Parameter progress: Called now and then while the log is read.
    package init(
        _ directory: LogDirectory, threads: Int,
        progress: (@Sendable (ReadProgress) -> Void)? = nil
    ) {
        self.directory = directory
        self.threads = threads
        self.progress = progress
    }

    /// The tables of the whole log as it is now.
    ///
    /// - Throws: `LogError` where a file cannot be read, `MetricsError` for rules that cannot be,
    ///   before anything is read. Damage is no error: it is in the report.
    package func tables(_ rules: MetricsRules) throws -> ReplayResult {
        try rules.validate()
        let (collector, report) = try collect()
        try settleTies(in: collector)
        let tables = try collector.tables(
            rules, threads: threads, log: Self.rows(of: report), isLast: true)
        return ReplayResult(tables: tables, report: report)
    }

    private func collect() throws -> (FactCollector, ReadReport) {
        let workers = (0..<threads).map { _ in Worker() }
        let report = try read { worker, block in workers[worker].take(block) }
        for other in workers.dropFirst() { workers[0].collector.absorb(other.collector) }
        return (workers[0].collector, report)
    }

    /// Reads the log again for the bytes of tied versions, as long as there are any.
    private func settleTies(in collector: FactCollector) throws {
        while let ties = collector.unresolvedTies() {
            let workers = (0..<threads).map { _ in TieWorker(ties) }
            _ = try read { worker, block in workers[worker].take(block) }
            collector.settle(ties, by: workers.map(\.breaker))
        }
    }

    private func read(
        _ body: @escaping @Sendable (Int, LineBlock) throws -> Void
    ) throws -> ReadReport {
        try readLog(directory, .facts, threads: threads, progress: progress, body: body)
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

/// One thread's decoder and collector. The reader calls it from one thread at a time.
private final class Worker: @unchecked Sendable {
    let collector = FactCollector()
    private var decoder = FactDecoder()

    func take(_ block: LineBlock) {
        block.forEachLine { _, line in
            do throws(FactError) {
                collector.add(try decoder.decode(line), line: line)
            } catch {
                collector.countUnreadable()
            }
        }
    }
}

/// One thread's decoder and tie breaker, for the second reading.
private final class TieWorker: @unchecked Sendable {
    let breaker: TieBreaker
    private var decoder = FactDecoder()

    init(_ ties: Ties) {
        breaker = TieBreaker(ties)
    }

    func take(_ block: LineBlock) {
        block.forEachLine { _, line in
            // What was unreadable at the first reading has been counted there.
            guard let view = try? decoder.decode(line) else { return }
            breaker.offer(view, line: line)
        }
    }
}
