// testsets.csv's rows from logs: duplicates, filters, ranges, readings.

import EvalogFacts
import EvalogLog
import EvalogMetrics
import EvalogReplay
import EvalogText
import TestSupport
import Testing

@Suite("Test sets of a log") struct TestSetReplayTests {
    private static let start: Int64 = 1_795_946_400_000_000
    private static let run = SessionID(bits: UniqueID(high: 7, low: 7), isDigest: false)

    private static func evaluation(_ number: Int, model: String = "m") -> EvaluationFact {
        var fact = EvaluationFact(
            id: UniqueID(high: 1, low: UInt64(number)), time: start + Int64(number) * 1_000_000,
            usage: "testset", outcome: .completed, attempts: 1)
        fact.model = model
        fact.session = run
        fact.duration = Int64(number)
        return fact
    }

    /// The n-th result, of the evaluation of that number.
    private static func result(
        _ number: Int, _ testCase: String, _ verdict: Verdict, repetition: Int32 = 1
    ) -> TestResultFact {
        var fact = TestResultFact(
            id: UniqueID(high: 2, low: UInt64(number)), time: start + Int64(number) * 1_000_000,
            evaluation: UniqueID(high: 1, low: UInt64(number)), suite: "s", testCase: testCase,
            task: "t", repetition: repetition, verdict: verdict)
        fact.session = run
        if verdict == .fail { fact.failure = .different }
        return fact
    }

    private func log(_ facts: [Fact], in folder: ScratchFolder) throws -> LogDirectory {
        let directory = LogDirectory(path: "\(folder.path)/log")
        let writer = try LogWriter(directory)
        for fact in facts {
            var line: [UInt8] = []
            fact.encode(into: &line)
            _ = writer.appendWaiting(line, to: .facts, eventTime: fact.time)
        }
        try writer.close()
        return directory
    }

    private static var facts: [Fact] {
        (1...5).map { .evaluation(evaluation($0)) } + [
            .testResult(result(1, "a", .pass)), .testResult(result(2, "b", .fail)),
            .testResult(result(3, "c", .pass)), .testResult(result(4, "c", .fail, repetition: 2)),
            .testResult(result(5, "c", .pass, repetition: 3)),
        ]
    }

    @Test("cases are counted, not results, in any number of readings", arguments: [1, 3])
    func counts(parts: Int) throws {
        let folder = ScratchFolder()
        let directory = try log(Self.facts, in: folder)
        let tables = try Replay(directory, threads: 2)
            .tables(MetricsRules(), partCount: parts).tables
        let row = try #require(tables.testSets.first)
        #expect(tables.testSets.count == 1 && tables.testResultCount == 5)
        #expect(row.cases.map(\.id) == ["a", "b", "c"])
        #expect(row.passing == 2 && row.flaky == 1 && row.passed == 3 && row.failed == 2)
        #expect(row.failures[Int(TestFailure.different.rawValue)] == 2)
        #expect(row.passRate?.rate == 666_667)
        #expect(row.started == Self.start + 1_000_000)
        #expect(row.durations.count == 5 && row.durations.percentiles([50]) == [3])
    }

    @Test("of a result that comes twice the earlier line stays, of equal times the lesser bytes")
    func duplicates() throws {
        var later = Self.result(1, "a", .fail)
        later.time += 1
        // Equal but for the verdict: "fail" is less than "pass".
        let tied = Self.result(3, "c", .fail)
        for facts in [
            Self.facts + [.testResult(later), .testResult(tied)],
            [.testResult(later), .testResult(tied)] + Self.facts,
        ] {
            let folder = ScratchFolder()
            let directory = try log(facts, in: folder)
            let found = try Replay(directory, threads: 2).testResults().results
            #expect(found.count == 5)
            let verdicts = Dictionary(
                uniqueKeysWithValues: found.map { ($0.result.id.low, $0.result.verdict) })
            #expect(verdicts[1] == .pass && verdicts[3] == .fail)
        }
    }

    @Test("filters act on evaluations, ranges on the start of the run")
    func rules() throws {
        let folder = ScratchFolder()
        let directory = try log(
            Self.facts + [.testResult(Self.result(9, "d", .error))], in: folder)
        func rows(_ change: (inout MetricsRules) -> Void) throws -> [TestSetRow] {
            var rules = MetricsRules()
            change(&rules)
            return try Replay(directory, threads: 1).tables(rules).tables.testSets
        }
        // The evaluation of the last one is not in the log: it was where all others of its run were.
        let all = try rows { _ in }
        #expect(all.map(\.model.text) == ["m"] && all.map(\.errors) == [1])
        #expect(all.map(\.cases.count) == [4])
        #expect(try rows { $0.filters.models = ["m"] }.map(\.cases.count) == [4])
        #expect(try rows { $0.filters.outcomes = [.completed] }.map(\.cases.count) == [3])
        #expect(try rows { $0.filters.models = ["n"] }.isEmpty)
        #expect(try rows { $0.filters.usages = ["testset"] }.map(\.cases.count) == [4])
        #expect(try rows { $0.filters.usages = ["other"] }.isEmpty)
        #expect(try rows { $0.since = Self.start + 2_000_000 }.isEmpty)
        #expect(try rows { $0.until = Self.start + 2_000_000 }.map(\.cases.count) == [4])
    }

    @Test("where a run was is not guessed: of two models, or none, a lost evaluation has neither")
    func places() throws {
        let lost = Fact.testResult(Self.result(9, "d", .pass))
        func models(_ facts: [Fact]) throws -> [String] {
            let folder = ScratchFolder()
            return try Replay(try log(facts, in: folder), threads: 1)
                .tables(MetricsRules()).tables.testSets.map(\.model.text)
        }
        #expect(try models([lost]) == [""])
        let other = [
            Fact.evaluation(Self.evaluation(8, model: "n")),
            .testResult(Self.result(8, "c", .pass)),
        ]
        #expect(try models(Self.facts + other + [lost]) == ["", "m", "n"])
        var elsewhere = Self.result(9, "d", .pass)
        elsewhere.session = SessionID(bits: UniqueID(high: 8, low: 8), isDigest: false)
        #expect(Set(try models(Self.facts + [.testResult(elsewhere)])) == ["m", ""])
    }

    @Test("results of another version of the suite are a row of their own")
    func digests() throws {
        let folder = ScratchFolder()
        var (one, two) = (Self.result(1, "a", .pass), Self.result(2, "b", .pass))
        (one.suiteDigest, two.suiteDigest) = ("00000000000000aa", "00000000000000bb")
        let directory = try log(
            [
                .evaluation(Self.evaluation(1)), .evaluation(Self.evaluation(2)),
                .testResult(one), .testResult(two),
            ], in: folder)
        let rows = try Replay(directory, threads: 1).tables(MetricsRules()).tables.testSets
        #expect(rows.map(\.suiteDigest.text) == ["00000000000000aa", "00000000000000bb"])
    }
}
