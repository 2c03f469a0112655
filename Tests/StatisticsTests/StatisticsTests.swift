// Published and hand-computed values; tools/statistics compares with SciPy besides.

import EvalogText
import Statistics
import Testing

@Suite("Statistics") struct StatisticsTests {
    private func rounded(_ interval: Interval?) -> [Double] {
        guard let interval else { return [] }
        return [interval.low, interval.high].map { ($0 * 10_000).rounded() / 10_000 }
    }

    @Test("Wilson's interval, at the ends exactly 0 and 1")
    func wilson() throws {
        // Newcombe, "Two-sided confidence intervals for the single proportion", 1998, table I.
        #expect(rounded(Proportion(81, of: 263)?.interval) == [0.2553, 0.3662])
        #expect(rounded(Proportion(15, of: 148)?.interval) == [0.0624, 0.1605])
        #expect(Proportion(0, of: 20)?.interval.low == 0)
        #expect(rounded(Proportion(0, of: 20)?.interval) == [0, 0.1611])
        #expect(Proportion(29, of: 29)?.interval.high == 1)
        #expect(rounded(Proportion(1, of: 29)?.interval) == [0.0061, 0.1718])
    }

    @Test("there is no share of nothing, and none of more than all")
    func none() {
        #expect(Proportion(0, of: 0) == nil)
        #expect(Proportion(3, of: 2) == nil)
        #expect(Proportion(-1, of: 2) == nil)
        #expect(PairedCounts().difference == nil)
    }

    @Test("Newcombe's interval of two samples, which turns with them")
    func difference() throws {
        // Newcombe, "Interval estimation for the difference", 1998, table II (a), method 10.
        let one = try #require(Proportion(56, of: 70))
        let other = try #require(Proportion(48, of: 80))
        #expect(rounded(one.difference(from: other)) == [0.0524, 0.3339])
        #expect(rounded(other.difference(from: one)) == [-0.3339, -0.0524])
        let none = try #require(Proportion(0, of: 10))
        let few = try #require(Proportion(0, of: 20))
        #expect(rounded(none.difference(from: few)) == [-0.1611, 0.2775])
    }

    @Test("Newcombe's interval of pairs, which turns with them")
    func paired() {
        // Newcombe, "Improved confidence intervals for the difference", 1998, method 10.
        let pairs = PairedCounts(both: 36, onlyFirst: 2, onlySecond: 12, neither: 0)
        #expect(rounded(pairs.difference) == [0.0569, 0.3404])
        let turned = PairedCounts(both: 36, onlyFirst: 12, onlySecond: 2, neither: 0)
        #expect(rounded(turned.difference) == [-0.3404, -0.0569])
        let same = PairedCounts(both: 20, onlyFirst: 0, onlySecond: 0, neither: 30)
        #expect(same.difference.map { $0.low < 0 && $0.high > 0 } == true)
    }

    @Test(
        "McNemar's exact p is twice the smaller tail of so many coins",
        arguments: [
            (0, 0, 1), (0, 5, 0.0625), (6, 0, 0.03125), (1, 1, 1), (2, 2, 1), (3, 2, 1),
            (10, 2, 0.03857421875), (2, 1, 1), (1, 7, 0.0703125),
        ] as [(Int, Int, Double)])
    func mcNemar(first: Int, second: Int, expected: Double) {
        let pairs = PairedCounts(both: 9, onlyFirst: first, onlySecond: second, neither: 4)
        #expect(abs(pairs.exactP - expected) < 1e-15)
    }

    @Test("many changed cases neither overflow nor vanish")
    func manyChanges() {
        let even = PairedCounts(
            both: 0, onlyFirst: 500_000, onlySecond: 500_000, neither: 0)
        #expect(even.exactP == 1)
        let lost = PairedCounts(both: 0, onlyFirst: 900, onlySecond: 100, neither: 0)
        #expect(lost.exactP > 0 && lost.exactP < 1e-150)
        let all = PairedCounts(both: 0, onlyFirst: 100_000, onlySecond: 0, neither: 0)
        #expect(all.exactP == 0)
    }

    @Test("cases are counted by what came out each time")
    func counting() {
        var pairs = PairedCounts()
        for (first, second) in [(true, true), (true, false), (true, false), (false, true)] {
            pairs.add(first: first, second: second)
        }
        pairs.add(first: false, second: false)
        #expect(pairs == PairedCounts(both: 1, onlyFirst: 2, onlySecond: 1, neither: 1))
        #expect(pairs.first == Proportion(3, of: 5))
        #expect(pairs.second == Proportion(2, of: 5))
    }

    @Test("the bootstrap gives the same interval for the same seed, about the figure")
    func bootstrap() throws {
        let values = (1...40).map(Double.init)
        func interval(seed: UInt64) -> Interval? {
            var random = SplitMix64(seed: seed)
            return Bootstrap.interval(of: values.count, using: &random) { drawn in
                median(drawn.map { values[$0] }) ?? .nan
            }
        }
        let found = try #require(interval(seed: 7))
        #expect(interval(seed: 7) == found)
        #expect(interval(seed: 8) != found)
        #expect(found.low < 20.5 && found.high > 20.5)
        #expect(found.low > 8 && found.high < 33)
    }

    @Test("a figure that does not vary has an interval without width, and one case has none")
    func bootstrapOfConstants() {
        var random = SplitMix64(seed: 1)
        #expect(Bootstrap.interval(of: 5, using: &random) { _ in 3 } == Interval(low: 3, high: 3))
        #expect(Bootstrap.interval(of: 1, using: &random) { _ in 3 } == nil)
        #expect(Bootstrap.interval(of: 0, using: &random) { _ in 3 } == nil)
    }

    @Test("the median of an even count is between the middle ones")
    func medians() {
        #expect(median([]) == nil)
        #expect(median([3, 1, 2]) == 2)
        #expect(median([4, 1, 3, 2]) == 2.5)
    }

    @Test("corrections for many tests keep the places of their values")
    func corrections() {
        // The example of R's p.adjust.
        let values = [0.01, 0.04, 0.03, 0.005]
        #expect(
            ManyTests.holm(values).map { ($0 * 1e9).rounded() / 1e9 } == [0.03, 0.06, 0.06, 0.02])
        #expect(
            ManyTests.benjaminiHochberg(values).map { ($0 * 1e9).rounded() / 1e9 }
                == [0.02, 0.04, 0.04, 0.02])
        #expect(ManyTests.holm([0.9, 0.8]) == [1, 1])
        #expect(ManyTests.benjaminiHochberg([0.9, 0.8]) == [0.9, 0.9])
        #expect(ManyTests.holm([]).isEmpty && ManyTests.benjaminiHochberg([]).isEmpty)
    }
}
