// How sure a percentile is: between which of the values in order the one of the whole population lies.

package enum OrderStatistics {
    /// The ranks, from 1, of the values between which a quantile lies with at least 95 %; an end is nil where
    /// even the least or the greatest value is not far enough out.
    ///
    /// Nothing is assumed of the values but that they are independent: how many of them lie below the
    /// quantile is binomial, and each end leaves at most 2.5 %. For clusters `size` is the number of
    /// independent values that are as good (``TwoSamples/share(_:_:)``), as in Woodruff, "Confidence
    /// intervals for medians and other position measures", 1952. O(√count).
    ///
    /// - Parameters:
    ///   - share: The quantile, above 0 and below 1.
    ///   - count: How many values there are.
    ///   - size: At most `count`.
    package static func ranks(
        of share: Double, count: Int, size: Double
    ) -> (low: Int?, high: Int?) {
        let n = max(1, min(count, Int(size)))
        let (least, chances) = binomial(n, share)
        var (low, tail) = (least, 0.0)
        for chance in chances {
            tail += chance
            // `low` values below the quantile are too few to be chance: the next value is an end.
            if tail > 0.025 { break }
            low += 1
        }
        var high = least + chances.count
        tail = 0
        for chance in chances.reversed() {
            tail += chance
            if tail > 0.025 { break }
            high -= 1
        }
        return (
            low < 1 ? nil : max(1, scaled(low, count, n, .down)),
            high > n ? nil : min(count, scaled(high, count, n, .up))
        )
    }

    private static func scaled(
        _ rank: Int, _ count: Int, _ size: Int, _ rule: FloatingPointRoundingRule
    ) -> Int {
        size == count ? rank : Int((Double(rank) * Double(count) / Double(size)).rounded(rule))
    }

    /// The chances of a binomial distribution that are no less than 10⁻²⁰ of the greatest, from that of
    /// the first number on. Taken relative to the middle one, as in McNemar's test.
    private static func binomial(_ n: Int, _ share: Double) -> (first: Int, chances: [Double]) {
        let peak = min(n, Int(Double(n + 1) * share))
        let odds = share / (1 - share)
        var (below, above): ([Double], [Double]) = ([], [1])
        var (term, number) = (1.0, peak)
        while number > 0, term > 1e-20 {
            term *= Double(number) / (Double(n - number + 1) * odds)
            number -= 1
            below.append(term)
        }
        (term, number) = (1, peak)
        while number < n, term > 1e-20 {
            term *= Double(n - number) * odds / Double(number + 1)
            number += 1
            above.append(term)
        }
        let chances = below.reversed() + above
        let sum = chances.reduce(0, +)
        return (peak - below.count, chances.map { $0 / sum })
    }
}
