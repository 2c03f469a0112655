// Percentiles against exact ones, and merging in every order.

import EvalogMetrics
import TestSupport
import Testing

@Suite("Histogram") struct HistogramTests {
    private func histogram(_ values: some Sequence<UInt64>) -> Histogram {
        var histogram = Histogram()
        for value in values { histogram.add(value) }
        return histogram
    }

    private func exact(_ sorted: [UInt64], _ percent: Int) -> UInt64 {
        sorted[(percent * sorted.count + 99) / 100 - 1]
    }

    private func values(seed: UInt64) -> [UInt64] {
        var generator = SeededGenerator(seed: seed)
        return (0..<Int.random(in: 1...400, using: &generator)).map { _ in
            let top = UInt64.random(in: 1...86_400_000_000, using: &generator)
            let shift = UInt64.random(in: 0...36, using: &generator)
            return UInt64.random(in: 0...(top >> shift), using: &generator)
        }
    }

    @Test("a bin holds exactly the values from its lower bound for its width")
    func bins() {
        for value in Array(UInt64(0)...5_000) + [86_399_999_999, 86_400_000_000, 1 << 40, .max] {
            let bin = HistogramBins.bin(of: value)
            let (lower, width) = (HistogramBins.lower(of: bin), HistogramBins.width(of: bin))
            #expect(lower <= value && value - lower < width)
        }
        for bin in 0..<8_000 {
            let lower = HistogramBins.lower(of: bin)
            #expect(HistogramBins.bin(of: lower) == bin)
            #expect(HistogramBins.lower(of: bin + 1) == lower + HistogramBins.width(of: bin))
        }
    }

    @Test("every value below 512 has a bin of its own, 512 and 513 share one")
    func exactBins() {
        #expect((0..<512).allSatisfy { HistogramBins.width(of: $0) == 1 })
        #expect(HistogramBins.bin(of: 512) == HistogramBins.bin(of: 513))
        #expect(HistogramBins.bin(of: 513) != HistogramBins.bin(of: 514))
    }

    @Test("percentiles are within 0.2 % of the exact ones", arguments: 0..<UInt64(100))
    func accuracy(seed: UInt64) {
        let sorted = values(seed: seed).sorted()
        let percents = [1, 50, 90, 95, 99, 100]
        for (percent, found) in zip(percents, histogram(sorted).percentiles(percents)) {
            let wanted = exact(sorted, percent)
            let difference = wanted > found ? wanted - found : found - wanted
            #expect(Double(difference) <= 0.002 * Double(wanted), "p\(percent)")
        }
    }

    @Test("1 to 1000 ms give each percentile its own value")
    func distinct() {
        let found = histogram((1...1_000).map { UInt64($0 * 1_000) })
        for (value, wanted) in zip(
            found.percentiles([50, 90, 95, 99]), [500_000, 900_000, 950_000, 990_000])
        {
            #expect(abs(Int(value) - wanted) * 500 <= wanted)
        }
        #expect(Set(found.percentiles([50, 90, 95, 99])).count == 4)
        #expect(found.mean == 500_500)
        #expect(found.min == 1_000 && found.max == 1_000_000)
    }

    @Test("one value is every percentile of itself, exactly")
    func single() {
        for value: UInt64 in [0, 511, 1_500_000, 86_400_000_000] {
            let one = histogram([value])
            #expect(one.percentiles([1, 50, 99, 100]) == [value, value, value, value])
            #expect(one.mean == value)
        }
    }

    @Test("an empty histogram has no percentile and no mean")
    func empty() {
        #expect(Histogram().percentiles([50]).isEmpty)
        #expect(Histogram().mean == nil)
    }

    @Test("the mean is rounded half up")
    func mean() {
        #expect(histogram([1, 2]).mean == 2)
        #expect(histogram([1, 1, 2]).mean == 1)
        #expect(histogram([0, 1, 1]).mean == 1)
    }

    @Test("merging is commutative, associative, and empty is neutral", arguments: 0..<UInt64(30))
    func merging(seed: UInt64) {
        let parts = (0..<3).map { values(seed: seed &* 3 &+ $0) }
        let histograms = parts.map { histogram($0) } + [Histogram(), histogram([0, 0])]
        let all = histogram(parts.joined().map { $0 } + [0, 0])
        for order in [[0, 1, 2, 3, 4], [4, 3, 2, 1, 0], [2, 4, 0, 3, 1]] {
            var merged = Histogram()
            for place in order { merged.merge(histograms[place]) }
            #expect(merged == all)
        }
        var right = histograms[1]
        right.merge(histograms[2])
        var left = histograms[0]
        left.merge(right)
        left.merge(histograms[4])
        #expect(left == all)
    }

    @Test("ten thousand histograms of one value each merge into that of all values")
    func manySmall() {
        let values = (0..<10_000).map { UInt64($0 * $0) }
        var merged = Histogram()
        for value in values { merged.merge(histogram([value])) }
        #expect(merged == histogram(values))
    }

    @Test("a week of two unequal days has the percentiles of all its values, not their average")
    func pooled() {
        var week = histogram(repeatElement(10_000, count: 1_000))
        week.merge(histogram(repeatElement(2_000_000, count: 10)))
        let found = week.percentiles([50, 95, 100])
        #expect(found[0] == found[1])
        #expect(abs(Int(found[0]) - 10_000) <= 20)
        #expect(abs(Int(found[2]) - 2_000_000) <= 4_000)
        #expect(week.max == 2_000_000)
    }

    @Test("sums beyond 64 bits are exact")
    func largeSums() {
        var sum = histogram([UInt64.max >> 1])
        for _ in 0..<10 {
            let copy = sum
            sum.merge(copy)
        }
        #expect(sum.sum == UInt128(UInt64.max >> 1) * 1_024)
        #expect(sum.mean == UInt64.max >> 1)
    }
}
