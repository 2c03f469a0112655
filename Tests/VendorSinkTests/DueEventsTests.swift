// A window is told once, after its end; what comes late counts in the next.

import TestSupport
import Testing
import VendorSink

@Suite("The events of a summary") struct DueEventsTests {
    private static let second: Int64 = 1_000_000
    private static let start: Int64 = 1_577_836_800_000_000

    private func hour(_ time: Int64) -> ReportWindow { window(time, seconds: 3_600) }

    private func window(_ time: Int64, seconds: Int64) -> ReportWindow {
        let width = seconds * Self.second
        return ReportWindow(start: time / width * width, end: time / width * width + width)
    }

    /// What summaries have read, and what they have come to.
    private struct Ledger: Equatable {
        var progress = SummaryProgress()
        var read: Set<String> = []
        var forgottenCount = 0
    }

    /// What is due, as (number of the event, start and end of its window in seconds).
    private func take(
        _ lines: [String], _ ledger: inout Ledger, now seconds: Int64,
        windowSeconds: Int64 = 3_600
    ) -> [[Int64]]? {
        let known = Lines.collect(lines.filter(ledger.read.contains))
        let windows = { self.window($0, seconds: windowSeconds) }
        let now = Self.start + seconds * Self.second
        guard let end = DueEvents.end(after: ledger.progress, now: now, window: windows) else {
            return nil
        }
        let past = known.events { $2 < ledger.progress.reportedUntil ?? .min }
        let due = DueEvents(
            of: Screening.screen(Lines.collect(lines), reviewed: nil, past: past),
            after: ledger.progress, until: end, window: windows)
        ledger.progress.reportedUntil = end
        ledger.read.formUnion(lines)
        ledger.forgottenCount = due.forgottenCount
        return due.events.map { window, event in
            [
                Int64(Lines.number(event)), (window.start - Self.start) / Self.second,
                (window.end - Self.start) / Self.second,
            ]
        }
    }

    private let lines = [
        Lines.suppression(1, at: 10), Lines.suppression(2, at: 3_599.999_999),
        Lines.inference(3, at: 3_600), Lines.inference(4, at: 7_300),
    ]

    @Test("only windows that are over are due, and only once")
    func once() {
        var ledger = Ledger()
        #expect(take(lines, &ledger, now: 3_599) == [])
        #expect(take(lines, &ledger, now: 3_600) == [[1, 0, 3_600], [2, 0, 3_600]])
        #expect(take(lines, &ledger, now: 7_199) == nil)
        #expect(take(lines, &ledger, now: 7_200) == [[3, 3_600, 7_200]])
        #expect(take(lines, &ledger, now: 20_000) == [[4, 7_200, 10_800]])
        #expect(take(lines, &ledger, now: 90_000) == [])
    }

