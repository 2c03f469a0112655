// Two samples side by side, whose members come in clusters that are not independent within: how far their
// shares lie apart, and whether by more than chance.

/// What clusters of two samples have of each of some categories.
///
/// A cluster (a session) is drawn as a whole, so everything here counts clusters as the units; with one
/// member in each it comes to what is known of independent members.
package struct TwoSamples: Sendable {
    package enum Side: Int, CaseIterable, Sendable {
        case baseline, candidate
    }

    /// Clusters that have the same of every category, by side.
    struct Kind: Sendable {
        var members: [Int]
        var clusters: [Int]

        var size: Int { members.reduce(0, +) }
        var total: Int { clusters.reduce(0, +) }
    }

    /// How many categories there are, at least two.
    package let categoryCount: Int
    private var places: [[Int]: Int] = [:]
    private var found: [Kind] = []

    package init(categories: Int) {
        categoryCount = categories
    }

    /// Adds a cluster by how many members of each category it has; one without any does not count.
    package mutating func add(_ members: [Int], to side: Side) {
        guard members.contains(where: { $0 > 0 }) else { return }
        let place = places[members] ?? found.count
        if place == found.count {
            places[members] = place
            found.append(Kind(members: members, clusters: [0, 0]))
        }
        found[place].clusters[side.rawValue] += 1
    }

    /// In an order that does not depend on that of the clusters.
    var kinds: [Kind] {
        found.sorted { $0.members.lexicographicallyPrecedes($1.members) }
    }

    // MARK: Shares

    package func clusterCount(_ side: Side) -> Int {
        found.reduce(0) { $0 + $1.clusters[side.rawValue] }
    }

    /// Members of a category.
    package func count(_ category: Int, _ side: Side) -> Int {
        found.reduce(0) { $0 + $1.members[category] * $1.clusters[side.rawValue] }
    }

    /// All members.
    package func count(_ side: Side) -> Int {
        found.reduce(0) { $0 + $1.size * $1.clusters[side.rawValue] }
    }

    /// The share of a category; nil without a member.
    ///
    /// Its size is that of as many independent members as would make the share vary as little: the members
    /// divided by the design effect, the variance of a ratio between clusters in units of the
    /// binomial one, at least 1 (Rao and Scott, "A simple method for the analysis of clustered binary data",
    /// 1992). A share of 0 or 1 does not show how much clusters differ: there all of a cluster count as
    /// one another's copies.
    package func share(_ category: Int, _ side: Side) -> SampleShare? {
        let total = count(side)
        guard total > 0 else { return nil }
        let n = Double(total)
        let share = Double(count(category, side)) / n
        let clusters = Double(clusterCount(side))
        var (squares, sizes) = (0.0, 0.0)
        for kind in kinds {
            let times = Double(kind.clusters[side.rawValue])
            let (size, of) = (Double(kind.size), Double(kind.members[category]))
            let rest = of - share * size
            squares += times * rest * rest
            sizes += times * size * size
        }
        let effect =
            share > 0 && share < 1 && clusters > 1
            ? clusters / (clusters - 1) * squares / (n * share * (1 - share)) : sizes / n
        return SampleShare(share, of: n / max(1, effect))
    }

    /// The interval of the candidate's share less the baseline's, as ``Proportion/difference(from:)`` with
    /// the sizes of ``share(_:_:)``; nil without members on both sides.
    package func difference(_ category: Int) -> Interval? {
        guard let before = share(category, .baseline), let after = share(category, .candidate)
        else { return nil }
        return after.difference(from: before)
    }

    /// The candidate's share of a category less the baseline's; nil without members on both sides.
    package func shareDifference(_ category: Int) -> Double? {
        guard let before = share(category, .baseline), let after = share(category, .candidate)
        else { return nil }
        return after.share - before.share
    }

    /// Whether all members of both sides are of one category.
    package var isAlike: Bool {
        (0..<categoryCount).count { category in
            found.contains { $0.members[category] > 0 }
        } <= 1
    }

    // MARK: Effect sizes

    /// Cohen's h: by how much the angles of two shares differ; 0.2 is small, 0.8 large.
    ///
    /// J. Cohen, "Statistical Power Analysis for the Behavioral Sciences", 1988, chapter 6.
    package func cohensH(_ category: Int) -> Double? {
        guard let before = share(category, .baseline), let after = share(category, .candidate)
        else { return nil }
        return Self.angle(after.share) - Self.angle(before.share)
    }

    /// Cramér's V of sides and categories, from 0 to 1; nil where there is nothing to compare.
    package var cramersV: Double? {
        let totals = Side.allCases.map { Double(count($0)) }
        let used = (0..<categoryCount).filter { category in
            Side.allCases.contains { count(category, $0) > 0 }
        }
        guard totals.allSatisfy({ $0 > 0 }), used.count > 1 else { return nil }
        let all = totals[0] + totals[1]
        var square = 0.0
        for category in used {
            let counts = Side.allCases.map { Double(count(category, $0)) }
            for (mine, total) in zip(counts, totals) {
                let expected = total * (counts[0] + counts[1]) / all
                square += (mine - expected) * (mine - expected) / expected
            }
        }
        // The smaller of rows and columns is two sides.
        return (square / all).squareRoot()
    }
}
