// Times of all ages and spellings, against values worked out by hand and by counting days.

import EvalogText
import TestSupport
import Testing

@Suite("Timestamp") struct TimestampTests {
    private func parse(_ text: String) -> Int64? {
        Array(text.utf8).withUnsafeBytes { Timestamp.microseconds($0) }
    }

    private func format(_ time: Int64) -> String {
        var buffer: [UInt8] = []
        Timestamp.append(time, to: &buffer)
        return String(decoding: buffer, as: UTF8.self)
    }

    @Test(
        "a time of RFC 3339 is read to the microsecond",
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("1970-01-01T00:00:00.000001Z", 1),
            ("1969-12-31T23:59:59.999999Z", -1), ("1969-12-31T23:59:59.5Z", -500_000),
            ("2026-11-29T10:15:30.123456Z", 1_795_947_330_123_456),
            ("2026-11-29t10:15:30.123456z", 1_795_947_330_123_456),
            ("2026-11-29T11:45:30.123456+01:30", 1_795_947_330_123_456),
            ("2026-11-28T23:15:30.123456-11:00", 1_795_947_330_123_456),
            ("2026-11-29T10:15:30-00:00", 1_795_947_330_000_000),
            ("2026-11-29T10:15:30.1Z", 1_795_947_330_100_000),
            ("2026-11-29T10:15:30.123456999Z", 1_795_947_330_123_456),
            ("2026-11-29T10:15:30.1234567891234Z", 1_795_947_330_123_456),
            ("2262-04-11T23:47:16.854775Z", 9_223_372_036_854_775),
            ("2262-04-12T00:00:00Z", 9_223_372_800_000_000),
            ("1990-12-31T23:59:60Z", 662_688_000_000_000),
            ("1990-12-31T15:59:60.5-08:00", 662_688_000_500_000),
            ("2000-02-29T00:00:00Z", 951_782_400_000_000),
            ("0000-01-01T00:00:00Z", -62_167_219_200_000_000),
            ("9999-12-31T23:59:59.999999Z", 253_402_300_799_999_999),
        ])
    func read(text: String, expected: Int64) {
        #expect(parse(text) == expected)
    }

    @Test(
        "what is no time of RFC 3339 or none of the calendar is refused",
        arguments: [
            "", "2026-11-29", "2026-11-29T10:15:30", "2026-11-29 10:15:30Z",
            "2026-11-29T10:15:30.Z", "2026-11-29T10:15:30,5Z", "2026-11-29T10:15:30+0100",
            "2026-11-29T10:15:30+24:00", "2026-11-29T10:15:30+01:60", "2026-11-29T10:15:30ZZ",
            "2026-11-29T10:15:30Z ", " 2026-11-29T10:15:30Z", "2026-11-29T24:00:00Z",
            "2026-11-29T10:60:00Z", "2026-11-29T10:15:61Z", "2026-13-01T00:00:00Z",
            "2026-00-01T00:00:00Z", "2026-04-31T00:00:00Z", "2026-01-00T00:00:00Z",
            "2026-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2100-02-29T00:00:00Z",
            "-026-11-29T10:15:30Z", "+2026-11-29T10:15:30Z", "12026-11-29T10:15:30Z",
            "2026-11-29T10:15:3xZ", "0000-01-01T00:00:00+00:01", "9999-12-31T23:59:60Z",
            "9999-12-31T23:59:59-00:01", "2026-11-29T10:15:30.5", "2026-11-29T1:15:30Z0",
        ])
    func refused(text: String) {
        #expect(parse(text) == nil)
    }

    @Test("every day of the calendar is one after the day before it")
    func everyDay() {
        var expected: Int64 = -719_528
        for year in Int64(0)...9999 {
            for month in Int64(1)...12 {
                let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
                let count: Int64 =
                    month == 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
                for day in [1, count] {
                    let days = Timestamp.daysSince1970(year: year, month: month, day: day)
                    #expect(days == expected + day - 1)
                    #expect(Timestamp.date(daysSince1970: days) == (year, month, day))
                }
                expected += count
            }
        }
    }

    @Test("a written time is read as the same microsecond", arguments: 0..<10 as Range<UInt64>)
    func roundTrip(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<2_000 {
            let time = Int64.random(in: Timestamp.range, using: &random)
            let text = format(time)
            #expect(text.utf8.count == 27)
            #expect(parse(text) == time)
        }
    }

    @Test("seconds are those that the time lies in, before 1970 too")
    func seconds() {
        var buffer: [UInt8] = []
        Timestamp.appendSeconds(-1, to: &buffer)
        #expect(String(decoding: buffer, as: UTF8.self) == "1969-12-31T23:59:59Z")
    }

    @Test("a time outside of the years 0000 to 9999 is written as the nearer end")
    func clamped() {
        #expect(format(.min) == "0000-01-01T00:00:00.000000Z")
        #expect(format(.max) == "9999-12-31T23:59:59.999999Z")
    }
}