    @Test("an event that came too late counts in the first window that is due after it")
    func late() {
        var ledger = Ledger()
        _ = take(lines, &ledger, now: 7_200)
        let more = lines + [Lines.suppression(5, at: 20), Lines.suppression(6, at: 4_000)]
        #expect(take(more, &ledger, now: 7_201) == nil)
        #expect(
            take(more, &ledger, now: 14_400)
                == [[5, 7_200, 10_800], [6, 7_200, 10_800], [4, 7_200, 10_800]])
        #expect(take(more, &ledger, now: 90_000) == [])
    }

    @Test("an event that was told is not told again by a copy of another time")
    func copies() {
        var ledger = Ledger()
        let (told, copy) = (Lines.suppression(1, at: 10), Lines.suppression(1, at: 5_000))
        _ = take([told], &ledger, now: 3_600)
        #expect(take([told, copy], &ledger, now: 14_400) == [])
    }

    @Test("an event that comes when nobody knows whether it was told is not told, and is counted")
    func forgotten() {
        var ledger = Ledger()
        _ = take([], &ledger, now: 7_200)
        ledger.progress.forgottenUntil = Self.start + 100 * Self.second
        let late = [Lines.suppression(1, at: 99.999_999), Lines.suppression(2, at: 100)]
        #expect(take(late, &ledger, now: 14_400) == [[2, 7_200, 10_800]])
        #expect(ledger.forgottenCount == 1)
        #expect(take(late, &ledger, now: 90_000) == [])
        #expect(ledger.forgottenCount == 0)
    }

    @Test("a submission that was told is not told again under an older event's id")
    func twins() {
        var ledger = Ledger()
        let told = Lines.suppression(5, at: 10, evaluation: 50)
        _ = take([told], &ledger, now: 3_600)
        let older = [Lines.suppression(6, at: 9, evaluation: 50)]
        let oldest = [Lines.suppression(7, at: 8, evaluation: 50)]
        #expect(take([told] + older + oldest, &ledger, now: 14_400) == [])
        var fresh = Ledger()
        #expect(take([told] + older + oldest, &fresh, now: 14_400) == [[7, 0, 3_600]])
    }

    @Test(
        "a submission that had its turn is not told under another id, though it is held back now"
    )
    func twinOfWithheld() {
        var ledger = Ledger()
        let first = Lines.suppression(5, at: 10, session: 1, evaluation: 50)
        let twin = Lines.suppression(6, at: 10, session: 2, evaluation: 50)
        _ = take([first], &ledger, now: 3_600)
        // A late fact holds the first one back, and not the second.
        let late = [Lines.stopped(99, at: 9, session: 1), twin]
        #expect(take([first] + late, &ledger, now: 14_400) == [])
    }

    @Test("an event that was withheld in its window does not come up later")
    func withheld() {
        var ledger = Ledger()
        let event = Lines.suppression(1, at: 10)
        let off = [Lines.gate(8, at: 5, isOn: false), Lines.gate(9, at: 15, isOn: true)]
        #expect(take([event] + off, &ledger, now: 3_600) == [])
        #expect(take([event], &ledger, now: 90_000) == [])
    }

    @Test("windows of another length begin where the last report ended")
    func otherLength() {
        var ledger = Ledger()
        _ = take(lines, &ledger, now: 3_600)
        #expect(
            take(lines, &ledger, now: 86_400, windowSeconds: 86_400)
                == [[3, 3_600, 86_400], [4, 3_600, 86_400]])
    }

    @Test(
        "whatever comes when, each event is told once, and no window of a summary overlaps another's",
        arguments: FuzzSeeds.first(40))
    func once(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var (ledger, known, told): (Ledger, [String], [[Int64]]) = (Ledger(), [], [])
        var windows: [[Range<Int64>]] = []
        var now: Int64 = 0
        for summary in 0..<8 {
            // Events of any time up to now, most of them late.
            for number in 0..<Int.random(in: 0...12, using: &random) {
                let id = 100 * summary + number + 1
                let second = Double(Int64.random(in: 0...max(1, now), using: &random))
                known.append(
                    Bool.random(using: &random)
                        ? Lines.suppression(id, at: second, session: id)
                        : Lines.inference(id, at: second, session: id))
            }
            now += Int64.random(in: 1...20_000, using: &random)
            let lengths: [Int64] = [600, 3_600, 7_200]
            let length = lengths.randomElement(using: &random)!
            let due = take(
                known.shuffled(using: &random), &ledger, now: now, windowSeconds: length)
            guard let due else { continue }
            told += due
            windows.append(Array(Set(due.map { $0[1]..<$0[2] })))
        }
        #expect(Set(told.map { $0[0] }).count == told.count)
        for (index, own) in windows.enumerated() {
            for other in windows[(index + 1)...].joined() {
                #expect(own.allSatisfy { !$0.overlaps(other) })
            }
        }
        _ = take(known, &ledger, now: 1_000_000).map { told += $0 }
        #expect(told.count == known.count)
    }

    @Test("a clock that was put back reports nothing")
    func clock() {
        var ledger = Ledger()
        _ = take(lines, &ledger, now: 7_200)
        let before = ledger
        #expect(take(lines + [Lines.suppression(5, at: 20)], &ledger, now: 3_600) == nil)
        #expect(ledger == before)
    }
}
