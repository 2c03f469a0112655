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
    /// The groups in their order, each added up. O(rows + bins).
    package var totals: [GroupTotal] {
        var totals = groups.map { GroupTotal(names: $0) }
        for row in evaluations {
            totals[row.group].evaluations.add(row.outcomes)
            totals[row.group].retried += row.retried
            totals[row.group].attempts += row.attempts
            totals[row.group].durations.merge(row.durations)
        }
        for row in impressions {
            totals[row.group].impressions.add(row.outcomes)
            totals[row.group].reEvaluations += row.reEvaluations
        }
        var places: [[OutcomeClass: Int]] = Array(repeating: [:], count: groups.count)
        for row in outcomes {
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

extension Histogram {
    /// How many values lie below each edge, ascending; of a bin that an edge cuts, those of the
    /// half that its middle is in, which errs by 0.2 % of the edge at most.
    package func counts(upTo edges: [UInt64]) -> [Int] {
        var counts: [Int] = []
        var passed = 0
        var rest = bins[...]
        for edge in edges {
            while let bin = rest.first, bin.lower + bin.width / 2 <= edge {
                passed += bin.count
                rest.removeFirst()
            }
            counts.append(passed)
        }
        return counts
    }
}
