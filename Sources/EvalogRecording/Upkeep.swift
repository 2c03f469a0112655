// What keeps a log in order on a device where nobody runs a command: bounded portions of maintenance,
// off the path of whoever records.

import Dispatch
import EvalogContent
import EvalogLog

/// Maintains a recorder's log when it is opened, when a segment is full, and once a day.
final class Upkeep: Sendable {
    private struct State {
        var isPaused = false
        var isUnderWay = false
        /// Monotonic time of the next portion without another cause.
        var dueAt = Int64.max
    }

    private let directory: LogDirectory
    private let rules: MaintenanceRules
    private let options: WriterOptions
    private let state = Monitor(State())
    private let portions = DispatchGroup()

    /// - Parameter options: Of the log's writer. With a thread, work runs beside the caller; else before its
    ///   calls return.
    init(_ directory: LogDirectory, contentDays: Int, options: WriterOptions) {
        self.directory = directory
        rules = .inBackground(contentDays: contentDays)
        self.options = options
    }

    /// Sees to it that a portion is done soon, unless one is under way or upkeep is paused.
    func begin() {
        let isNeeded = state.withLock { state in
            state.dueAt = options.clock.monotonicTime() + RecordingLimits.upkeepAge
            defer { state.isUnderWay = state.isUnderWay || !state.isPaused }
            return !state.isUnderWay && !state.isPaused
        }
        guard isNeeded else { return }
        if options.hasThread {
            DispatchQueue.global(qos: .utility).async(group: portions) { [self] in work() }
        } else {
            work()
        }
    }

    /// The same, if it is a day since the last.
    func beginIfDue() {
        if state.withLock({ $0.dueAt }) <= options.clock.monotonicTime() { begin() }
    }

    /// Begins no portion until ``resume()``. One that is under way ends at the next block, or once the
    /// file that it is about to name has its name.
    func pause() { state.withLock { $0.isPaused = true } }

    func resume() { state.withLock { $0.isPaused = false } }

    /// Returns when no portion is under way and no file is open for one.
    func waitForEnd() { portions.wait() }

    private func work() {
        defer { state.withLock { $0.isUnderWay = false } }
        // What cannot be done now is left for the next time, as is what somebody else is at.
        guard let lock = try? MaintenanceLock(directory) else { return }
        // Nothing has its time while it runs that it had not when that was looked at.
        let clock = StoppedClock(options.clock, at: options.clock.wallTime())
        let timing = MaintenanceTiming(clock: clock)
        // Content first: it has the shorter time.
        for stream in [ContentAccess.stream, .facts] {
            // Without what stands for them facts do not go.
            if stream == .facts, (try? keepNotes(at: clock.wallTime())) == nil { return }
            _ = LogMaintainer(lock, stream, rules: rules, timing: timing).run(
                budget: .inBackground, shouldStop: { self.isPaused })
        }
    }

    private var isPaused: Bool { state.withLock { $0.isPaused } }

    /// Appends what a report has to know of the facts that go.
    private func keepNotes(at now: Int64) throws {
        let limit = rules.limit(for: .facts, at: now)
        let oldest = try LogCatalog.scan(
            directory, .facts, countMax: rules.lookCount, wholeUpTo: rules.lookByteCount)
        guard oldest.hasSegment(appendedBefore: limit) else { return }
        var random = SystemRandomNumberGenerator()
        try RetentionNotes(of: directory, before: limit, using: &random) { self.isPaused }?
            .append(options: options)
    }
}
