// Shares of successes and the difference of two, with 95 % intervals that hold for few cases and for
// shares of 0 and 1 too.

/// The ends of a two-sided 95 % interval.
package struct Interval: Hashable, Sendable {
    package var low: Double
    package var high: Double

    package init(low: Double, high: Double) {
        self.low = low
        self.high = high
    }

    /// The quantile of the normal distribution that leaves 2.5 % above it.
    package static let quantile = 1.959963984540054
}

/// So many successes of so many trials, at least one.
package struct Proportion: Hashable, Sendable {
    package let successes: Int
    package let total: Int

    /// Nil without a trial, and for counts that cannot be.
    package init?(_ successes: Int, of total: Int) {
        guard total > 0, 0...total ~= successes else { return nil }
        self.successes = successes
        self.total = total
    }

    /// From 0 to 1.
    package var share: Double { Double(successes) / Double(total) }

    /// Wilson's score interval.
    ///
    /// Exactly 0 below without a success, exactly 1 above without a failure. The operations and their
    /// order decide the last digit of what is printed: docs/metrics.md has them in words.
    package var interval: Interval { SampleShare(share, of: Double(total)).interval }

    /// The interval of this share less that of another sample, which has nothing to do with this one.
    ///
    /// Newcombe's square-and-add of two Wilson intervals ("Interval estimation for the difference between
    /// independent proportions", 1998, method 10).
    package func difference(from other: Self) -> Interval {
        sample.difference(from: other.sample)
    }

    fileprivate var sample: SampleShare { SampleShare(share, of: Double(total)) }
}

/// A share of a sample as large as so many independent trials, which need not be a whole number.
package struct SampleShare: Hashable, Sendable {
    package let share: Double
    package let size: Double

    /// - Parameters:
    ///   - share: From 0 to 1.
    ///   - size: Above 0.
    package init(_ share: Double, of size: Double) {
        self.share = share
        self.size = size
    }

    /// As ``Proportion/interval``.
    package var interval: Interval {
        let z = Interval.quantile
        let (n, p) = (size, share)
        let zz = z * z
        let divisor = 1 + zz / n
        let centre = p + zz / (2 * n)
        let half = z * ((p * (1 - p) + zz / (4 * n)) / n).squareRoot()
        return Interval(
            low: p == 0 ? 0 : (centre - half) / divisor,
            high: p == 1 ? 1 : (centre + half) / divisor)
    }

    /// As ``Proportion/difference(from:)``.
    package func difference(from other: Self) -> Interval {
        Self.difference(self, other, correlation: 0)
    }

    fileprivate static func difference(
        _ one: Self, _ other: Self, correlation: Double
    ) -> Interval {
        let (mine, its) = (one.interval, other.interval)
        let difference = one.share - other.share
        let (below, above) = (one.share - mine.low, mine.high - one.share)
        let (itsBelow, itsAbove) = (other.share - its.low, its.high - other.share)
        func distance(_ a: Double, _ b: Double) -> Double {
            // A rounding error must not make the square negative.
            max(0, a * a - 2 * correlation * a * b + b * b).squareRoot()
        }
        return Interval(
            low: difference - distance(below, itsAbove),
            high: difference + distance(above, itsBelow))
    }
}

/// The same cases tried twice, counted by what came out each time.
package struct PairedCounts: Hashable, Sendable {
    /// Successes both times.
    package var both = 0
    /// Successes that became failures.
    package var onlyFirst = 0
    /// Failures that became successes.
    package var onlySecond = 0
    /// Failures both times.
    package var neither = 0

    package init() {}

    package init(both: Int, onlyFirst: Int, onlySecond: Int, neither: Int) {
        self.both = both
        self.onlyFirst = onlyFirst
        self.onlySecond = onlySecond
        self.neither = neither
    }

    /// Counts one case.
    package mutating func add(first: Bool, second: Bool) {
        switch (first, second) {
        case (true, true): both += 1
        case (true, false): onlyFirst += 1
        case (false, true): onlySecond += 1
        case (false, false): neither += 1
        }
    }

    package var total: Int { both + onlyFirst + onlySecond + neither }

    /// Nil without a case.
    package var first: Proportion? { Proportion(both + onlyFirst, of: total) }
    /// Nil without a case.
    package var second: Proportion? { Proportion(both + onlySecond, of: total) }

    /// The interval of the second share less the first; nil without a case.
    ///
    /// Newcombe's square-and-add for pairs ("Improved confidence intervals for the difference between
    /// binomial proportions based on paired data", 1998, method 10): as for two samples, less what both
    /// have in common.
    package var difference: Interval? {
        guard let first, let second else { return nil }
        return SampleShare.difference(second.sample, first.sample, correlation: correlation)
    }

    /// Newcombe's corrected phi coefficient: a positive one counts half a case less.
    private var correlation: Double {
        let (a, b, c, d) = (Double(both), Double(onlySecond), Double(onlyFirst), Double(neither))
        let margins = (a + b) * (c + d) * (a + c) * (b + d)
        guard margins > 0 else { return 0 }
        var excess = a * d - b * c
        if excess > 0 { excess = max(excess - Double(total) / 2, 0) }
        return excess / margins.squareRoot()
    }
}
