// Counts, rates, durations, groups and filters small enough to check by hand.

import EvalogFacts
import EvalogMetrics
import Testing

@Suite("evaluations") struct EvaluationTests {
    private func row(_ lines: [FactLine]) throws -> EvaluationRow {
        let rows = try tables(of: lines).evaluations
        #expect(rows.count == 1)
        return try #require(rows.first)
    }

    @Test("attempts and retries are counted beside evaluations, never as evaluations")
    func attempts() throws {
        let lines = (0..<10).map {
            FactLine.evaluation(
                $0, at: Double($0), outcome: $0 == 9 ? "failed" : "completed", attempts: 3)
        }
        let found = try row(lines)
        #expect(found.outcomes.total == 10 && found.attempts == 30 && found.retried == 10)
        #expect(found.failureRate?.rate == 100_000)
    }

    @Test("only skipped evaluations leave rate and durations empty")
    func onlySkipped() throws {
        let found = try row([
            .evaluation(1, at: 0, outcome: "skipped", duration: 0, attempts: 0),
            .evaluation(2, at: 0, outcome: "skipped", duration: 0, attempts: 0),
        ])
        #expect(found.failureRate == nil)
        #expect(found.durations.count == 0 && found.outcomes.skipped == 2)
    }

    @Test("durations of cancelled evaluations and of those without attempts do not count")
    func durations() throws {
        let found = try row([
            .evaluation(1, at: 0, duration: 1_500_000),
            .evaluation(2, at: 0, outcome: "cancelled", duration: 9_000_000),
            .evaluation(3, at: 0, duration: 8_000_000, attempts: 0),
            .evaluation(4, at: 0, duration: nil),
            FactLine.evaluation(5, at: 0, duration: nil).with("duration_invalid", "true"),
            .evaluation(6, at: 0, outcome: "failed", duration: 500_000),
        ])
        #expect(found.durations.count == 2 && found.durations.sum == 2_000_000)
        #expect(found.durations.mean == 1_000_000)
        #expect(found.outcomes.total == 6)
    }

    @Test("invalid durations stay in the outcomes and are counted in quality")
    func invalidDurations() throws {
        let line = FactLine.evaluation(1, at: 0, duration: nil).with("duration_invalid", "true")
        let found = try tables(of: [line])
        #expect(found.quality("invalid_durations") == 1)
        #expect(found.evaluations.first?.outcomes.completed == 1)
    }

    struct Rate: Sendable {
        var failed: Int
        var completed: Int
        var rate: Int
        var low: Int
        var high: Int
    }

    @Test(
        "rates are rounded half up, intervals are Wilson's",
        arguments: [
            Rate(failed: 0, completed: 10, rate: 0, low: 0, high: 277_533),
            Rate(failed: 10, completed: 0, rate: 1_000_000, low: 722_467, high: 1_000_000),
            Rate(failed: 1, completed: 9, rate: 100_000, low: 17_876, high: 404_150),
            Rate(failed: 2, completed: 1, rate: 666_667, low: 207_660, high: 938_508),
            Rate(failed: 1, completed: 1, rate: 500_000, low: 94_531, high: 905_469),
        ])
    func rates(_ test: Rate) throws {
        let found = try #require(FailureRate(failed: test.failed, completed: test.completed))
        #expect([found.rate, found.low, found.high] == [test.rate, test.low, test.high])
    }

    @Test("a rate of nothing is no rate")
    func noRate() {
        #expect(FailureRate(failed: 0, completed: 0) == nil)
    }

    @Test("beyond the limit the largest groups stay, ties by bytes, and totals stay exact")
    func groupLimit() throws {
        var lines: [FactLine] = []
        for (model, count) in [("b", 2), ("a", 2), ("c", 3), ("d", 1)] {
            for _ in 0..<count {
                lines.append(.evaluation(lines.count, at: Double(lines.count), model: model))
            }
        }
        let found = try tables(of: lines) {
            $0.by = [.model]
            $0.groupCountMax = 2
        }
        #expect(found.groups.map { $0[0].text } == ["(other)", "a", "c"])
        #expect(found.evaluations.map(\.outcomes.total) == [3, 2, 3])
        // All share one key: one impression, which begins in the group of the first evaluation.
        #expect(found.impressions.map { found.groups[$0.group][0].text } == ["(other)"])
    }

    @Test("filters look at an impression's first evaluation, after the fold")
    func filters() throws {
        let lines: [FactLine] = [
            .evaluation(1, at: 0, model: "m1"), .evaluation(2, at: 1, model: "m2"),
            .inference(3, at: 2, of: 1), .inference(4, at: 2, of: 2), .inference(5, at: 2, of: 9),
        ]
        let first = try tables(of: lines) { $0.filters.models = ["m1"] }
        #expect(first.impressions.map(\.reEvaluations) == [1])
        #expect(first.evaluations.map(\.outcomes.total) == [1])
        #expect(first.inferences.map(\.inferences) == [1])
        let second = try tables(of: lines) { $0.filters.models = ["m2"] }
        #expect(second.impressions.isEmpty && second.evaluations.count == 1)
        #expect(try tables(of: lines).inferences.map(\.inferences) == [3])
    }

    @Test("names are bytes: composed and decomposed letters are two groups")
    func names() throws {
        let found = try tables(of: [
            .inference(1, at: 0, of: 1, subject: "e\u{301}"),
            .inference(2, at: 0, of: 1, subject: "\u{e9}"),
        ])
        #expect(found.inferences.map(\.inferences) == [1, 1])
    }

    @Test("reported values are counted once for each inference, booleans by name")
    func values() throws {
        let found = try tables(of: [
            .inference(1, at: 0, of: 1, report: #"{"intent":"billing","urgent":true}"#),
            .inference(2, at: 1, of: 1, report: #"{"intent":"billing"}"#),
            .inference(3, at: 2, of: 1, status: "failure"),
        ])
        #expect(
            found.inferenceValues.map { "\($0.field.text)=\($0.value.text) \($0.inferences)" }
                == ["intent=billing 2", "urgent=true 1"])
    }
}
