// One pass over the rows before the tables: what quality.csv counts, and how large each group is.

import EvalogFacts

/// Counts of facts, and of the evaluations per combination of dimensions that pass the rules.
struct RowCensus {
    private(set) var facts = FactCounts()
    /// Evaluations in the range of the rules that pass all filters, by combination.
    private var counted: [Int]
    /// Whether a combination has evaluations in the range that pass the filters but for the
    /// outcome: impressions can start with those.
    private var isUsed: [Bool]

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
            facts.extend(to: time...time)
            if found.isTimeAssumed { facts.assumedTimes += 1 }
            guard found.code.isEvaluation else {
                if found.code == .testResult { facts.testResults += 1 }
                if found.code == .logGap {
                    let refused = Int128(records.payloads[Int(sessions[row])].refused)
                    facts.refused += refused
                    if rules.covers(time) { facts.refusedInRange += refused }
                }
                continue
            }
            facts.evaluations += 1
            if sessions[row] == 0 || subjects[row] == 0 { facts.unkeyed += 1 }
            if found.isDurationInvalid { facts.invalidDurations += 1 }
            if found.isUndecoded { facts.undecoded += 1 }
            let dimension = Int(dimensions[row])
            guard plan.passes[dimension], rules.covers(time) else { continue }
            isUsed[dimension] = true
            if plan.passes(found.code.outcome) { counted[dimension] += 1 }
        }
    }

    mutating func merge(_ other: Self) {
        facts.merge(other.facts)
        for dimension in counted.indices {
            counted[dimension] += other.counted[dimension]
            isUsed[dimension] = isUsed[dimension] || other.isUsed[dimension]
        }
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
