// How far a figure would vary if the cases had been others: the cases are drawn again and again.

/// Resampling with the percentile method.
package enum Bootstrap {
    /// Enough for the ends of a 95 % interval to be steady to about a tenth of its width.
    package static let resampleCount = 2_000

    /// The 95 % interval of a figure of so many cases; nil for less than two, which do not vary.
    ///
    /// A case is drawn as a whole, so what belongs together (a pair) stays together. Percentile, not BCa: BCa's
    /// correction needs a jackknife, which is wrong for medians, and medians are what it is used for
    /// here. The interval of a mean of few skewed values is a little too narrow. The same generator gives the
    /// same interval on every machine. O(resamples · cost of `figure`).
    ///
    /// - Parameter figure: Computes the figure from cases by number, from 0; some are there several times.
    package static func interval(
        of caseCount: Int, resamples: Int = resampleCount,
        using random: inout some RandomNumberGenerator, figure: ([Int]) -> Double
    ) -> Interval? {
        guard caseCount > 1, resamples > 0 else { return nil }
        var figures: [Double] = []
        figures.reserveCapacity(resamples)
        var drawn = [Int](repeating: 0, count: caseCount)
        for _ in 0..<resamples {
            for place in drawn.indices { drawn[place] = random.number(below: caseCount) }
            figures.append(figure(drawn))
        }
        figures.sort()
        return Interval(
            low: quantile(0.025, ofSorted: figures), high: quantile(0.975, ofSorted: figures))
    }

    /// Between two values the quantile is interpolated.
    private static func quantile(_ share: Double, ofSorted values: [Double]) -> Double {
        let place = share * Double(values.count - 1)
        let below = Int(place)
        guard below + 1 < values.count else { return values[values.count - 1] }
        let rest = place - Double(below)
        return values[below] + (values[below + 1] - values[below]) * rest
    }
}

/// The middle of all values, between the two middle ones of an even count; nil without a value.
package func median(_ values: [Double]) -> Double? {
    guard !values.isEmpty else { return nil }
    let sorted = values.sorted()
    let middle = sorted.count / 2
    return sorted.count.isMultiple(of: 2)
        ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
}

extension RandomNumberGenerator {
    /// Drawn here, for what the standard library makes of a generator may change with its version. Off
    /// from even by less than `bound` in 2⁶⁴.
    fileprivate mutating func number(below bound: Int) -> Int {
        Int(next().multipliedFullWidth(by: UInt64(bound)).high)
    }
}
