// Days, weeks and months as the clocks of a place show them, over changes of the clock.

import EvalogText

/// Windows that begin with the first instant of a local date.
///
/// A window runs from the first instant at which the place has reached the first date of a period
/// to the first instant at which it has reached the next one. So a day can have 23, 24 or 25 hours,
/// a date that a place skipped has no window, and an hour that repeats the evening before belongs
/// to the day that had already begun.
struct CalendarWindows {
    private static let daySeconds: Int64 = 86_400
    /// No place is or was farther from UTC than this.
    private static let offsetMax: Int64 = 16 * 3_600
    /// No place changes its clocks twice within this span.
    private static let step: Int64 = 3_600

    private let rule: WindowRule
    private let offsets: TimeZoneOffsets

    /// Nil for a fixed window, which has no calendar.
    init?(_ rule: WindowRule, _ offsets: TimeZoneOffsets) {
        if case .fixed = rule { return nil }
        self.rule = rule
        self.offsets = offsets
    }

    func window(of time: Int64) -> TimeWindow {
        let instant = Timestamp.floorDivide(time, Timestamp.microsecondsPerSecond)
        let local = instant + offsets.offset(atSecond: instant)
        var first = firstDay(Timestamp.floorDivide(local, Self.daySeconds))
        // The clock may have been put back over midnight: then the next period has begun already.
        if arrival(at: dayAfterPeriod(first)) <= instant { first = dayAfterPeriod(first) }
        var start = arrival(at: first)
        var end = arrival(at: dayAfterPeriod(first))
        while end <= start {
            // The whole period was skipped, as a day can be: it ends where it would have begun.
            first = dayAfterPeriod(first)
            start = arrival(at: first)
            end = arrival(at: dayAfterPeriod(first))
        }
        return TimeWindow(
            start: start * Timestamp.microsecondsPerSecond,
            end: end * Timestamp.microsecondsPerSecond)
    }

    /// The first day of the period that a day is in.
    private func firstDay(_ day: Int64) -> Int64 {
        switch rule {
        case .fixed, .day: return day
        case .week:
            // 1970-01-01 was a Thursday.
            return Timestamp.floorDivide(day + 3, 7) * 7 - 3
        case .month:
            let date = Timestamp.date(daysSince1970: day)
            return Timestamp.daysSince1970(year: date.year, month: date.month, day: 1)
        }
    }

    private func dayAfterPeriod(_ firstDay: Int64) -> Int64 {
        switch rule {
        case .fixed, .day: return firstDay + 1
        case .week: return firstDay + 7
        case .month:
            let date = Timestamp.date(daysSince1970: firstDay)
            return date.month == 12
                ? Timestamp.daysSince1970(year: date.year + 1, month: 1, day: 1)
                : Timestamp.daysSince1970(year: date.year, month: date.month + 1, day: 1)
        }
    }

    /// The first second at which the local date is `day` or later.
    private func arrival(at day: Int64) -> Int64 {
        let midnight = day * Self.daySeconds
        var pieceStart = midnight - Self.offsetMax
        var offset = offsets.offset(atSecond: pieceStart)
        while true {
            let next = pieceStart + Self.step
            let nextOffset = offsets.offset(atSecond: next)
            let change = offset == nextOffset ? next : changeSecond(pieceStart, next, from: offset)
            let candidate = max(pieceStart, midnight - offset)
            if candidate < change { return candidate }
            let afterChange = max(change, midnight - nextOffset)
            if afterChange < next { return afterChange }
            pieceStart = next
            offset = nextOffset
        }
    }

    /// The second in (low, high] at which the offset stops being `offset`.
    private func changeSecond(_ low: Int64, _ high: Int64, from offset: Int64) -> Int64 {
        var low = low
        var high = high
        while high - low > 1 {
            let middle = low + (high - low) / 2
            if offsets.offset(atSecond: middle) == offset { low = middle } else { high = middle }
        }
        return high
    }
}
