// What a live view shows of a stretch of time.

package import EvalogFacts

/// Evaluations of one group in a stretch of time.
package struct LiveRow: Sendable {
    /// A class of failures.
    package struct Failure: Hashable, Sendable {
        /// Nil where the line names no class.
        package var error: ErrorClass?
        package var count: Int
    }

    package var group: LiveGroup
    package var outcomes = OutcomeCounts()
    /// Evaluations with more than one attempt.
    package var retried: Int
    /// As in `evaluations.csv`.
    package var durations: Histogram
    /// When the last one began, in µs.
    package var latest: Int64
    /// The class that came last first.
    package var failures: [Failure]

    init(group: LiveGroup, cell: EvaluationCell, latestFailures: [UInt8: Int64]) {
        self.group = group
        retried = cell.retried
        durations = cell.durations
        latest = cell.latest
        var failed: [(code: UInt8, count: Int)] = []
        for counted in cell.classes {
            let code = RecordCode(rawValue: UInt8(counted.key))
            outcomes.add(code.outcome, counted.count)
            if code.outcome == .failed { failed.append((code.rawValue, counted.count)) }
        }
        failures =
            failed.sorted { left, right in
                let (a, b) = (latestFailures[left.code] ?? .min, latestFailures[right.code] ?? .min)
                return a != b ? a > b : left.code < right.code
            }.map {
                Failure(error: RecordCode(rawValue: $0.code).outcomeClass.error, count: $0.count)
            }
    }

    /// Nil if none completed or failed.
    package var failureRate: FailureRate? {
        FailureRate(failed: outcomes.failed, completed: outcomes.completed)
    }
}

/// All groups of a stretch of time that ends with the present.
package struct LiveSummary: Sendable {
    /// Where it begins, in µs.
    package var start: Int64
    package var seconds: Double
    /// By usage, then model, as bytes.
    package var rows: [LiveRow]

    /// Evaluations of all groups by what became of them.
    package var outcomes: OutcomeCounts {
        rows.reduce(into: OutcomeCounts()) { $0.add($1.outcomes) }
    }
}
