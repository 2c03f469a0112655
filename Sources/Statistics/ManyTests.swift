// Many tests at once: of a hundred at 5 %, five alarm for nothing.

/// P-values corrected for how many there are, each to be compared with the level of a single test.
package enum ManyTests {
    /// Holm's step-down: the chance of even one false alarm among all is at most the level, whatever the
    /// tests have to do with each other.
    package static func holm(_ values: [Double]) -> [Double] {
        var adjusted = values
        var greatest = 0.0
        for (rank, place) in ascending(values).enumerated() {
            greatest = max(greatest, min(1, values[place] * Double(values.count - rank)))
            adjusted[place] = greatest
        }
        return adjusted
    }

    /// Benjamini and Hochberg's step-up: the expected share of false ones among the alarms is at most the
    /// level, for tests that are independent or positively related.
    package static func benjaminiHochberg(_ values: [Double]) -> [Double] {
        var adjusted = values
        var least = 1.0
        for (rank, place) in ascending(values).enumerated().reversed() {
            least = min(least, values[place] * Double(values.count) / Double(rank + 1))
            adjusted[place] = least
        }
        return adjusted
    }

    private static func ascending(_ values: [Double]) -> [Int] {
        values.indices.sorted { (values[$0], $0) < (values[$1], $1) }
    }
}
