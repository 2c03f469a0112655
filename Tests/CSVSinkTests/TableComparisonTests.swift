// Two versions of a table: every difference is found, and none where there is none.

import EvalogFacts
import EvalogMetrics
import TestSupport
import Testing

@testable import CSVSink

@Suite("table comparison") struct TableComparisonTests {
    /// A text in pieces of so many bytes.
    private func pieces(_ text: String, of size: Int = 7) -> CSVPieces {
        var rest = Array(text.utf8)[...]
        return {
            let piece = Array(rest.prefix(size))
            rest = rest.dropFirst(size)
            return piece.isEmpty ? nil : piece
        }
    }

    private func differences(
        _ file: CSVFile, _ before: String, _ after: String, size: Int = 7,
        of tables: MetricsTables = .empty
    ) throws -> [RowDifference] {
        var comparison = try TableComparison(
            file, CSVExport(tables).table(file), before: pieces(before, of: size),
            after: pieces(after, of: size))
        var found: [RowDifference] = []
        while let difference = try comparison.next() { found.append(difference) }
        return found
    }

    private func text(_ cells: [RowDifference.Cell]?) -> String? {
        cells.map { $0.map { "\($0.column)=\($0.text)" }.joined(separator: " ") }
    }

    private static let header = "window_start,window_end,subject,status,inferences\r\n"

    private func row(_ subject: String, _ count: Int, status: String = "success") -> String {
        "2026-11-29T10:00:00Z,2026-11-29T11:00:00Z,\(subject),\(status),\(count)\r\n"
    }

