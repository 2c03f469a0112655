// Numbers for people and from people, and text that cannot steer a terminal.

import Testing

@testable import Commands

@Suite("Figures") struct FiguresTests {
    @Test("counts are grouped by thousands, negative ones as well")
    func counts() {
        #expect(Figures.count(0) == "0")
        #expect(Figures.count(999) == "999")
        #expect(Figures.count(1_000) == "1,000")
        #expect(Figures.count(-1_234_567) == "-1,234,567")
        #expect(Figures.count(Int64.min) == "-9,223,372,036,854,775,808")
    }

    @Test(
        "lengths of time are understood with their unit only",
        arguments: [
            ("0", 0), ("500ms", 500_000), ("2s", 2_000_000), ("30m", 1_800_000_000),
            ("1h", 3_600_000_000), ("7d", 604_800_000_000), ("5", nil), ("-5m", nil), ("1.5h", nil),
            ("m", nil), ("", nil), ("99999999999999999999h", nil), ("500000000d", nil),
        ] as [(String, Int64?)])
    func durations(text: String, expected: Int64?) {
        #expect(Figures.parseDuration(text) == expected)
    }

    @Test("a time is a length ago, a date or RFC 3339")
    func times() {
        #expect(Figures.parseTime("15m", now: 1_000_000_000) == 100_000_000)
        #expect(Figures.parseTime("1970-01-02", now: 0) == 86_400_000_000)
        #expect(Figures.parseTime("1970-01-01T00:00:01+01:00", now: 0) == -3_599_000_000)
        #expect(Figures.parseTime("yesterday", now: 0) == nil)
    }

    @Test("sizes are understood in powers of 1,000 and of 1,024")
    func sizes() {
        #expect(Figures.parseBytes("1GiB") == 1_073_741_824)
        #expect(Figures.parseBytes("512MB") == 512_000_000)
        #expect(Figures.parseBytes("64") == 64)
        #expect(Figures.parseBytes("lots") == nil)
    }

    @Test("durations and shares read as people write them")
    func shown() {
        #expect(Figures.duration(1_500_000) == "1.50 s")
        #expect(Figures.duration(12_345) == "12 ms")
        #expect(Figures.percent(31_416) == "3.14 %")
        #expect(Figures.bytes(1_449_000) == "1.4 MB")
    }
}

@Suite("Printable") struct PrintableTests {
    @Test("no control character and no bidirectional mark reaches a terminal")
    func safe() {
        let hostile = "a\u{1B}[31m\r\nb\u{7F}\u{9B}\u{202E}\u{2066}"
        let shown = Printable.text(hostile)
        #expect(shown == "a\\u{1b}[31m\\u{d}\\u{a}b\\u{7f}\\u{9b}\\u{202e}\\u{2066}")
        #expect(Printable.text("Empfänger 漢字") == "Empfänger 漢字")
    }
}
