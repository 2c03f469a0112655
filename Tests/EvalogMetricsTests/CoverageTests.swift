// Evaluations and sessions without a model, by hand and against a count that keeps everything.

import DeviceTiers
import EvalogFacts
import Statistics
import TestSupport
import Testing

@testable import EvalogMetrics

@Suite("coverage") struct CoverageTests {
    private func line(
        _ id: Int, at seconds: Double, device: String, session: Int? = 1,
        outcome: String = "completed", reason: String? = nil, detail: String? = nil,
        usage: String = "embedded_selection"
    ) -> FactLine {
        var line = FactLine.evaluation(
            id, at: seconds, usage: usage, session: session, outcome: outcome,
            attempts: outcome == "completed" ? 1 : 0)
        line.text("device", device)
        line.text("reason", reason)
        line.text("detail", detail)
        return line
    }

    private func skipped(
        _ id: Int, at seconds: Double, device: String, session: Int? = 1,
        _ reason: String = "model_unavailable", _ detail: String? = nil
    ) -> FactLine {
        line(
            id, at: seconds, device: device, session: session, outcome: "skipped", reason: reason,
            detail: detail)
    }

    private func coverage(_ lines: [FactLine], parts: Int = 1) throws -> Coverage {
        let run = try MetricsRun(MetricsRules(), threads: 2, partCount: parts)
        return run.coverage(scan: scan(lines.map(\.text), seed: 1))
    }

    @Test("a session is without a model if no evaluation of it reached one; the last says why")
    func sessions() throws {
        let found = try coverage([
            skipped(1, at: 0, device: "iPhone17,1", session: 1, "no_model"),
            skipped(2, at: 9, device: "iPhone17,1", session: 1, "model_unavailable", "not_enabled"),
            skipped(3, at: 5, device: "iPhone17,1", session: 1, "no_model"),
            skipped(
                4, at: 0, device: "iPhone17,1", session: 2, "model_unavailable", "missing_model"),
            line(5, at: 1, device: "iPhone17,1", session: 2, outcome: "failed"),
            skipped(6, at: 0, device: "iPhone17,1", session: nil, "no_model"),
            skipped(7, at: 0, device: "iPhone17,1", session: 3, "ai_disabled"),
            line(8, at: 0, device: "iPhone17,1", session: 4, outcome: "cancelled"),
            line(9, at: 0, device: "iPhone17,1", session: 5, usage: "testset"),
        ])
        let row = try #require(found.rows.first)
        #expect(found.rows.count == 1 && row.tier == .core)
        #expect(row.evaluations == 6 && row.evaluationsWithout == 5)
        #expect(row.sessions == 2 && row.sessionsWithout == 1)
        let causes = row.causes.map { cause in
            cause.outcomeClass.columns.dropFirst().map(\.text) + [
                "\(cause.evaluations)", "\(cause.sessions)",
            ]
        }
        #expect(
            causes == [
                ["model_unavailable", "missing_model", "1", "0"],
                ["model_unavailable", "not_enabled", "1", "1"], ["no_model", "", "3", "0"],
            ])
        #expect(found.aside == 2 && found.unsessioned == 1)
    }

    @Test("what was is held against what the rules expect of the devices that they know")
    func expectation() throws {
        let found = try coverage([
            line(1, at: 0, device: "iPhone17,1"),
            skipped(2, at: 0, device: "iPhone17,1", "model_unavailable", "device_not_eligible"),
            skipped(3, at: 0, device: "iPhone17,1", "model_unavailable", "not_enabled"),
            line(4, at: 0, device: "iPhone15,4", session: 2),
            skipped(5, at: 0, device: "iPhone15,4", session: 2, "no_model"),
            skipped(6, at: 0, device: "iPhone77,1", session: 3, "no_model"),
        ])
        #expect(found.rows.map(\.tier) == [.core, .notEligible, .unknown])
        #expect(found.evaluations?.successes == 4 && found.evaluations?.total == 6)
        #expect(found.expected?.successes == 2 && found.expected?.total == 5)
        #expect(found.observed?.successes == 3 && found.observed?.total == 5)
        #expect(found.answeredUnexpectedly == 1 && found.refusedUnexpectedly == 1)
    }

    @Test("of nothing there is no share")
    func nothing() throws {
        let found = try coverage([])
        #expect(found.rows.isEmpty && found.evaluations == nil && found.expected == nil)
    }

    @Test("any number of parts gives the same, duplicates or not", arguments: 1..<UInt64(9))
    func parts(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let devices = ["iPhone17,1", "iPhone15,4", "iPhone99,1", "iPad13,4"]
        var lines: [FactLine] = []
        for id in 1...300 {
            let session = Int.random(in: 0...60, using: &generator)
            let device = devices[session % devices.count]
            let time = Double(Int.random(in: 0...500, using: &generator))
            let reason = ["no_model", "model_unavailable", "ai_disabled"]
                .randomElement(using: &generator)!
            lines.append(
                Bool.random(using: &generator)
                    ? line(id, at: time, device: device, session: session == 0 ? nil : session)
                    : skipped(
                        id, at: time, device: device, session: session == 0 ? nil : session, reason)
            )
            // The same id once more, later, with another outcome: it does not count.
            if id % 7 == 0 {
                lines.append(skipped(id, at: time + 1, device: device, session: 70, "no_model"))
            }
        }
        let whole = try coverage(lines)
        for parts in [2, 5] {
            let cut = try coverage(lines, parts: parts)
            #expect("\(cut)" == "\(whole)", "\(parts) parts")
        }
        #expect(whole.rows.reduce(0) { $0 + $1.evaluations } + whole.aside == 300)
    }
}
