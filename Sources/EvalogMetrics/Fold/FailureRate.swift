// The failure rate and its 95 % interval, as whole millionths.

import Statistics

/// A share of failures in millionths.
///
/// How it is rounded is part of the definition: docs/metrics.md has it in words.
package struct FailureRate: Hashable, Sendable {
    /// Rounded half up, 0 to 1,000,000.
    package var rate: Int
    /// Lower end of the interval; 0 if nothing failed.
    package var low: Int
    /// Upper end of the interval; 1,000,000 if nothing completed.
    package var high: Int

    /// Nil without any evaluation that completed or failed.
    package init?(failed: Int, completed: Int) {
        let total = failed + completed
        guard let share = Proportion(failed, of: total) else { return nil }
        rate = Int((2_000_000 * Int128(failed) + Int128(total)) / (2 * Int128(total)))
        let interval = share.interval
        low = Self.millionths(interval.low)
        high = Self.millionths(interval.high)
    }

    private static func millionths(_ share: Double) -> Int {
        min(max(0, Int((share * 1_000_000 + 0.5).rounded(.down))), 1_000_000)
    }
}
