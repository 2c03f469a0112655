// The figures of Statistics for questions on standard input, a line each: tools/statistics/check.py asks.

import EvalogText
import Statistics

while let line = readLine() {
    let words = line.split(separator: " ")
    guard let question = words.first else { continue }
    guard let figures = answer(String(question), words.dropFirst().compactMap { Double($0) }) else {
        print("?")
        continue
    }
    print(figures.map(\.description).joined(separator: " "))
}

/// Nil where there is no answer.
func answer(_ question: String, _ numbers: [Double]) -> [Double]? {
    let counts = numbers.map { Int(exactly: $0) ?? -1 }
    switch (question, counts.count) {
    case ("wilson", 2):
        return Proportion(counts[0], of: counts[1]).map { ends($0.interval) }
    case ("difference", 4):
        guard let one = Proportion(counts[0], of: counts[1]),
            let other = Proportion(counts[2], of: counts[3])
        else { return nil }
        return ends(one.difference(from: other))
    case ("paired", 4):
        let pairs = PairedCounts(
            both: counts[0], onlyFirst: counts[1], onlySecond: counts[2], neither: counts[3])
        return pairs.difference.map { ends($0) + [pairs.exactP] }
    case ("holm", _): return ManyTests.holm(numbers)
    case ("hochberg", _): return ManyTests.benjaminiHochberg(numbers)
    case ("clusters", 4...): return clusters(counts)
    case ("ranks", 2):
        // A missing end is 0.
        let found = OrderStatistics.ranks(
            of: numbers[0], count: counts[1], size: Double(counts[1]))
        return [found.low, found.high].map { Double($0 ?? 0) }
    case ("bootstrap", 2...):
        var random = SplitMix64(seed: UInt64(counts[0]))
        let values = Array(numbers.dropFirst(2))
        return Bootstrap.interval(of: values.count, resamples: counts[1], using: &random) { drawn in
            median(drawn.map { values[$0] }) ?? .nan
        }.map(ends)
    default: return nil
    }
}

/// Cramér's V, Cohen's h of the first category, the size of its candidate share, the p-value and the least
/// one; of categories, deals, a seed, and for each cluster its side and its members.
func clusters(_ numbers: [Int]) -> [Double]? {
    let (categories, deals) = (numbers[0], numbers[1])
    var random = SplitMix64(seed: UInt64(numbers[2]))
    var samples = TwoSamples(categories: categories)
    for start in stride(from: 3, to: numbers.count, by: categories + 1) {
        guard start + categories < numbers.count,
            let side = TwoSamples.Side(rawValue: numbers[start])
        else { return nil }
        samples.add(Array(numbers[start + 1...start + categories]), to: side)
    }
    guard let h = samples.cohensH(0), let size = samples.share(0, .candidate)?.size
    else { return nil }
    return [
        samples.cramersV ?? 0, h, size,
        samples.permutationP(dealCount: deals, using: &random), samples.leastP,
    ]
}

func ends(_ interval: Interval) -> [Double] { [interval.low, interval.high] }
