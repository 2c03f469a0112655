// Everything at once: seeded logs and rules, compared with the plain computation.

import EvalogFacts
import EvalogMetrics
import TestSupport
import Testing

@Suite("all tables") struct OracleTests {
    /// Rules that a seed decides.
    static func rules(seed: UInt64) -> MetricsRules {
        var generator = SeededGenerator(seed: seed &* 31 &+ 7)
        func chance(_ oneIn: Int) -> Bool { Int.random(in: 0..<oneIn, using: &generator) == 0 }
        var rules = MetricsRules()
        rules.window = [
            .hour, .fixed(microseconds: 86_400_000_000), .fixed(microseconds: 7_000_000),
        ]
        .randomElement(using: &generator)!
        rules.by = [[.usage, .model, .os], [], [.os], [.model, .usage]]
            .randomElement(using: &generator)!
        if chance(3) {
            rules.gaps.everyUsage = [0, 900_000_000, 1_800_000_001]
                .randomElement(using: &generator)!
        }
        if chance(3) { rules.gaps.byUsage = ["in_app_message_suppression": 600_000_000] }
        if chance(3) { rules.since = FactLine.origin + 3_600_000_000 }
        if chance(4) { rules.since = FactLine.origin + 90_000_000_000 }
        if chance(3) { rules.until = FactLine.origin + 100_000_000_000 }
        if chance(4) { rules.filters.usages = ["embedded_selection", "scene_text_input"] }
        if chance(4) { rules.filters.models = ["m2"] }
        if chance(4) { rules.filters.systems = ["macOS 26", "unknown"] }
        if chance(4) { rules.filters.outcomes = [.failed, .skipped] }
        if chance(2) { rules.groupCountMax = [1, 2, 3].randomElement(using: &generator)! }
        return rules
    }

    @Test("every cell equals that of the plain computation", arguments: 0..<UInt64(120))
    func oracle(seed: UInt64) throws {
        var source = SeededLines(seed: seed)
        let lines = source.lines()
        let rules = Self.rules(seed: seed)
        let expected = TableOracle(lines, rules).cells
        let found = try collect([lines]).tables(rules, threads: 1).cells
        for (table, rows) in expected {
            #expect(found[table] == rows, "\(table)")
        }
    }

    @Test(
        "order of lines, number of collectors and threads change nothing",
        arguments: 200..<UInt64(230))
    func invariance(seed: UInt64) throws {
        var source = SeededLines(seed: seed)
        var lines = source.lines()
        let rules = Self.rules(seed: seed)
        let expected = try collect([lines]).tables(rules, threads: 1).cells
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<3 {
            lines.shuffle(using: &generator)
            var parts = Array(
                repeating: [String](), count: Int.random(in: 1...5, using: &generator))
            for line in lines {
                parts[Int.random(in: 0..<parts.count, using: &generator)].append(line)
            }
            let threads = Int.random(in: 1...4, using: &generator)
            let isLast = Bool.random(using: &generator)
            #expect(
                try collect(parts).tables(rules, threads: threads, isLast: isLast).cells == expected
            )
        }
    }
}
