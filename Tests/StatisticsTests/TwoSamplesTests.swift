// Clusters of two samples: what they come to without clusters, and that chance alone rarely alarms.

import EvalogText
import Statistics
import Testing

@Suite("TwoSamples") struct TwoSamplesTests {
    /// Clusters of one member each.
    private func singles(_ baseline: [Int], _ candidate: [Int]) -> TwoSamples {
        var samples = TwoSamples(categories: baseline.count)
        for (side, counts) in zip(TwoSamples.Side.allCases, [baseline, candidate]) {
            for (category, count) in counts.enumerated() {
                var member = [Int](repeating: 0, count: counts.count)
                member[category] = 1
                for _ in 0..<count { samples.add(member, to: side) }
            }
        }
        return samples
    }

    @Test("of clusters of one the difference is Newcombe's of as many trials")
    func independent() throws {
        let samples = singles([7, 43], [19, 31])
        // A sample's variance has n − 1 below: the size is a little less than the count.
        let size = try #require(samples.share(0, .baseline)?.size)
        #expect(size <= 50 && size >= 49)
        let found = try #require(samples.difference(0))
        let expected = try #require(
            Proportion(19, of: 50)?.difference(from: Proportion(7, of: 50)!))
        #expect(abs(found.low - expected.low) < 0.005 && abs(found.high - expected.high) < 0.005)
    }

    @Test("members that are copies of one another are as good as one")
    func copies() throws {
        var samples = TwoSamples(categories: 2)
        for number in 0..<40 {
            let side = number < 20 ? TwoSamples.Side.baseline : .candidate
            samples.add(number % 4 == 0 ? [5, 0] : [0, 5], to: side)
        }
        let share = try #require(samples.share(0, .candidate))
        #expect(share.share == 0.25 && share.size > 18.5 && share.size <= 20)
        // And so where all are alike, which shows nothing of clusters.
        var alike = TwoSamples(categories: 2)
        for _ in 0..<20 { alike.add([0, 5], to: .baseline) }
        #expect(alike.share(0, .baseline)?.size == 20 && alike.isAlike)
    }

    @Test("the least p-value is the chance of the most extreme deal")
    func least() {
        // Three of three against none of three: one of C(6, 3) deals.
        #expect(abs(singles([0, 3], [3, 0]).leastP - 1.0 / 20) < 1e-12)
        #expect(abs(singles([1, 2], [2, 1]).leastP - 1.0 / 20) < 1e-12)
        #expect(singles([0, 9], [0, 9]).leastP == 1)
        #expect(singles([0, 9], [0, 0]).leastP == 1)
        // One hit among 100 clusters of each side: either side may have it.
        #expect(abs(singles([0, 100], [1, 99]).leastP - 0.5) < 1e-9)
    }

    @Test("a test that no outcome could decide is left out, before the outcome is known")
    func testable() {
        #expect(ManyTests.testable([0.6, 0.001, 1], level: 0.05) == [1])
        #expect(ManyTests.testable([0.04, 0.04], level: 0.05) == [])
        #expect(ManyTests.testable([0.04, 0.02], level: 0.05) == [1])
        #expect(ManyTests.testable([0.02, 0.02], level: 0.05) == [0, 1])
        #expect(ManyTests.testable([], level: 0.05) == [])
    }

    @Test("the same generator gives the same p-value, whatever the order of the clusters")
    func order() {
        var clusters = (0..<60).map { ([$0 % 3, 2 + $0 % 5], TwoSamples.Side(rawValue: $0 % 2)!) }
        func p() -> Double {
            var samples = TwoSamples(categories: 2)
            for (members, side) in clusters { samples.add(members, to: side) }
            var random = SplitMix64(seed: 7)
            return samples.permutationP(dealCount: 999, using: &random)
        }
        let first = p()
        clusters.reverse()
        #expect(p() == first)
    }

    /// A session that fails nearly always or nearly never, and is long or short.
    private func session(using random: inout SplitMix64) -> (hits: Int, size: Int) {
        func uniform() -> Double { Double(random.next() >> 11) * 0x1p-53 }
        let chance = uniform() < 0.3 ? 0.9 : 0.05
        let size = 1 + Int(uniform() * 12)
        return ((0..<size).reduce(0) { sum, _ in sum + (uniform() < chance ? 1 : 0) }, size)
    }

    @Test("intervals of clusters hold the difference as often as they say, those of members do not")
    func coverage() throws {
        var random = SplitMix64(seed: 12)
        var (held, naive) = (0, 0)
        let repetitions = 500
        for _ in 0..<repetitions {
            var samples = TwoSamples(categories: 2)
            for number in 0..<120 {
                let (hits, size) = session(using: &random)
                samples.add([hits, size - hits], to: number % 2 == 0 ? .baseline : .candidate)
            }
            let interval = try #require(samples.difference(0))
            if interval.low <= 0 && 0 <= interval.high { held += 1 }
            let shares = TwoSamples.Side.allCases.map {
                Proportion(samples.count(0, $0), of: samples.count($0))!
            }
            let independent = shares[1].difference(from: shares[0])
            if independent.low <= 0 && 0 <= independent.high { naive += 1 }
        }
        // Four standard errors of 95 %.
        #expect(Double(held) / Double(repetitions) >= 0.95 - 4 * 0.00975, "\(held)")
        #expect(Double(naive) / Double(repetitions) < 0.8, "\(naive)")
    }

    @Test(
        "chance alone alarms no more often than the level says, however alike clusters are within")
    func falseAlarms() {
        var random = SplitMix64(seed: 11)
        var (alarms, naive) = (0, 0)
        let repetitions = 400
        for _ in 0..<repetitions {
            var (samples, members) = (TwoSamples(categories: 2), TwoSamples(categories: 2))
            for number in 0..<40 {
                let side = number % 2 == 0 ? TwoSamples.Side.baseline : .candidate
                let (hits, size) = session(using: &random)
                samples.add([hits, size - hits], to: side)
                for _ in 0..<hits { members.add([1, 0], to: side) }
                for _ in hits..<size { members.add([0, 1], to: side) }
            }
            if samples.permutationP(dealCount: 999, using: &random) <= 0.05 { alarms += 1 }
            if members.permutationP(dealCount: 999, using: &random) <= 0.05 { naive += 1 }
        }
        // Four standard errors of 5 %.
        #expect(Double(alarms) / Double(repetitions) <= 0.05 + 4 * 0.0109)
        // Evaluations taken for independent would alarm several times as often.
        #expect(naive > 3 * alarms && naive > repetitions / 10)
    }

    @Test("ranks around a percentile leave 2.5 % at each end, and none where there are too few")
    func ranks() {
        // Known from tables: the median of 10 values lies between the 2nd and the 9th with 97.9 %.
        #expect(OrderStatistics.ranks(of: 0.5, count: 10, size: 10) == (2, 9))
        #expect(OrderStatistics.ranks(of: 0.5, count: 5, size: 5) == (nil, nil))
        #expect(OrderStatistics.ranks(of: 0.95, count: 50, size: 50).high == nil)
        #expect(OrderStatistics.ranks(of: 0.95, count: 100, size: 100).high == 100)
        // Half as many independent values: as wide as for half the count.
        let half = OrderStatistics.ranks(of: 0.5, count: 200, size: 100)
        let few = OrderStatistics.ranks(of: 0.5, count: 100, size: 100)
        #expect(half.low == few.low.map { 2 * $0 } && half.high == few.high.map { 2 * $0 })
        let many = OrderStatistics.ranks(of: 0.5, count: 1_000_000, size: 1_000_000)
        #expect(many.low! > 499_000 && many.low! < 499_050)
    }
}
