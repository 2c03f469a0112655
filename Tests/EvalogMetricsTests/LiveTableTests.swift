// The live view counts what the tables count, in memory that does not grow.

import EvalogFacts
import EvalogText
import TestSupport
import Testing

@testable import EvalogMetrics

@Suite("LiveTable") struct LiveTableTests {
    private static let minute: Int64 = 60_000_000

    private func add(
        _ lines: [FactLine], to table: inout LiveTable, now: Int64, isHistory: Bool = false
    ) {
        var decoder = FactDecoder()
        for line in lines {
            var text = line.text
            text.withUTF8 { bytes in
                if let view = try? decoder.decode(UnsafeRawBufferPointer(bytes)) {
                    table.add(view, now: now, isHistory: isHistory)
                }
            }
        }
    }

    /// Evaluations of different ids over so many seconds.
    private func lines(seed: UInt64, count: Int, seconds: Double) -> [FactLine] {
        var generator = SeededGenerator(seed: seed)
        return (0..<count).map { id in
            let outcome = ["completed", "completed", "failed", "skipped", "cancelled"]
                .randomElement(using: &generator)!
            var line = FactLine.evaluation(
                id, at: Double.random(in: 0..<seconds, using: &generator),
                usage: ["a", "b"].randomElement(using: &generator)!,
                model: ["m1", "m2", nil].randomElement(using: &generator)!, outcome: outcome,
                duration: Int.random(in: 1...3_000_000, using: &generator),
                attempts: Int.random(in: 0...3, using: &generator))
            if outcome == "failed" {
                line.text("error", ["timeout", "quota"].randomElement(using: &generator)!)
            }
            return line
        }
    }

    @Test(
        "each window has what the tables have from its beginning on", arguments: 1...6,
        [60, 300, 900, 3_600, 21_600, 86_400] as [Int64])
    func agreement(seed: UInt64, seconds: Int64) throws {
        let lines = lines(seed: seed, count: 1_500, seconds: 86_000)
        let now = FactLine.origin + 86_000_000_000
        var table = LiveTable()
        add(lines, to: &table, now: now)
        let summary = table.summary(last: seconds * 1_000_000, now: now)
        #expect(now - summary.start >= seconds * 1_000_000)
        #expect(
            now - summary.start < seconds * 1_000_000 + (seconds > 900 ? 900_000_000 : 10_000_000))
        var rules = MetricsRules()
        rules.by = [.usage, .model]
        rules.since = summary.start
        rules.window = .fixed(microseconds: 30 * 86_400_000_000)
        let expected = try tables(of: lines) { $0 = rules }
        var sums: [[String]: GroupSums] = [:]
        for row in expected.evaluations {
            sums[expected.groups[row.group].map(\.text), default: GroupSums()].add(row)
        }
        let found = Dictionary(
            uniqueKeysWithValues: summary.rows.map { row in
                var sum = GroupSums()
                sum.outcomes = row.outcomes
                sum.retried = row.retried
                sum.durations = row.durations
                sum.latest = row.latest
                return ([row.group.usage, row.group.model], sum)
            })
        #expect(found == sums)
    }

    private struct GroupSums: Equatable {
        var outcomes = OutcomeCounts()
        var retried = 0
        var durations = Histogram()
        var latest = Int64.min

        mutating func add(_ row: EvaluationRow) {
            outcomes.add(row.outcomes)
            retried += row.retried
            durations.merge(row.durations)
            latest = max(latest, row.latest)
        }
    }

    @Test(
        "what is older than 24 h is late, unless it was there before; what is ahead does not count")
    func lateAndAhead() {
        let now = FactLine.origin + 2 * 86_400_000_000
        var table = LiveTable()
        add(
            [.evaluation(1, at: 0), .evaluation(2, at: 86_399.9)], to: &table, now: now,
            isHistory: true)
        #expect(table.lateCount == 0 && table.newest == nil)
        add([.evaluation(3, at: 86_399.9), .evaluation(4, at: 86_400)], to: &table, now: now)
        #expect(table.lateCount == 1)
        add([.evaluation(5, at: 172_860), .evaluation(6, at: 172_860.1)], to: &table, now: now)
        #expect(table.aheadCount == 1)
        #expect(table.summary(last: 86_400_000_000, now: now).outcomes.total == 2)
        #expect(table.newest == now + 60_000_000)
    }

    @Test("a line that comes again counts once")
    func duplicates() {
        var table = LiveTable()
        let line = FactLine.evaluation(1, at: 0)
        add([line, line, .evaluation(1, at: 5)], to: &table, now: FactLine.origin)
        #expect(table.summary(last: Self.minute, now: FactLine.origin).outcomes.total == 1)
    }

    @Test("after a day everything is forgotten, and the names of groups are free again")
    func forgetting() {
        var table = LiveTable()
        add(
            (0..<100).map { .evaluation($0, at: 0, model: "m\($0)") }, to: &table,
            now: FactLine.origin)
        var summary = table.summary(last: Self.minute, now: FactLine.origin)
        #expect(summary.rows.count == MetricsLimits.liveGroupCount + 1)
        #expect(summary.rows.first { $0.group == .rest }?.outcomes.total == 36)
        let later = FactLine.origin + 2 * 86_400_000_000
        table.advance(to: later)
        #expect(table.cellCount == 0)
        add(
            [.evaluation(900, at: 172_800, model: "new")], to: &table, now: later)
        summary = table.summary(last: Self.minute, now: later)
        #expect(summary.rows.map(\.group.model) == ["new"])
    }

    @Test("cells stay below their bound, whatever comes in", arguments: 1...3)
    func bounded(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var table = LiveTable()
        var greatest = 0
        for step in 0..<400 {
            let now = FactLine.origin + Int64(step) * 900_000_000
            let lines: [FactLine] = (0..<80).map { number in
                let back = Double.random(in: -70..<100_000, using: &generator)
                return .evaluation(
                    step * 80 + number, at: Double(step) * 900 - back,
                    model: "m\(Int.random(in: 0..<300, using: &generator))")
            }
            add(lines, to: &table, now: now)
            greatest = max(greatest, table.cellCount)
        }
        #expect(greatest <= LiveTable.cellCountMax)
        #expect(greatest > 500)
    }

    @Test("the class that failed last comes first")
    func failures() {
        var table = LiveTable()
        func failed(_ id: Int, _ seconds: Double, _ error: String) -> FactLine {
            var line = FactLine.evaluation(id, at: seconds, outcome: "failed")
            line.text("error", error)
            return line
        }
        add(
            [failed(1, 3, "timeout"), failed(2, 2, "quota"), failed(3, 1, "quota")], to: &table,
            now: FactLine.origin + 5_000_000)
        let row = table.summary(last: Self.minute, now: FactLine.origin + 5_000_000).rows[0]
        #expect(row.failures.map(\.error) == [.timeout, .quota])
        #expect(row.failures.map(\.count) == [1, 2])
    }

    @Test("filters choose what counts")
    func filters() {
        var filters = FactFilters()
        filters.models = ["m2"]
        filters.systems = ["iOS 26.1"]
        var table = LiveTable(filters)
        add(
            [
                .evaluation(1, at: 0), .evaluation(2, at: 0, model: "m2"),
                .evaluation(3, at: 0, model: "m2", os: "macOS 26"),
            ], to: &table, now: FactLine.origin)
        #expect(table.summary(last: Self.minute, now: FactLine.origin).outcomes.total == 1)
    }
}
