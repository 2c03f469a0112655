// Which events a summary counts: those of windows that are over, each in one summary only, so that
// no two summaries of a window can be compared, whose difference would tell about few sessions.

/// What the summaries before have come to.
package struct SummaryProgress: Equatable, Sendable {
    /// Where the last window told ends, in µs since 1970; nil before the first summary.
    package var reportedUntil: Int64?
    /// Of events from before it nobody knows any more whether they were told; nil: of all.
    package var forgottenUntil: Int64?

    package init(reportedUntil: Int64? = nil, forgottenUntil: Int64? = nil) {
        self.reportedUntil = reportedUntil
        self.forgottenUntil = forgottenUntil
    }
}

/// The events that a summary counts.
package struct DueEvents: Sendable {
    /// Events with the windows that they count in.
    package private(set) var events: [(window: ReportWindow, event: VendorEvent)] = []
    /// Events whose window is not over.
    package private(set) var waitingCount = 0
    /// Events that came when nobody knew any more whether they were told.
    package private(set) var forgottenCount = 0

    /// Where the last window ends that is due; nil where none has ended since the last summary.
    package static func end(
        after progress: SummaryProgress, now: Int64, window: (Int64) -> ReportWindow
    ) -> Int64? {
        let end = window(now).start
        return progress.reportedUntil.map { end <= $0 } ?? false ? nil : end
    }

    /// Finds what is due.
    ///
    /// An event that came too late for its window counts in the first that is due now. Windows that
    /// begin before the last summary's end are cut there, so that any length may follow any other.
    ///
    /// - Parameters:
    ///   - screened: All events of the log, with those that had their turn.
    ///   - end: From ``end(after:now:window:)``; later windows wait.
    ///   - window: The window of a time.
    package init(
        of screened: Screened, after progress: SummaryProgress, until end: Int64,
        window: (Int64) -> ReportWindow
    ) {
        let first = progress.reportedUntil.map { ReportWindow(start: $0, end: window($0).end) }
        for event in screened.events {
            let time = event.time.microseconds
            if screened.past.contains(event.key) { continue }
            if time >= end {
                waitingCount += 1
            } else if let forgotten = progress.forgottenUntil, time < forgotten {
                forgottenCount += 1
            } else if let first, time < first.end {
                events.append((first, event))
            } else {
                events.append((window(time), event))
            }
        }
    }
}
