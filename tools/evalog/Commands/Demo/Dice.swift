// Randomness that a seed decides.

import EvalogText

/// What the seed decides of a day.
typealias Dice = SplitMix64

extension SplitMix64 {
    /// Not `Int.random`, whose way of using bits may change with the standard library. The bias of
    /// a remainder does not matter here.
    mutating func roll(_ range: ClosedRange<Int>) -> Int {
        range.lowerBound + Int(next() % UInt64(range.count))
    }
}
