// Bins as the histograms of other formats.

import EvalogMetrics
import Foundation
import TestSupport
import Testing

@Suite("histograms of other formats") struct HistogramEdgesTests {
    @Test(
        "an edge splits values to within the error of a bin", arguments: Histogram.conventionalEdges
    )
    func edges(edge: UInt64) {
        for (value, isBelow) in [(edge - edge / 400, true), (edge + edge / 400, false)] {
            var histogram = Histogram()
            histogram.add(value)
            #expect(histogram.counts(upTo: [edge]) == [isBelow ? 1 : 0], "\(value)")
        }
    }

    @Test("edges count everything once, in their order")
    func everything() {
        var generator = SeededGenerator(seed: 3)
        var histogram = Histogram()
        for _ in 0..<5_000 { histogram.add(generator.next() >> UInt64(30 + generator.next() % 30)) }
        let counts = histogram.counts(upTo: Histogram.conventionalEdges + [.max])
        #expect(counts == counts.sorted() && counts.last == 5_000)
    }

    @Test(
        "a value is in the bucket that the data model says, to within the error of a bin",
        arguments: [1, 7, 10_000, 999_999, 1_000_000, 1_048_576, 86_400_000_000] as [UInt64])
    func bucket(value: UInt64) {
        var histogram = Histogram()
        histogram.add(value)
        let found = histogram.exponential
        #expect(found.counts == [1] && found.zeroCount == 0)
        let lower = pow(2, Double(found.offset) / 32)
        let upper = pow(2, Double(found.offset + 1) / 32)
        let seconds = Double(value) / 1e6
        #expect(lower * 0.998 <= seconds && seconds <= upper * 1.002)
    }

    @Test("no value is lost, and zero has a count of its own")
    func counts() {
        var generator = SeededGenerator(seed: 4)
        var histogram = Histogram()
        histogram.add(0)
        histogram.add(0)
        for _ in 0..<5_000 {
            histogram.add(1 + generator.next() >> UInt64(28 + generator.next() % 30))
        }
        let found = histogram.exponential
        #expect(found.zeroCount == 2)
        #expect(found.counts.reduce(0, +) == 5_000)
        #expect(found.counts.first != 0 && found.counts.last != 0)
    }

    @Test("of nothing there is nothing")
    func nothing() {
        #expect(Histogram().exponential.counts.isEmpty && Histogram().exponential.zeroCount == 0)
        #expect(Histogram().counts(upTo: [5]) == [0])
    }
}
