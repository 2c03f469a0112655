// Which line of several stays, and what counts as a conflict.

import EvalogFacts
import EvalogMetrics
import TestSupport
import Testing

@Suite("duplicates") struct DuplicateTests {
    private func quality(_ lines: [FactLine]) throws -> [Int128?] {
        let found = try tables(of: lines)
        return ["records", "duplicates", "conflicts"].map(found.quality)
    }

    @Test("equal lines are duplicates without conflict")
    func equal() throws {
        let line = FactLine.evaluation(1, at: 0)
        #expect(try quality([line, line, line]) == [1, 2, 0])
    }

    @Test("of different lines the earliest stays, and the others are conflicts")
    func earliest() throws {
        let lines: [FactLine] = [
            .evaluation(1, at: 5, outcome: "failed"), .evaluation(1, at: 1, outcome: "skipped"),
            .evaluation(1, at: 5, outcome: "failed"), .evaluation(1, at: 1, outcome: "skipped"),
        ]
        #expect(try quality(lines) == [1, 3, 2])
        #expect(try tables(of: lines).evaluations.first?.outcomes.skipped == 1)
    }

    @Test("of equal times the least bytes stay, whatever comes first")
    func ties() throws {
        let lines: [FactLine] = [
            .evaluation(1, at: 0, model: "b"), .evaluation(1, at: 0, model: "a"),
            .evaluation(1, at: 0, model: "c"),
        ]
        for order in [[0, 1, 2], [1, 2, 0], [2, 0, 1]] {
            let found = try tables(of: order.map { lines[$0] })
            #expect(found.groups[0][1].text == "a")
            #expect(found.quality("conflicts") == 2)
        }
    }

    @Test("the same id in two types is two facts")
    func types() throws {
        #expect(
            try quality([
                .evaluation(1, at: 0), .suppression(1, at: 0, of: 1), .inference(1, at: 0, of: 1),
            ]) == [3, 0, 0])
    }

    @Test("two assumed times of one line are no conflict, and the earlier one stays")
    func assumed() throws {
        let first = FactLine.evaluation(1, at: 0).with("assumed", #"["time"]"#)
        let second = FactLine.evaluation(1, at: 7_200).with("assumed", #"["time"]"#)
        for lines in [[first, second], [second, first]] {
            let found = try tables(of: lines)
            #expect(found.quality("conflicts") == 0 && found.quality("duplicates") == 1)
            #expect(found.evaluations.first?.window.start == FactLine.origin)
        }
        #expect(try quality([first, .evaluation(1, at: 0)]) == [1, 1, 1])
    }

    @Test("more copies than a row can count are counted still", arguments: [254, 255, 256, 1_000])
    func manyCopies(count: Int) throws {
        let lines = (0..<count).map { _ in FactLine.evaluation(1, at: 9) }
        #expect(try quality(lines) == [1, Int128(count) - 1, 0])
        #expect(try quality(lines + [.evaluation(1, at: 1)]) == [1, Int128(count), Int128(count)])
        #expect(try quality([.evaluation(1, at: 10)] + lines) == [1, Int128(count), 1])
        let halves = collect([lines.map(\.text), lines.map(\.text)])
        let rows = try halves.tables(MetricsRules(), threads: 1)
        #expect(rows.quality("conflicts") == 0)
        #expect(rows.quality("duplicates") == 2 * Int128(count) - 1)
    }

    @Test(
        "attempts beyond what a row's bits hold are exact",
        arguments: [1_022, 1_023, 1_024, 70_000])
    func manyAttempts(attempts: Int) throws {
        let lines: [FactLine] = [
            .evaluation(1, at: 5, attempts: 99_999), .evaluation(1, at: 0, attempts: attempts),
            .evaluation(2, at: 0, attempts: attempts), .evaluation(2, at: 9, attempts: 1),
        ]
        #expect(try tables(of: lines).evaluations.first?.attempts == UInt128(2 * attempts))
        let split = try collect([[lines[0].text, lines[2].text], [lines[1].text, lines[3].text]])
            .tables(MetricsRules(), threads: 1)
        #expect(split.evaluations.first?.attempts == UInt128(2 * attempts))
    }

    @Test("lines of unknown types are kept and not counted as records")
    func unknownTypes() throws {
        let found = try collect([[#"{"v":1,"type":"future","id":"x"}"#, "no JSON"]])
            .tables(MetricsRules(), threads: 1)
        #expect(found.quality("unknown_type_lines") == 1 && found.quality("records") == 0)
        #expect(found.quality("unreadable_lines") == 1 && found.quality("duplicates") == 0)
        #expect(found.evaluations.isEmpty && found.timeRange == nil)
    }

    @Test("lines in the place of erased ones are counted, and are neither records nor unreadable")
    func erasedLines() throws {
        let found = try collect([[#"{"erased":true}"#, #"{"v":1,"erased":true}"#, "no JSON"]])
            .tables(MetricsRules(), threads: 1)
        #expect(found.quality("erased_lines") == 2 && found.quality("lines") == 3)
        #expect(found.quality("records") == 0 && found.quality("duplicates") == 0)
        #expect(found.quality("unreadable_lines") == 1 && found.quality("unknown_type_lines") == 0)
        #expect(found.evaluations.isEmpty && found.timeRange == nil)
    }

    @Test(
        "a thousand facts of one instant give the same tables in any order",
        arguments: 0..<UInt64(5))
    func sameInstant(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let lines = (0..<1_000).map { FactLine.evaluation($0, at: 0, session: $0 % 7).text }
        let expected = try collect([lines]).tables(MetricsRules(), threads: 2).cells
        let shuffled = lines.shuffled(using: &generator)
        #expect(try collect([shuffled]).tables(MetricsRules(), threads: 2).cells == expected)
    }

    @Test("rows over several chunks survive joining", arguments: [1, 3])
    func manyRows(collectors: Int) throws {
        var parts = Array(repeating: [String](), count: collectors)
        for number in 0..<40_000 {
            let line = FactLine.evaluation(
                number % 39_000, at: Double(number % 39_000), session: number % 1_000)
            parts[number % collectors].append(line.text)
        }
        let found = try collect(parts).tables(MetricsRules(), threads: 2, isLast: true)
        #expect(found.quality("records") == 39_000 && found.quality("duplicates") == 1_000)
        #expect(found.evaluations.reduce(0) { $0 + $1.outcomes.total } == 39_000)
    }
}
