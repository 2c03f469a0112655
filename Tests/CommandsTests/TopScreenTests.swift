// The screen of evalog top, driven by keys, facts and time, without a terminal.

import EvalogFacts
import EvalogMetrics
import EvalogText
import TestSupport
import Testing

@testable import Commands

@Suite("TopScreen") struct TopScreenTests {
    private static let now: Int64 = 1_795_946_400_000_000

    private func screen(_ facts: [EvaluationFact] = [], log: String = "log") -> TopScreen {
        var screen = TopScreen(log: log, filters: FactFilters())
        var decoder = FactDecoder()
        for fact in facts {
            var line: [UInt8] = []
            Fact.evaluation(fact).encode(into: &line)
            line.withUnsafeBytes { bytes in
                if let view = try? decoder.decode(bytes) {
                    screen.table.add(view, now: Self.now)
                }
            }
        }
        return screen
    }

    private func fact(
        _ id: UInt64, secondsAgo: Int64 = 1, model: String = "m", outcome: Outcome = .completed,
        duration: Int64 = 1_000
    ) -> EvaluationFact {
        var fact = EvaluationFact(
            id: UniqueID(high: 0x7000, low: id), time: Self.now - secondsAgo * 1_000_000,
            usage: "usage", outcome: outcome, attempts: 1)
        fact.model = model
        fact.duration = duration
        if outcome == .failed { fact.error = .timeout }
        return fact
    }

    private func lines(_ screen: TopScreen, _ width: Int = 200, _ height: Int = 24) -> [String] {
        screen.lines(fitting: TopScreen.Size(width: width, height: height), now: Self.now)
    }

    private func type(_ keys: String, _ screen: inout TopScreen) -> [TopScreen.Action] {
        keys.map { screen.press($0) }
    }

    @Test("q quits, w and s go forward, W and S back, other keys do nothing")
    func keys() {
        var screen = screen()
        #expect(type("q", &screen) == [.quit] && type("Q", &screen) == [.quit])
        #expect(screen.windowName == "15m" && screen.sort == .rate)
        #expect(type("w", &screen) == [.redraw])
        #expect(screen.windowName == "1h")
        _ = type("wwwW", &screen)
        #expect(screen.windowName == "24h")
        _ = type("w", &screen)
        #expect(screen.windowName == "1m")
        _ = type("ss", &screen)
        #expect(screen.sort == .p95)
        _ = type("SSS", &screen)
        #expect(screen.sort == .name)
        let before = screen
        #expect(type("xX1 \u{7F}", &screen).allSatisfy { $0 == .nothing })
        #expect(screen.sort == before.sort && screen.windowName == before.windowName)
    }

    @Test("each order has its group on top, ties by name")
    func sorting() {
        var screen = screen(
            (0..<5).map { fact($0, model: "many", duration: 10) }
                + [
                    fact(10, model: "bad", outcome: .failed),
                    fact(11, model: "slow", duration: 9_000_000),
                ]
                + [fact(12, model: "also", duration: 20), fact(13, model: "also", duration: 20)])
        func top() -> String {
            lines(screen)[4].split(separator: " ").dropFirst().first.map(String.init) ?? ""
        }
        var tops: [String] = []
        for _ in TopScreen.Sort.allCases {
            tops.append(top())
            _ = screen.press("s")
        }
        #expect(tops == ["many", "bad", "slow", "also"])
    }

    @Test("the window decides what is shown, and the heading says which it is")
    func windows() {
        var screen = screen([fact(1, secondsAgo: 30), fact(2, secondsAgo: 7_200, model: "old")])
        #expect(lines(screen)[0].contains("last 15m"))
        #expect(!lines(screen).contains { $0.contains("old") })
        _ = type("ww", &screen)
        #expect(lines(screen)[0].contains("last 6h"))
        #expect(lines(screen).contains { $0.contains("old") })
        #expect(lines(screen)[1].contains("2 evaluations"))
    }

