// Why an impression begins where it does.

import EvalogFacts
import EvalogMetrics
import EvalogText
import Testing

@Suite("ImpressionTrace") struct TraceTests {
    private func trace(
        _ lines: [FactLine], _ change: (inout MetricsRules) -> Void = { _ in }
    ) throws -> ImpressionTrace {
        var rules = MetricsRules()
        change(&rules)
        return try MetricsRun(rules, threads: 2).trace { sinks in
            var decoder = FactDecoder()
            for (number, line) in lines.enumerated() {
                var text = line.text
                text.withUTF8 { bytes in
                    let bytes = UnsafeRawBufferPointer(bytes)
                    if let view = try? decoder.decode(bytes) {
                        sinks[number % 2].add(view, line: bytes)
                    }
                }
            }
        }
    }

    @Test("the first of its key, a longer pause, 24 h, a gap of 0 and no key each begin one")
    func starts() throws {
        let chain = (0...50).map { FactLine.evaluation(100 + $0, at: Double($0) * 1_800) }
        let found = try trace(
            [
                .evaluation(1, at: 0, subject: "a"), .evaluation(2, at: 1_800, subject: "a"),
                .evaluation(3, at: 3_600.000_001, subject: "a"),
                .evaluation(4, at: 5, usage: "in_app_message_suppression"),
                .evaluation(5, at: 6, usage: "in_app_message_suppression"),
                .evaluation(6, at: 7, session: nil),
            ] + chain)
        func starts(_ ids: [Int]) -> [ImpressionStart] {
            let wanted = Set(ids.map { FactLine.id($0) })
            return found.impressions.filter { wanted.contains(found.id($0.evaluations[0]).text) }
                .map(\.start)
        }
        #expect(starts([1, 2, 3]) == [.first, .gap(since: 1_800_000_001)])
        #expect(starts([4, 5]) == [.alone, .alone])
        #expect(starts([6]) == [.unkeyed])
        #expect(starts(Array(100...150)) == [.first, .span])
        #expect(
            found.impressions.first { found.id($0.evaluations[0]).text == FactLine.id(1) }?
                .evaluations.map { found.id($0).text } == [FactLine.id(1), FactLine.id(2)])
        let times = found.impressions.map { found.evaluation($0.evaluations[0]).fact.time }
        #expect(times == times.sorted())
    }

    @Test("copies are counted for each evaluation, and events are those that name it")
    func copies() throws {
        let line = FactLine.evaluation(1, at: 10)
        let found = try trace([
            line, line, .evaluation(1, at: 20, outcome: "failed"), .evaluation(2, at: 11),
            .suppression(7, at: 12, of: 1), .suppression(7, at: 12, of: 1),
            .inference(8, at: 9, of: 1, status: "failure", report: #"{"intent":"billing"}"#),
            .suppression(9, at: 12, of: 3),
        ])
        let evaluation = found.evaluation(found.impressions[0].evaluations[0])
        #expect(evaluation.lineCount == 3 && evaluation.conflictCount == 1)
        #expect(evaluation.fact.outcome == .completed)
        #expect(evaluation.events.map(\.status) == [.failure, nil])
        #expect(evaluation.events[0].report == ["intent": "billing"])
        let other = found.evaluation(found.impressions[0].evaluations[1])
        #expect(other.lineCount == 1 && other.conflictCount == 0 && other.events.isEmpty)
    }

    @Test("impressions that filters and range leave out are not traced")
    func filtered() throws {
        let lines: [FactLine] = [
            .evaluation(1, at: 0, outcome: "failed"), .evaluation(2, at: 10_000),
            .evaluation(3, at: 20_000, model: "m2"),
        ]
        func ids(_ change: (inout MetricsRules) -> Void) throws -> [String] {
            let found = try trace(lines, change)
            return found.impressions.map { found.id($0.evaluations[0]).text }
        }
        #expect(try ids { $0.filters.outcomes = [.failed] } == [FactLine.id(1)])
        #expect(try ids { $0.filters.models = ["m2"] } == [FactLine.id(3)])
        #expect(
            try ids { $0.since = FactLine.origin + 5_000_000_000 }
                == [FactLine.id(2), FactLine.id(3)])
    }
}
