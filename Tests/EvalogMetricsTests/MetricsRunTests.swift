// Runs in one pass and in several: the tables must not show the difference.

import EvalogFacts
import EvalogMetrics
import TestSupport
import Testing

@Suite("MetricsRun") struct MetricsRunTests {
    @Test("any number of parts and threads gives the same tables", arguments: 300..<UInt64(316))
    func parts(seed: UInt64) throws {
        var source = SeededLines(seed: seed)
        let lines = source.lines()
        let rules = OracleTests.rules(seed: seed)
        let expected = TableOracle(lines, rules).cells
        for parts in [1, 2, 5] {
            let run = try MetricsRun(rules, threads: 1 + Int(seed) % 3, partCount: parts)
            let found = run.tables(scan: scan(lines, seed: seed)).cells
            for (table, rows) in expected {
                #expect(found[table] == rows, "\(table) in \(parts) parts")
            }
        }
    }

    @Test("a row knows its latest evaluation, and refusals count in the range", arguments: [1, 3])
    func latestAndRefused(parts: Int) throws {
        func gap(_ id: Int, at seconds: Double, refused: Int) -> FactLine {
            var line = FactLine("log_gap", id: id, time: FactLine.time(seconds))
            line.text("stream", "facts")
            line.text("since", FactLine.time(0))
            line.json("refused", String(refused))
            line.text("cause", "no_space")
            return line
        }
        let lines: [FactLine] = [
            .evaluation(1, at: 50), .evaluation(2, at: 100), .evaluation(3, at: 0),
            .evaluation(4, at: 3_700), gap(5, at: 10, refused: 4), gap(6, at: 5_000, refused: 8),
        ]
        var rules = MetricsRules()
        rules.since = FactLine.origin
        rules.until = FactLine.origin + 3_600_000_000
        let run = try MetricsRun(rules, threads: 2, partCount: parts)
        let found = run.tables(scan: scan(lines.map(\.text), seed: 1))
        #expect(found.evaluations.map(\.latest) == [FactLine.origin + 100_000_000])
        #expect(found.refused == 4 && found.quality("refused") == 12)
    }

    @Test("an error of the scan ends the run")
    func failure() throws {
        struct Broken: Error {}
        let run = try MetricsRun(MetricsRules(), threads: 2, partCount: 3)
        var passes = 0
        #expect(throws: Broken.self) {
            try run.tables { _ in
                passes += 1
                if passes == 4 { throw Broken() }
            }
        }
        #expect(passes == 4)
    }

    @Test("a log without conflicts is read once, and twice for each of several parts")
    func passCount() throws {
        for (parts, wanted) in [(1, 1), (2, 4), (5, 10)] {
            var passes = 0
            _ = try MetricsRun(MetricsRules(), threads: 1, partCount: parts).tables { sinks in
                passes += 1
                scan([FactLine.evaluation(1, at: 0).text], seed: 1)(sinks)
            }
            #expect(passes == wanted)
        }
    }

    @Test("a run that needs more memory than it may have starts again with more parts")
    func overflow() throws {
        let lines = (0..<40_000).map {
            FactLine.evaluation($0, at: Double($0), session: $0 % 5_000).text
        }
        func run(memory: Int) throws -> (tables: [String: [[String]]], passes: Int) {
            var passes = 0
            let tables = try MetricsRun(MetricsRules(), threads: 1, memory: memory)
                .tables { sinks in
                    passes += 1
                    scan(lines, seed: 5)(sinks)
                }
            return (tables.cells, passes)
        }
        let free = try run(memory: .max)
        let tight = try run(memory: 1 << 20)
        #expect(free.tables == tight.tables)
        #expect(free.passes == 1 && tight.passes == 5)
    }

    @Test("rows of the log follow those of the facts")
    func logRows() throws {
        let found = try MetricsRun(MetricsRules(), threads: 1)
            .tables(log: { [QualityRow("log_damage", 3)] }, scan: { _ in })
        #expect(found.quality.last == QualityRow("log_damage", 3))
        #expect(found.quality.count == 15)
    }

    @Test("parts grow with the lines and shrink with the memory")
    func partCount() {
        #expect(MetricsRun.partCount(lines: 0, memory: 0) == 1)
        #expect(MetricsRun.partCount(lines: 6_300_000, memory: 1 << 30) == 1)
        #expect(MetricsRun.partCount(lines: 1_000_000_000, memory: 1 << 30) > 50)
        #expect(
            MetricsRun.partCount(lines: 100_000_000, memory: 1 << 30)
                < MetricsRun.partCount(lines: 100_000_000, memory: 1 << 28))
        #expect(MetricsRun.partCount(lines: .max, memory: .max) > 1)
    }
}
