// One pass over the rows before the tables: what quality.csv counts, and how large each group is.

import EvalogFacts

/// Counts over distinct facts, whatever the rules, and evaluations per combination that pass them.
struct RowCensus {
    var evaluations = 0
    var unkeyed = 0
    var invalidDurations = 0
    var undecoded = 0
    var assumedTimes = 0
    var refused: Int128 = 0
    var timeRange: ClosedRange<Int64>?
    /// Evaluations in the range of the rules that pass all filters, by combination.
    var counted: [Int]
    /// Whether a combination has evaluations in the range that pass the filters but for the outcome:
    /// impressions can start with those.
    var isUsed: [Bool]

    init(combinationCount: Int) {
        counted = Array(repeating: 0, count: combinationCount)
        isUsed = Array(repeating: false, count: combinationCount)
    }

    init(
        _ collector: FactCollector, _ rules: MetricsRules, _ plan: DimensionPlan, rows: Range<Int>
    ) {
        self.init(combinationCount: collector.dimensions.count)
        let records = collector.records
        let (bits, times) = (records.bits, records.times)
        let (sessions, subjects, dimensions) = (
            records.sessions, records.subjects, records.dimensions
        )
        for row in rows {
            let found = bits[row]
            guard found.code != .hole else { continue }
            let time = times[row]
            extend(to: time...time)
            if found.isTimeAssumed { assumedTimes += 1 }
            guard found.code.isEvaluation else {
                if found.code == .logGap {
                    refused += Int128(records.payloads[Int(sessions[row])].refused)
                }
                continue
            }
            evaluations += 1
            if sessions[row] == 0 || subjects[row] == 0 { unkeyed += 1 }
            if found.isDurationInvalid { invalidDurations += 1 }
            if found.isUndecoded { undecoded += 1 }
            let dimension = Int(dimensions[row])
            guard plan.passes[dimension], rules.covers(time) else { continue }
            isUsed[dimension] = true
            if plan.passes(found.code.outcome) { counted[dimension] += 1 }
        }
    }

    mutating func merge(_ other: Self) {
        evaluations += other.evaluations
        unkeyed += other.unkeyed
        invalidDurations += other.invalidDurations
        undecoded += other.undecoded
        assumedTimes += other.assumedTimes
        refused += other.refused
        if let range = other.timeRange { extend(to: range) }
        for dimension in counted.indices {
            counted[dimension] += other.counted[dimension]
            isUsed[dimension] = isUsed[dimension] || other.isUsed[dimension]
        }
    }

    private mutating func extend(to range: ClosedRange<Int64>) {
        guard let known = timeRange else {
            timeRange = range
            return
        }
        timeRange =
            min(known.lowerBound, range.lowerBound)...max(known.upperBound, range.upperBound)
    }

    /// Evaluations by the names of their group: what decides which groups keep their names.
    func groupTotals(_ collector: FactCollector, _ rules: MetricsRules) -> [[Name]: Int] {
        var totals: [[Name]: Int] = [:]
        for number in counted.indices where isUsed[number] {
            totals[DimensionPlan.names(collector, rules, number), default: 0] += counted[number]
        }
        return totals
    }
}
