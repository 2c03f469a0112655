// Runs of test sets out of the log.

import EvalogFacts
import EvalogLog
import EvalogMetrics
import EvalogReplay

/// Reads results as the export does.
struct TestReading {
    let directory: LogDirectory
    let console: Console
    private let threads: Int

    init(_ arguments: Arguments, _ console: Console) throws {
        directory = LogDirectory(path: console.logPath(arguments))
        threads = try arguments.threadCount()
        self.console = console
    }

    /// Every distinct result of the log.
    func results() throws -> [TestedEvaluation] {
        try directory.demandExisting()
        let progress = Progress("reading results", console: console)
        defer { progress.end() }
        let found = try Replay(directory, threads: threads) { progress.update($0) }.testResults()
        progress.end()
        console.warn(
            ofDamageIn: found.report, hiding: try directory.filesHidingFacts(found.report.ignored))
        return found.results
    }

    /// The rows of `testsets.csv`.
    func rows() throws -> [TestSetRow] { Self.rows(of: try results()) }

    static func rows(of results: [TestedEvaluation]) -> [TestSetRow] {
        TestSetRow.rows(results, MetricsRules())
    }
}
