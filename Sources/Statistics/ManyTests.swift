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

    /// The tests that can say anything: all others could not reach the level, however they came out, when
    /// corrected for those that can.
    ///
    /// Chosen by the least p-values that are possible, never by those that came out, they are the only
    /// ones that need correcting for (R. E. Tarone, "A modified Bonferroni method for discrete data", 1990).
    ///
    /// - Returns: Their places, ascending.
    package static func testable(_ leastValues: [Double], level: Double) -> [Int] {
        for count in 1...max(1, leastValues.count) {
            let places = leastValues.indices.filter { leastValues[$0] <= level / Double(count) }
            if places.count <= count { return places }
        }
        return []
    }

    private static func ascending(_ values: [Double]) -> [Int] {
        values.indices.sorted { (values[$0], $0) < (values[$1], $1) }
    }
}
