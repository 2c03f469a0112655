// Ties whose lines are more than memory may hold.

import EvalogFacts
import EvalogText
import TestSupport
import Testing

@testable import EvalogMetrics

@Suite("TieBreaker") struct TieBreakerTests {
    /// Three versions of each of 40 facts, shuffled; the least bytes name the model `a…`.
    private func versions(seed: UInt64) -> [String] {
        var generator = SeededGenerator(seed: seed)
        let padding = String(repeating: "x", count: 300)
        return (0..<40).flatMap { number in
            ["b", "a", "c"].map { model in
                var line = FactLine.evaluation(number, at: 0, model: "\(model)\(number)")
                line.text("padding", padding)
                return line.text
            }
        }.shuffled(using: &generator)
    }

    @Test(
        "lines beyond the memory wait for another round, and none is forgotten",
        arguments: 0..<UInt64(2), [1, 4_000, 10_000_000])
    func rounds(seed: UInt64, memory: Int) throws {
        let lines = versions(seed: seed)
        let parts = [Array(lines[..<50]), Array(lines[50...])]
        let collector = collectUnsettled(parts)
        var roundCount = 0
        while let ties = collector.unresolvedTies() {
            let breakers = parts.map { lines in
                let breaker = TieBreaker(ties, memory: memory)
                offer(lines, to: breaker)
                #expect(breaker.byteCount <= memory + 1_000)
                return breaker
            }
            collector.settle(ties, by: breakers)
            roundCount += 1
            try #require(roundCount <= 40)
        }
        #expect(memory > 1_000_000 ? roundCount == 1 : roundCount > 3)
        let tables = try collector.tables(MetricsRules(), threads: 1)
        #expect(tables.groups.map { $0[1].text }.allSatisfy { $0.hasPrefix("a") })
        #expect(tables.groups.count == 40 && tables.quality("conflicts") == 80)
        #expect(tables.quality("records") == 40 && tables.quality("duplicates") == 80)
    }
}