    @Test(
        "nothing is larger than the terminal, however small it is",
        arguments: [(200, 24), (80, 24), (40, 10), (20, 5), (10, 3), (1, 1), (0, 0), (500, 2)])
    func sizes(width: Int, height: Int) {
        let screen = screen(
            (0..<40).map { fact(UInt64($0), model: "model-\($0)", outcome: .failed) })
        let found = lines(screen, width, height)
        #expect(found.count == height)
        #expect(found.allSatisfy { $0.count <= width })
        if width >= 40, height >= 10 {
            #expect(found.last?.hasPrefix("q quit") == true)
            #expect(found.contains { $0.hasPrefix("… ") && $0.hasSuffix("more") })
            #expect(found[3].contains("failure rate"))
        }
    }

    @Test("rows have rate, failure rate with interval, percentiles, age and failures")
    func row() {
        let screen = screen(
            (0..<9).map { fact($0, secondsAgo: 5) } + [fact(9, secondsAgo: 5, outcome: .failed)])
        let row = lines(screen)[4]
        for part in ["10.00 %", "1.79 % – 40.42 %", "1 ms", "5 s", "timeout 1"] {
            #expect(row.contains(part), "\(part): \(row)")
        }
        #expect(screen.text(now: Self.now).contains("10 evaluations  1 failed  newest 5 s ago"))
        #expect(!screen.text(now: Self.now).contains("q quit"))
    }

    @Test("an empty log says so")
    func empty() {
        let text = screen().text(now: Self.now)
        #expect(text.contains("No evaluations in the last 15m."))
        #expect(text.contains("none in the last 24 h"))
    }

    @Test("late facts, unreadable lines and damage are said")
    func notes() {
        var screen = screen([fact(1, secondsAgo: 200_000)])
        screen.table.countUnreadable()
        screen.isDamaged = true
        #expect(lines(screen)[1].contains("1 late  1 line unreadable  damaged"))
    }

    @Test("nothing steers the terminal")
    func control() {
        let found = lines(screen(log: "a\u{1B}[2J\u{9B}b\n\u{202E}"))
        #expect(
            found.allSatisfy { line in
                !line.unicodeScalars.contains {
                    $0.value < 0x20 || (0x7F...0x9F).contains($0.value)
                }
                    && !line.contains("\u{202E}")
            })
    }
}

@Suite("KeyReader") struct KeyReaderTests {
    private func keys(_ text: String) -> String {
        var reader = KeyReader()
        return String(text.utf8.compactMap { reader.key($0) })
    }

    @Test(
        "arrows and function keys are no letters, wherever they stand",
        arguments: [
            ("q", "q"), ("\u{1B}[Aq", "q"), ("\u{1B}OQs", "s"), ("\u{1B}[15~w", "w"),
            ("\u{1B}[1;5Dw", "w"), ("\u{1B}\u{1B}[Aw", "w"), ("\u{1B}q", ""), ("\u{1B}qq", "q"),
            ("s\u{1B}[Bs\r\t\u{3}", "ss"), ("é", ""),
        ])
    func sequences(bytes: String, expected: String) {
        #expect(keys(bytes) == expected)
    }

    @Test(
        "a rate shows as many digits as tell something",
        arguments: [
            (0, "0"), (0.000_4, "<0.001"), (0.004, "0.004"), (0.016, "0.016"), (0.0999, "0.10"),
            (3.14159, "3.14"), (9.994, "9.99"),
            (9.996, "10.0"), (12.34, "12.3"), (99.94, "99.9"), (99.96, "100"), (1_234.5, "1,235"),
            (.nan, "-"), (.infinity, "-"), (-1, "-"),
        ] as [(Double, String)])
    func rates(value: Double, text: String) {
        #expect(Figures.rate(value) == text)
    }

    @Test(
        "a length is told to its last digit",
        arguments: [
            (0, "0 s"), (1, "0.000001 s"), (80_500_000, "1 min 20.5 s"), (1_800_000_000, "30 min"),
            (1_800_000_001, "30 min 0.000001 s"), (90_061_000_000, "1 d 1 h 1 min 1 s"),
        ] as [(Int64, String)])
    func lengths(microseconds: Int64, text: String) {
        #expect(Figures.exactly(microseconds) == text)
    }
}
