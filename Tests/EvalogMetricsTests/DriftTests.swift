// Drift on facts: what is compared, what it comes to, and how often chance alone alarms.

import EvalogFacts
import Statistics
import TestSupport
import Testing

@testable import EvalogMetrics

@Suite("drift") struct DriftTests {
    private static let sides = DriftRules(by: .os, baseline: "iOS 26.1", candidate: "iOS 26.2")

    /// Makes sessions of evaluations that fail or not as a closure says.
    private struct Traffic {
        var lines: [FactLine] = []
        var random: SeededGenerator

        init(seed: UInt64) { random = SeededGenerator(seed: seed) }

        mutating func session(
            _ number: Int, os: String, count: Int, usage: String = "scene_text_input",
            _ body: (inout SeededGenerator) -> (outcome: String, duration: Int, value: String?)
        ) {
            for _ in 0..<count {
                let id = lines.count + 1
                let (outcome, duration, value) = body(&random)
                lines.append(
                    .evaluation(
                        id, at: Double(id), usage: usage, session: number, os: os,
                        outcome: outcome, duration: duration, attempts: outcome == "skipped" ? 0 : 1
                    ))
                if let value {
                    lines.append(
                        .inference(
                            id + 100_000, at: Double(id), of: id,
                            report: #"{"intent":"\#(value)"}"#))
                }
            }
        }
    }

    private func drift(
        _ lines: [FactLine], _ sides: DriftRules = Self.sides, parts: Int = 1,
        _ change: (inout MetricsRules) -> Void = { _ in }
    ) throws -> Drift {
        var rules = MetricsRules()
        rules.drift = sides
        change(&rules)
        let run = try MetricsRun(rules, threads: 2, partCount: parts)
        return run.drift(sides, scan: scan(lines.map(\.text), seed: 3))
    }

    private func finding(_ drift: Drift, _ key: String) throws -> DriftFinding {
        try #require(drift.findings.first { $0.measure.key == key })
    }

    /// Sixty sessions on each side; those of the candidate fail, wait and answer otherwise.
    private func worse(seed: UInt64) -> [FactLine] {
        var traffic = Traffic(seed: seed)
        for number in 0..<120 {
            let isNew = number % 2 == 1
            traffic.session(number + 1, os: isNew ? "iOS 26.2" : "iOS 26.1", count: 1 + number % 5)
            {
                let chance = Int.random(in: 0..<100, using: &$0)
                let duration = Int.random(in: 100_000...400_000, using: &$0) * (isNew ? 2 : 1)
                let value = chance % 2 == 0 ? "billing" : isNew ? "other" : "delivery"
                return (chance < (isNew ? 40 : 5) ? "failed" : "completed", duration, value)
            }
        }
        return traffic.lines
    }

    @Test("what is worse is told, in its direction, with an interval on one side of 0")
    func loss() throws {
        let found = try drift(worse(seed: 5))
        #expect(found.isWorse && found.evaluations == (180, 180))
        for key in ["failure_rate", "duration_p50", "duration_p95"] {
            let finding = try finding(found, key)
            #expect(finding.verdict == .worse, "\(key)")
            #expect(try #require(finding.difference) > 0 && finding.effect! > 0.2)
            #expect(finding.adjustedP! <= 0.05 && finding.p! <= finding.adjustedP!)
            #expect(try #require(finding.interval).low > 0, "\(key)")
        }
        let mix = try finding(found, "value_mix")
        #expect(mix.verdict == .changed && mix.effect! > 0.2)
        #expect(["delivery", "other"].contains(mix.value?.text))
        #expect(try finding(found, "skip_rate").verdict == .same)
        let back = try drift(
            worse(seed: 5), DriftRules(by: .os, baseline: "iOS 26.2", candidate: "iOS 26.1"))
        #expect(!back.isWorse && back.count(.better) == 3)
    }

    @Test("in any number of parts it is the same")
    func parts() throws {
        let lines = worse(seed: 6)
        let whole = try drift(lines)
        for parts in [2, 5] { #expect("\(try drift(lines, parts: parts))" == "\(whole)") }
    }

    @Test("counts are those of the tables; percentiles are exact; test sets do not count")
    func counts() throws {
        var lines = worse(seed: 7)
        for number in 0..<40 {
            lines.append(
                .evaluation(
                    900_000 + number, at: 1, usage: "testset", session: 900 + number,
                    os: "iOS 26.2", outcome: "failed"))
        }
        let found = try drift(lines)
        #expect(Set(found.findings.map(\.usage.text)) == ["scene_text_input"])
        let evaluations = try tables(of: lines.filter { !$0.text.contains("testset") }) {
            $0.by = [.os]
            $0.window = .month
        }
        for (side, os) in [("iOS 26.1", 0), ("iOS 26.2", 1)] {
            let row = evaluations.evaluations[os]
            let rate = try finding(found, "failure_rate")
            let mine = os == 0 ? rate.baseline : rate.candidate
            #expect(mine.hits == row.outcomes.failed, "\(side)")
            #expect(mine.count == row.outcomes.failed + row.outcomes.completed)
            let p95 = try finding(found, "duration_p95")
            let exact = try #require((os == 0 ? p95.baseline : p95.candidate).duration)
            let binned = Double(row.durations.percentiles([95])[0])
            #expect(abs(exact - binned) <= 0.002 * exact)
        }
    }

    @Test("too few sessions are not enough data, many without a failure are no difference")
    func few() throws {
        func traffic(_ sessions: Int, _ outcome: @escaping (Bool) -> String) -> [FactLine] {
            var traffic = Traffic(seed: 1)
            for number in 0..<2 * sessions {
                let isNew = number % 2 == 1
                traffic.session(number + 1, os: isNew ? "iOS 26.2" : "iOS 26.1", count: 9) { _ in
                    (outcome(isNew), 1_000, nil)
                }
            }
            return traffic.lines
        }
        // All fail against none, but of three sessions each: one of twenty deals, times two.
        let three = try drift(traffic(3) { $0 ? "failed" : "completed" })
        #expect(!three.isWorse && three.count(.noData) == three.findings.count)
        let thirty = try drift(traffic(30) { $0 ? "failed" : "completed" })
        #expect(try finding(thirty, "failure_rate").verdict == .worse)
        let none = try drift(traffic(30) { _ in "completed" })
        #expect(none.count(.same) == 5 && none.findings.allSatisfy { $0.p == nil })
        // A single failure: no deal of the sessions could be told from chance.
        var one = traffic(30) { _ in "completed" }
        one[0] = one[0].with("outcome", "\"failed\"")
        #expect(try finding(drift(one), "failure_rate").verdict == .noData)
    }

    @Test("sessions on both sides are on none, and filters and range act")
    func mixed() throws {
        var lines = worse(seed: 8)
        lines.append(
            .evaluation(900_001, at: 2, usage: "scene_text_input", session: 1, os: "iOS 26.2"))
        let found = try drift(lines)
        #expect(try finding(found, "failure_rate").mixedSessions == 1)
        #expect(try finding(found, "failure_rate").baseline.sessions == 59)
        #expect(found.evaluations == (180, 181))
        let none = try drift(lines) { $0.filters.usages = ["embedded_selection"] }
        #expect(none.findings.isEmpty && none.values.isEmpty)
        let early = try drift(lines) { $0.until = FactLine.origin + 100_000_000 }
        // Two seconds lie between two evaluations, and one more was added above.
        #expect(early.evaluations.baseline + early.evaluations.candidate == 51)
    }

    @Test("a drift is between two values of os, model or app, at a level that can be")
    func rules() {
        for (drift, error) in [
            (DriftRules(by: .usage, baseline: "a", candidate: "b"), .driftDimension(.usage)),
            (DriftRules(by: .os, baseline: "a", candidate: "a"), .driftOfOneSide),
            (DriftRules(by: .os, baseline: "a", candidate: "b", level: 0), .levelOutOfRange(0)),
        ] as [(DriftRules, MetricsError)] {
            var rules = MetricsRules()
            rules.drift = drift
            #expect(throws: error) { try rules.validate() }
        }
    }

    /// No difference between the sides, but sessions that differ much from each other.
    private func unchanged(seed: UInt64) -> [FactLine] {
        var traffic = Traffic(seed: seed)
        for number in 0..<60 {
            let isBad = Int.random(in: 0..<4, using: &traffic.random) == 0
            let size = Int.random(in: 1...8, using: &traffic.random)
            let value = ["billing", "delivery", "other"].randomElement(using: &traffic.random)!
            traffic.session(number + 1, os: number % 2 == 1 ? "iOS 26.2" : "iOS 26.1", count: size)
            {
                let isOff = Int.random(in: 0..<10, using: &$0) == 0
                let duration = Int.random(in: 1_000...2_000, using: &$0) * (isBad ? 10 : 1)
                return (isBad != isOff ? "failed" : "completed", duration, value)
            }
        }
        return traffic.lines
    }

    @Test("chance alone alarms no more often than the level says, over all comparisons together")
    func falseAlarms() throws {
        // A level at which alarms can be counted.
        var sides = Self.sides
        sides.level = 200_000
        let repetitions = 120
        var alarms = 0
        for seed in 1...UInt64(repetitions) {
            let found = try drift(unchanged(seed: seed), sides)
            #expect(found.findings.count { $0.verdict != .noData } >= 4)
            if found.findings.contains(where: { [.worse, .better, .changed].contains($0.verdict) })
            {
                alarms += 1
            }
        }
        // Four standard errors of 20 %.
        #expect(Double(alarms) / Double(repetitions) <= 0.2 + 4 * 0.0366, "\(alarms)")
    }
}
