// Whether the same cases come out differently the second time by more than chance.

extension PairedCounts {
    /// The p-value of McNemar's exact test, two-sided.
    ///
    /// If nothing has changed, a case that came out differently is as likely to have changed one way as
    /// the other: so this is twice the smaller tail of a binomial distribution with a chance of one half,
    /// at most 1. Not the mid-p variant: that one is more powerful, but gives more false alarms than its
    /// level says, and an alarm stops a release here. O(cases that changed).
    package var exactP: Double {
        let changed = onlyFirst + onlySecond
        guard changed > 0 else { return 1 }
        return min(1, 2 * Self.lowerTail(upTo: min(onlyFirst, onlySecond), of: changed))
    }

    /// The chance of at most so many heads of `count` coins.
    ///
    /// Terms are taken relative to the middle one, so that none overflows and nothing but products and
    /// sums is needed; those that are too small for a double do not matter to any sum.
    private static func lowerTail(upTo limit: Int, of count: Int) -> Double {
        let middle = count / 2
        var (tail, below) = (0.0, 0.0)
        var term = 1.0
        for heads in stride(from: middle, through: 0, by: -1) {
            below += term
            if heads <= limit { tail += term }
            if term == 0 { break }
            term *= Double(heads) / Double(count - heads + 1)
        }
        // The other half is the same terms, of which an even count has the middle one only once.
        let total = 2 * below - (count.isMultiple(of: 2) ? 1 : 0)
        return tail / total
    }
}
