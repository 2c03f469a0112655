// Time that passes with file calls, and jumps when a schedule says so.

import EvalogLog

/// The clocks of the simulated machine. Used on one thread.
final class SimulatedClock: LogClock, @unchecked Sendable {
    /// How coarse the times of files are: 4 ms, as on Linux.
    private static let tick: Int64 = 4_000_000

    private(set) var wall: Int64 = 1_795_947_330_123_456
    private(set) var monotonic: Int64 = 0

    func wallTime() -> Int64 { wall }
    func monotonicTime() -> Int64 { monotonic }

    func advance(by microseconds: Int64) {
        wall += microseconds
        monotonic += microseconds
    }

    /// Sets the wall clock ahead or back.
    func jump(by microseconds: Int64) { wall += microseconds }

    /// Nanoseconds since 1970, for times of files.
    var fileTime: Int64 { wall * 1_000 / Self.tick * Self.tick }
}
