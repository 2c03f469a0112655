// The rows of quality.csv that are about facts; those about the log come from its reader.

/// Counts over distinct facts, but for one whatever the rules.
struct FactCounts {
    var evaluations = 0
    var unkeyed = 0
    var invalidDurations = 0
    var undecoded = 0
    var assumedTimes = 0
    var testResults = 0
    var refused: Int128 = 0
    /// The same in the range of the rules.
    var refusedInRange: Int128 = 0
    var timeRange: ClosedRange<Int64>?

    mutating func merge(_ other: Self) {
        evaluations += other.evaluations
        unkeyed += other.unkeyed
        invalidDurations += other.invalidDurations
        undecoded += other.undecoded
        assumedTimes += other.assumedTimes
        testResults += other.testResults
        refused += other.refused
        refusedInRange += other.refusedInRange
        if let range = other.timeRange { extend(to: range) }
    }

    mutating func extend(to range: ClosedRange<Int64>) {
        guard let known = timeRange else {
            timeRange = range
            return
        }
        timeRange =
            min(known.lowerBound, range.lowerBound)...max(known.upperBound, range.upperBound)
    }
}

/// All that quality.csv says about the lines and facts of a log.
struct QualityCounts {
    var lines = LineCounts()
    /// Distinct (type, id) of known types.
    var records = 0
    var conflicts = 0
    var facts = FactCounts()

    /// Always all of them, in this order.
    var rows: [QualityRow] {
        [
            QualityRow("lines", Int128(lines.lines)),
            QualityRow("records", Int128(records)),
            QualityRow("duplicates", Int128(lines.known - records)),
            QualityRow("conflicts", Int128(conflicts)),
            QualityRow("evaluations", Int128(facts.evaluations)),
            QualityRow("unkeyed", Int128(facts.unkeyed)),
            QualityRow("invalid_durations", Int128(facts.invalidDurations)),
            QualityRow("undecoded", Int128(facts.undecoded)),
            QualityRow("assumed_times", Int128(facts.assumedTimes)),
            QualityRow("misfit_values", Int128(lines.misfits)),
            QualityRow("unreadable_lines", Int128(lines.unreadable)),
            QualityRow("unknown_type_lines", Int128(lines.unknownType)),
            QualityRow("erased_lines", Int128(lines.erased)),
            QualityRow("refused", facts.refused),
        ]
    }
}