    @Test(
        "changed, added and removed rows are told apart, wherever pieces end",
        arguments: [1, 2, 3, 1_000])
    func kinds(size: Int) throws {
        let found = try differences(
            .inferences, Self.header + row("a", 1) + row("b", 2) + row("d", 4),
            Self.header + row("a", 1) + row("b", 3) + row("c", 9), size: size)
        #expect(
            found.map { text($0.key) } == [
                "window_start=2026-11-29T10:00:00Z subject=b status=success",
                "window_start=2026-11-29T10:00:00Z subject=c status=success",
                "window_start=2026-11-29T10:00:00Z subject=d status=success",
            ])
        #expect(found.map { text($0.before) } == ["inferences=2", nil, "inferences=4"])
        #expect(found.map { text($0.after) } == ["inferences=3", "inferences=9", nil])
    }

    @Test("an empty cell comes first, quoted and guarded names compare by what they mean")
    func names() throws {
        let before =
            Self.header + row("", 1) + row("\"a,\"\"b\"\"\r\nc\"", 1) + row("'+1", 1)
        // In the order of their bytes: nothing, "+1", "a,…".
        #expect(throws: CSVError.unsorted(line: 5)) {
            try differences(.inferences, before, before)
        }
        let sorted =
            Self.header + row("", 1) + row("'+1", 1) + row("\"a,\"\"b\"\"\r\nc\"", 1)
        #expect(try differences(.inferences, sorted, sorted).isEmpty)
        let found = try differences(.inferences, sorted, Self.header + row("", 1))
        #expect(found.map { $0.key[1].text } == ["+1", "a,\"b\"\r\nc"])
    }

    @Test("bins compare as numbers, quality rows by name in any order")
    func order() throws {
        var tables = MetricsTables.empty
        tables.rules.by = []
        let header = "window_start,window_end,lower_us,upper_us,evaluations\r\n"
        func bin(_ lower: Int, _ count: Int) -> String {
            "2026-11-29T10:00:00Z,2026-11-29T11:00:00Z,\(lower),\(lower + 1),\(count)\r\n"
        }
        let bins = header + bin(9, 1) + bin(10, 2) + bin(100, 3)
        #expect(try differences(.durations, bins, bins, of: tables).isEmpty)
        let found = try differences(
            .durations, bins, header + bin(10, 2) + bin(100, 4), of: tables)
        #expect(found.map { $0.key[1].text } == ["9", "100"])
        let quality = try differences(
            .quality, "name,value\r\nlines,1\r\nconflicts,0\r\nlog_lost,0\r\n",
            "name,value\r\nlog_lost,4\r\nconflicts,0\r\nlines,2\r\n")
        #expect(quality.map { $0.key[0].text } == ["lines", "log_lost"])
        #expect(quality.map(\.isAboutFiles) == [false, true])
    }

    @Test("what no export writes is an error that names the line")
    func malformed() throws {
        let good = Self.header + row("a", 1)
        for (text, error) in [
            ("", CSVError.otherColumns), ("name,value\r\n", .otherColumns),
            (Self.header + "a\r\n", .malformed(line: 2)), (good + row("a", 1), .unsorted(line: 3)),
            (good + "x\"y,\r\n", .malformed(line: 3)), (good + "\"open", .malformed(line: 3)),
            (Self.header.replacing("\r\n", with: "\n"), .malformed(line: 1)),
            (good + "2026", .malformed(line: 3)),
        ] {
            #expect(throws: error) { try differences(.inferences, text, good) }
            #expect(throws: error) { try differences(.inferences, good, text) }
        }
    }

    @Test("any two versions: the differences are those of the rows by key", arguments: 1...40)
    func seeded(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let names = ["", "'-", "'=", "a", "aa", "\"a,\"", "b", "é", "'''"]
        func version() -> [String: Int] {
            var rows: [String: Int] = [:]
            for name in names where Bool.random(using: &generator) {
                rows[name] = Int.random(in: 0..<3, using: &generator)
            }
            return rows
        }
        func meaning(_ name: String) -> [UInt8] {
            let bare = name.replacing("\"", with: "")
            return Array((bare.hasPrefix("'") ? String(bare.dropFirst()) : bare).utf8)
        }
        func file(_ rows: [String: Int]) -> String {
            Self.header
                + rows.sorted { meaning($0.key).lexicographicallyPrecedes(meaning($1.key)) }
                .map { row($0.key, $0.value) }.joined()
        }
        let (before, after) = (version(), version())
        let found = try differences(.inferences, file(before), file(after))
        let expected = Set(names.filter { before[$0] != after[$0] }.map(meaning))
        let keys = found.map { $0.key.first { $0.column == "subject" }?.bytes ?? [] }
        #expect(Set(keys) == expected && keys.count == expected.count)
    }

    @Test("rules come back from the package that an export writes", arguments: 1...30)
    func rules(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        func chance() -> Bool { Bool.random(using: &generator) }
        var tables = MetricsTables.empty
        tables.rules.window = [
            .hour, .day, .week, .month, .fixed(microseconds: 90_000_000),
        ].randomElement(using: &generator)!
        if chance() { tables.rules.timeZone = "Europe/Oslo" }
        tables.rules.by = [[.usage, .model, .os], [], [.app, .device]]
            .randomElement(using: &generator)!
        if chance() { tables.rules.gaps.everyUsage = 0 }
        if chance() { tables.rules.gaps.byUsage["a \"quoted\" usage"] = 7 }
        if chance() { tables.rules.since = -1 }
        if chance() { tables.rules.until = 1_795_946_400_000_001 }
        if chance() { tables.rules.filters.systems = ["iOS 26.1", "macOS 26"] }
        if chance() { tables.rules.filters.outcomes = [.failed, .cancelled] }
        tables.rules.groupCountMax = 5
        let bytes = tables.packageBytes
        let read = try #require(DataPackage.rules(in: bytes))
        #expect(read.since == tables.rules.since && read.filters == tables.rules.filters)
        var copy = tables
        copy.rules = read
        #expect(copy.packageBytes == bytes)
        for usage in ["in_app_message_suppression", "scene_text_input", "a \"quoted\" usage"] {
            #expect(read.gaps.gap(of: usage) == tables.rules.gaps.gap(of: usage))
        }
    }

    @Test("a package without the rules, or with ones that cannot be, gives none")
    func noRules() {
        let good = String(decoding: MetricsTables.empty.packageBytes, as: UTF8.self)
        #expect(DataPackage.rules(in: Array(good.utf8)) != nil)
        for text in [
            "", "{}", "{\"rules\":{}}", "[]", String(good.dropLast(5)),
            good.replacing("3600s", with: "0s"), good.replacing("3600s", with: "9223372036854775s"),
            good.replacing("\"usage\", ", with: "\"colour\", "),
        ] {
            #expect(DataPackage.rules(in: Array(text.utf8)) == nil, "\(text.prefix(40))")
        }
    }
}
