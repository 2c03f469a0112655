// Randomness that a seed decides, so that a failing test can be run again.

import EvalogText

/// The workloads' generator, for tests of modules that are not to know it.
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var generator: SplitMix64

    package init(seed: UInt64) {
        generator = SplitMix64(seed: seed)
    }

    package mutating func next() -> UInt64 { generator.next() }
}
