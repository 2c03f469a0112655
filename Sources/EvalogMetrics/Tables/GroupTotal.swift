// The rows of all windows of a group added up, for formats that know of no windows.

/// What a group comes to over all windows of some tables.
package struct GroupTotal: Sendable {
    /// One for each dimension of the rules.
    package var names: [Name]
    package var evaluations = OutcomeCounts()
    package var retried = 0
    package var attempts: UInt128 = 0
    /// Microseconds.
    package var durations = Histogram()
    package var impressions = OutcomeCounts()
    package var reEvaluations = 0
    /// Evaluations by how they ended, in the order of the table.
    package var outcomes: [(outcomeClass: OutcomeClass, evaluations: Int)] = []
}

extension MetricsTables {
    /// The groups in their order, each added up over the windows that end after a time, in µs.
    /// O(rows + bins).
    package func totals(after time: Int64) -> [GroupTotal] {
        var totals = groups.map { GroupTotal(names: $0) }
        for row in evaluations where row.window.end > time {
            totals[row.group].evaluations.add(row.outcomes)
            totals[row.group].retried += row.retried
            totals[row.group].attempts += row.attempts
            totals[row.group].durations.merge(row.durations)
        }
        for row in impressions where row.window.end > time {
            totals[row.group].impressions.add(row.outcomes)
            totals[row.group].reEvaluations += row.reEvaluations
        }
        var places: [[OutcomeClass: Int]] = Array(repeating: [:], count: groups.count)
        for row in outcomes where row.window.end > time {
            if let place = places[row.group][row.outcomeClass] {
                totals[row.group].outcomes[place].evaluations += row.evaluations
            } else {
                places[row.group][row.outcomeClass] = totals[row.group].outcomes.count
                totals[row.group].outcomes.append((row.outcomeClass, row.evaluations))
            }
        }
        return totals
    }
}
