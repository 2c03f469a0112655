// Runs of test sets out of the log.

import EvalogFacts
import EvalogLog
import EvalogMetrics
import EvalogReplay
import EvalogText
import TestSets

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

    /// Cases, by their place in the suite, that were asked about in a run and got no answer.
    func unanswered(of run: UniqueID, _ suite: TestSuite) throws -> Set<Int> {
        let subjects = try Set(
            Replay(directory, threads: threads)
                .failedSubjects(of: SessionID(bits: run, isDigest: false)))
        return Set(
            suite.cases.indices.filter {
                subjects.contains(TestQuestion.subject(suite.cases[$0].id, of: suite.name))
            })
    }

    /// The rows of `testsets.csv`.
    func rows() throws -> [TestSetRow] { Self.rows(of: try results()) }

    static func rows(of results: [TestedEvaluation]) -> [TestSetRow] {
        TestSetRow.rows(results, MetricsRules())
    }
}
