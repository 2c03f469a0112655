import EvalogLog

/// A clock that stands, for a log that was written at a time of the test's choice.
package struct StandingClock: LogClock {
    /// Microseconds since 1970 UTC.
    private let time: Int64

    package init(time: Int64) { self.time = time }

    package func wallTime() -> Int64 { time }
    package func monotonicTime() -> Int64 { time }
}
