// Whether two samples of clusters differ by more than chance: the clusters are dealt out to the sides again
// and again, as they might have come if nothing had changed.

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension TwoSamples {
    /// Enough for a p-value near the usual levels to be known to a tenth.
    package static let dealsAboveMax = 100

    /// The p-value of the hypothesis that it does not matter on which side a cluster is.
    ///
    /// A permutation test whose unit is the cluster, so what its members have in common does not matter; it
    /// assumes nothing of how they are distributed. The statistic is `Σ T² / p` over the
    /// categories, where `p` is the share of all members and `T = Σ (x − p·n)` over the candidate's
    /// clusters of `n` members, `x` of them of the category. With one member in each cluster it is Pearson's
    /// χ² but for a factor, and for two categories the test is Fisher's but for how two-sided is meant. Deals are
    /// drawn until enough of them are as extreme, or for `dealCount`: valid at any level, whichever
    /// happens (Besag and Clifford, "Sequential Monte Carlo p-values", 1991). Kinds of clusters are dealt, not
    /// clusters: O(deals · kinds).
    package func permutationP(
        dealCount: Int, using random: inout some RandomNumberGenerator
    ) -> Double {
        guard let deck = ClusterDeck(self) else { return 1 }
        // Sums of the same terms in another order are not to count as less.
        let observed = deck.statistic(deck.observed) * (1 - 1e-9)
        var reached = 0
        for deal in 1...max(1, dealCount) {
            if deck.statistic(deck.deal(using: &random)) >= observed { reached += 1 }
            if reached == Self.dealsAboveMax { return Double(reached) / Double(deal) }
        }
        return Double(reached + 1) / Double(max(1, dealCount) + 1)
    }

    /// The least p-value that these clusters could have, however they had been dealt out: the chance of the
    /// deal that gives one side as much of a category as it can have, or as little. 1 where all deals are alike.
    ///
    /// It does not depend on the sides that the clusters are on, so tests may be chosen by it.
    package var leastP: Double { ClusterDeck(self)?.leastChance ?? 1 }

    static func angle(_ share: Double) -> Double { 2 * asin(share.squareRoot()) }
}

/// Kinds of clusters with their scores, ready to be dealt.
private struct ClusterDeck {
    /// How many clusters there are of each kind, the most frequent kind last.
    private let counts: [Int]
    /// For each kind by how much a cluster has more of each category than the shares of all let expect.
    private let scores: [[Double]]
    private let shares: [Double]
    /// How many clusters of each kind are on the smaller side.
    let observed: [Int]
    private let dealt: Int
    private let logFactorials: [Double]

    /// Nil where no deal differs from another.
    init?(_ samples: TwoSamples) {
        let sides = TwoSamples.Side.allCases
        guard let side = sides.min(by: { samples.clusterCount($0) < samples.clusterCount($1) }),
            samples.clusterCount(side) > 0
        else { return nil }
        // The most frequent kind takes what is left and needs no draw.
        let kinds = samples.kinds.enumerated().sorted {
            ($0.element.total, $0.offset) < ($1.element.total, $1.offset)
        }.map(\.element)
        counts = kinds.map(\.total)
        observed = kinds.map { $0.clusters[side.rawValue] }
        dealt = samples.clusterCount(side)
        let all = Double(sides.reduce(0) { $0 + samples.count($1) })
        shares = (0..<samples.categoryCount).map { category in
            Double(sides.reduce(0) { $0 + samples.count(category, $1) }) / all
        }
        scores = kinds.map { [shares] kind in
            zip(kind.members, shares).map { Double($0) - $1 * Double(kind.size) }
        }
        guard scores.contains(where: { $0.contains { abs($0) > 1e-9 } }) else { return nil }
        var sums = [0.0]
        for number in 1...counts.reduce(0, +) {
            sums.append(sums[number - 1] + log(Double(number)))
        }
        logFactorials = sums
    }

    func statistic(_ deal: [Int]) -> Double {
        var sum = 0.0
        for (category, share) in shares.enumerated() where share > 0 {
            var total = 0.0
            for (kind, number) in deal.enumerated() where number > 0 {
                total += Double(number) * scores[kind][category]
            }
            sum += total * total / share
        }
        return sum
    }

    func deal(using random: inout some RandomNumberGenerator) -> [Int] {
        var deal: [Int] = []
        deal.reserveCapacity(counts.count)
        var (left, wanted) = (counts.reduce(0, +), dealt)
        for count in counts {
            let number = hypergeometric(count, of: left, drawn: wanted, using: &random)
            deal.append(number)
            left -= count
            wanted -= number
        }
        return deal
    }

    /// How many of `marked` clusters are among `drawn` ones of all: the distribution is walked from its
    /// peak outwards, so it takes about as many steps as it is wide.
    private func hypergeometric(
        _ marked: Int, of all: Int, drawn: Int, using random: inout some RandomNumberGenerator
    ) -> Int {
        let (least, most) = (max(0, drawn + marked - all), min(marked, drawn))
        guard least < most else { return least }
        let peak = min(most, max(least, (marked + 1) * (drawn + 1) / (all + 2)))
        var rest = Double(random.next() >> 11) * 0x1p-53
        let chance = exp(
            logChoose(marked, peak) + logChoose(all - marked, drawn - peak) - logChoose(all, drawn))
        if rest < chance { return peak }
        rest -= chance
        var (down, up) = (peak, peak)
        var (chanceDown, chanceUp) = (chance, chance)
        let others = all - marked - drawn
        while (up < most || down > least) && chanceUp + chanceDown > 1e-18 {
            if up < most {
                chanceUp *= Double(marked - up) * Double(drawn - up)
                chanceUp /= Double(up + 1) * Double(others + up + 1)
                up += 1
                if rest < chanceUp { return up }
                rest -= chanceUp
            } else {
                chanceUp = 0
            }
            if down > least {
                chanceDown *= Double(down) * Double(others + down)
                chanceDown /= Double(marked - down + 1) * Double(drawn - down + 1)
                down -= 1
                if rest < chanceDown { return down }
                rest -= chanceDown
            } else {
                chanceDown = 0
            }
        }
        // What rounding has left of 1.
        return peak
    }

    private func logChoose(_ all: Int, _ some: Int) -> Double {
        logFactorials[all] - logFactorials[some] - logFactorials[all - some]
    }

    var leastChance: Double {
        var least = 1.0
        for category in shares.indices {
            let ascending = counts.indices.sorted { scores[$0][category] < scores[$1][category] }
            least = min(least, chance(ofFirst: ascending, category))
            least = min(least, chance(ofFirst: ascending.reversed(), category))
        }
        return least
    }

    /// The chance of a deal of the first clusters in an order of their scores.
    private func chance(ofFirst kinds: [Int], _ category: Int) -> Double {
        var wanted = dealt
        var place = 0
        while place < kinds.count {
            // Kinds of one score are as good as each other.
            var (end, tied) = (place, 0)
            while end < kinds.count,
                abs(scores[kinds[end]][category] - scores[kinds[place]][category]) < 1e-9
            {
                tied += counts[kinds[end]]
                end += 1
            }
            if tied >= wanted {
                let all = counts.reduce(0, +)
                return exp(logChoose(tied, wanted) - logChoose(all, dealt))
            }
            wanted -= tied
            place = end
        }
        return 1
    }
}
