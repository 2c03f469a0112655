// Windows of equal length, and days, weeks and months where the clocks jump.

import EvalogMetrics
import EvalogText
import Foundation
import TestSupport
import Testing

@Suite("windows") struct WindowTests {
    private func time(_ text: String) -> Int64 { TableOracle.microseconds(text) }

    private func text(_ time: Int64) -> String {
        var bytes: [UInt8] = []
        Timestamp.appendSeconds(time, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    private func window(_ rule: WindowRule, _ zone: String, _ at: String) throws -> [String] {
        var grid = try WindowGrid(rule, timeZone: zone)
        let found = grid.window(of: time(at))
        return [text(found.start), text(found.end)]
    }

    @Test("windows before 1970 are floored toward the past")
    func negative() throws {
        #expect(
            try window(.hour, "UTC", "1969-12-31T23:59:59.999999Z")
                == ["1969-12-31T23:00:00Z", "1970-01-01T00:00:00Z"])
        #expect(
            try window(.hour, "UTC", "1969-12-31T23:00:00Z")
                == ["1969-12-31T23:00:00Z", "1970-01-01T00:00:00Z"])
        #expect(
            try window(.day, "UTC", "1969-12-31T23:00:00Z")
                == ["1969-12-31T00:00:00Z", "1970-01-01T00:00:00Z"])
    }

    @Test("twelve hours stay twelve hours over a change of the clock, whatever the time zone")
    func fixed() throws {
        #expect(
            try window(.fixed(microseconds: 43_200_000_000), "Europe/Oslo", "2018-03-25T01:30:00Z")
                == ["2018-03-25T00:00:00Z", "2018-03-25T12:00:00Z"])
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var rule: WindowRule
        var zone: String
        var time: String
        var start: String
        var end: String
        var testDescription: String { "\(rule) \(zone) \(time)" }
    }

    static let cases = [
        // Europe/Oslo: 23 hours, then 25.
        Case(
            rule: .day, zone: "Europe/Oslo", time: "2026-03-29T12:00:00Z",
            start: "2026-03-28T23:00:00Z", end: "2026-03-29T22:00:00Z"),
        Case(
            rule: .day, zone: "Europe/Oslo", time: "2026-10-25T22:59:59.999999Z",
            start: "2026-10-24T22:00:00Z", end: "2026-10-25T23:00:00Z"),
        Case(
            rule: .week, zone: "Europe/Oslo", time: "2026-03-29T12:00:00Z",
            start: "2026-03-22T23:00:00Z", end: "2026-03-29T22:00:00Z"),
        Case(
            rule: .week, zone: "Europe/Oslo", time: "2026-10-19T00:00:00Z",
            start: "2026-10-18T22:00:00Z", end: "2026-10-25T23:00:00Z"),
        Case(
            rule: .month, zone: "Europe/Oslo", time: "2026-03-31T21:59:59Z",
            start: "2026-02-28T23:00:00Z", end: "2026-03-31T22:00:00Z"),
        // America/New_York.
        Case(
            rule: .day, zone: "America/New_York", time: "2026-03-08T12:00:00Z",
            start: "2026-03-08T05:00:00Z", end: "2026-03-09T04:00:00Z"),
        Case(
            rule: .day, zone: "America/New_York", time: "2026-11-01T12:00:00Z",
            start: "2026-11-01T04:00:00Z", end: "2026-11-02T05:00:00Z"),
        Case(
            rule: .week, zone: "America/New_York", time: "2025-03-09T12:00:00Z",
            start: "2025-03-03T05:00:00Z", end: "2025-03-10T04:00:00Z"),
        Case(
            rule: .week, zone: "America/New_York", time: "2026-11-01T12:00:00Z",
            start: "2026-10-26T04:00:00Z", end: "2026-11-02T05:00:00Z"),
        // Pacific/Apia went from 29 to 31 December 2011.
        Case(
            rule: .day, zone: "Pacific/Apia", time: "2011-12-30T09:59:59Z",
            start: "2011-12-29T10:00:00Z", end: "2011-12-30T10:00:00Z"),
        Case(
            rule: .day, zone: "Pacific/Apia", time: "2011-12-30T10:00:00Z",
            start: "2011-12-30T10:00:00Z", end: "2011-12-31T10:00:00Z"),
        Case(
            rule: .week, zone: "Pacific/Apia", time: "2011-12-30T10:00:00Z",
            start: "2011-12-26T10:00:00Z", end: "2012-01-01T10:00:00Z"),
        // America/St_Johns put its clocks back at 00:01: the evening came twice, the day went on.
        Case(
            rule: .day, zone: "America/St_Johns", time: "2006-10-29T03:00:00Z",
            start: "2006-10-29T02:30:00Z", end: "2006-10-30T03:30:00Z"),
        // America/Sao_Paulo had no midnight on that day.
        Case(
            rule: .day, zone: "America/Sao_Paulo", time: "2018-11-04T12:00:00Z",
            start: "2018-11-04T03:00:00Z", end: "2018-11-05T02:00:00Z"),
        Case(
            rule: .month, zone: "UTC", time: "2024-02-29T23:59:59Z",
            start: "2024-02-01T00:00:00Z", end: "2024-03-01T00:00:00Z"),
        Case(
            rule: .month, zone: "UTC", time: "2026-12-31T23:59:59Z",
            start: "2026-12-01T00:00:00Z", end: "2027-01-01T00:00:00Z"),
        Case(
            rule: .week, zone: "UTC", time: "1969-12-28T23:59:59Z",
            start: "1969-12-22T00:00:00Z", end: "1969-12-29T00:00:00Z"),
    ]

    @Test("the window begins and ends where the local dates do", arguments: cases)
    func calendar(_ test: Case) throws {
        #expect(try window(test.rule, test.zone, test.time) == [test.start, test.end])
    }

    @Test(
        "days tile time, and change exactly where a later date than ever before is reached",
        arguments: [
            ("Europe/Oslo", "2026-03-27T00:00:00Z"), ("Europe/Oslo", "2026-10-23T00:00:00Z"),
            ("America/New_York", "2026-03-06T00:00:00Z"),
            ("America/New_York", "2026-10-30T00:00:00Z"),
            ("Pacific/Apia", "2011-12-28T00:00:00Z"), ("America/St_Johns", "2006-10-27T00:00:00Z"),
            ("America/Sao_Paulo", "2018-11-02T00:00:00Z"),
            ("Australia/Lord_Howe", "2026-04-03T00:00:00Z"),
            ("Asia/Kathmandu", "1985-12-30T00:00:00Z"),
        ])
    func tiling(zone: String, from start: String) throws {
        var grid = try WindowGrid(.day, timeZone: zone)
        let place = try #require(TimeZone(identifier: zone))
        var latest = Int64.min
        var window: TimeWindow?
        for minute in 0..<Int64(6 * 1_440) {
            let instant = time(start) + minute * 60_000_000
            let offset = Int64(
                place.secondsFromGMT(
                    for: Date(timeIntervalSince1970: Double(instant) / 1_000_000)))
            let date = Timestamp.floorDivide(instant / 1_000_000 + offset, 86_400)
            let found = grid.window(of: instant)
            #expect(found.contains(instant))
            if let window, date <= latest {
                #expect(found == window)
            } else if let window {
                #expect(found.start == instant && found.start == window.end)
            }
            latest = max(latest, date)
            window = found
        }
    }

    @Test("the window of a time does not depend on the times asked for before")
    func order() throws {
        var generator = SeededGenerator(seed: 3)
        var times = (0..<500).map { _ in
            Int64.random(in: 1_700_000_000...1_800_000_000, using: &generator) * 1_000_000
        }
        var grid = try WindowGrid(.week, timeZone: "America/New_York")
        let first = times.map { grid.window(of: $0) }
        let pairs = Dictionary(zip(times, first), uniquingKeysWith: { left, _ in left })
        times.shuffle(using: &generator)
        var other = try WindowGrid(.week, timeZone: "America/New_York")
        #expect(times.allSatisfy { other.window(of: $0) == pairs[$0] })
    }

    @Test("an unknown time zone is refused")
    func unknownZone() {
        // Abbreviations mean several places, and distances have no rules.
        for name in ["BST", "IST", "PST", "GMT+1", "UTC+3", "+01:00", ""] {
            #expect(throws: MetricsError.unknownTimeZone(identifier: name)) {
                try WindowGrid(.day, timeZone: name)
            }
        }
        #expect(throws: Never.self) {
            for name in ["UTC", "GMT", "Europe/Oslo", "Etc/GMT+1", "America/Argentina/Ushuaia"] {
                _ = try WindowGrid(.day, timeZone: name)
            }
        }
        #expect(throws: MetricsError.unknownTimeZone(identifier: "Mars/Base")) {
            try WindowGrid(.day, timeZone: "Mars/Base")
        }
    }

    @Test("rules that make no sense are refused before anything is read")
    func badRules() {
        func error(_ change: (inout MetricsRules) -> Void) -> MetricsError? {
            var rules = MetricsRules()
            change(&rules)
            do {
                try rules.validate()
                return nil
            } catch {
                return error
            }
        }
        #expect(error { _ in } == nil)
        #expect(error { $0.window = .fixed(microseconds: 0) } == .windowOutOfRange(microseconds: 0))
        #expect(
            error { $0.window = .fixed(microseconds: 1_500_000) }
                == .windowOutOfRange(microseconds: 1_500_000))
        #expect(error { $0.gaps.everyUsage = -1 } == .negativeGap(microseconds: -1))
        #expect(error { $0.groupCountMax = 0 } == .groupCountOutOfRange(0))
        #expect(error { $0.by = [.os, .usage, .os] } == .repeatedDimension(.os))
    }
}
