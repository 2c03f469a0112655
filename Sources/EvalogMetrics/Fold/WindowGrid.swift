// Cuts time into windows: equal ones, or the days, weeks and months of a time zone.

import EvalogText

/// A span of time, its end excluded, in microseconds since 1970-01-01T00:00:00Z.
package struct TimeWindow: Hashable, Sendable {
    /// The first microsecond.
    package var start: Int64
    /// The microsecond after the last.
    package var end: Int64

    /// A window of any length; the grid makes the ones that tile time.
    package init(start: Int64, end: Int64) {
        self.start = start
        self.end = end
    }

    /// Whether a time is not before the start and before the end.
    @inline(__always)
    package func contains(_ time: Int64) -> Bool { start <= time && time < end }
}

/// Finds the window of a time. Cheap for times near each other; keep one per thread.
package struct WindowGrid {
    private let rule: WindowRule
    private let calendar: CalendarWindows?
    private var latest = TimeWindow(start: 0, end: 0)
    /// Calendar windows met so far, by start.
    private var known: [TimeWindow] = []

    /// - Throws: ``MetricsError/unknownTimeZone(identifier:)``.
    package init(_ rule: WindowRule, timeZone: String) throws(MetricsError) {
        self.rule = rule
        let offsets = try TimeZoneOffsets(identifier: timeZone)
        calendar = CalendarWindows(rule, offsets)
    }

    /// The one window that contains a time.
    @inline(__always)
    package mutating func window(of time: Int64) -> TimeWindow {
        if !latest.contains(time) { latest = find(time) }
        return latest
    }

    private mutating func find(_ time: Int64) -> TimeWindow {
        guard let calendar else {
            guard case .fixed(let width) = rule else { preconditionFailure("no calendar") }
            let start = Timestamp.floorDivide(time, width) * width
            return TimeWindow(start: start, end: start + width)
        }
        var low = 0
        var high = known.count
        while low < high {
            let middle = (low + high) / 2
            if known[middle].end <= time { low = middle + 1 } else { high = middle }
        }
        if low < known.count && known[low].contains(time) { return known[low] }
        let found = calendar.window(of: time)
        known.insert(found, at: low)
        return found
    }
}
