// The failure rate and its 95 % interval, as whole millionths.

/// A share of failures in millionths.
///
/// The operations and their order are part of the definition, for the last digit depends on them:
/// docs/metrics.md has them in words.
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
        guard total > 0 else { return nil }
        rate = Int((2_000_000 * Int128(failed) + Int128(total)) / (2 * Int128(total)))
        let z = 1.959963984540054
        let n = Double(total)
        let p = Double(failed) / n
        let zz = z * z
        let divisor = 1 + zz / n
        let centre = p + zz / (2 * n)
        let half = z * ((p * (1 - p) + zz / (4 * n)) / n).squareRoot()
        low = failed == 0 ? 0 : Self.millionths((centre - half) / divisor)
        high = completed == 0 ? 1_000_000 : Self.millionths((centre + half) / divisor)
    }

    private static func millionths(_ share: Double) -> Int {
        min(max(0, Int((share * 1_000_000 + 0.5).rounded(.down))), 1_000_000)
    }
}
