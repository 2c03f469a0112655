// Time as a parameter: one clock for what is written down, one for how long things last.

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Both clocks the log needs, in microseconds.
package protocol LogClock: Sendable {
    /// Microseconds since 1970 UTC. May jump in either direction.
    func wallTime() -> Int64
    /// Microseconds since some fixed moment. Never runs backwards; measures ages.
    func monotonicTime() -> Int64
}

/// The clocks of the operating system.
package struct SystemClock: LogClock {
    package init() {}

    package func wallTime() -> Int64 { Self.read(CLOCK_REALTIME) }
    package func monotonicTime() -> Int64 { Self.read(CLOCK_MONOTONIC) }

    private static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
    }
}

/// A clock whose wall time stands still, for what is decided by it is decided once.
package struct StoppedClock: LogClock {
    private let time: Int64
    private let running: any LogClock

    package init(_ running: any LogClock = SystemClock(), at time: Int64) {
        self.time = time
        self.running = running
    }

    package func wallTime() -> Int64 { time }
    package func monotonicTime() -> Int64 { running.monotonicTime() }
}
