// What a recorder is made of, and the ids that it draws.

import EvalogLog
import EvalogText

/// The parts of a recorder that never change.
struct RecorderSetup: Sendable {
    let directory: LogDirectory
    let content: ContentRetention
    let device: DeviceDescription
    let options: WriterOptions
    /// 64 random bits a call.
    let random: @Sendable () -> UInt64
    let upkeep: Upkeep

    var now: Int64 { options.clock.wallTime() }

    /// An id for an evaluation that has none: version 7.
    func timeOrderedID(at time: Int64) -> UniqueID {
        var source = RandomSource(random: random)
        return .timeOrdered(microseconds: time, using: &source)
    }

    /// An id for an event that has none: version 4.
    func randomID() -> UniqueID {
        var source = RandomSource(random: random)
        return .random(using: &source)
    }
}

/// Randomness from a closure.
private struct RandomSource: RandomNumberGenerator {
    let random: @Sendable () -> UInt64

    mutating func next() -> UInt64 { random() }
}
