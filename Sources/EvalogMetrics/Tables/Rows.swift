// The rows of the tables as typed values; a nil is an empty cell.

package import EvalogFacts

/// Evaluations, or impressions, by what became of them.
package struct OutcomeCounts: Hashable, Sendable {
    package var completed = 0
    package var skipped = 0
    package var failed = 0
    package var cancelled = 0

    package init() {}

    /// Everything has exactly one outcome.
    package var total: Int { completed + skipped + failed + cancelled }

    /// Every outcome with its count, none left out.
    package var each: [(outcome: Outcome, count: Int)] {
        [
            (.completed, completed), (.skipped, skipped), (.failed, failed),
            (.cancelled, cancelled),
        ]
    }

    /// Counts one outcome so many times.
    package mutating func add(_ outcome: Outcome, _ count: Int = 1) {
        switch outcome {
        case .completed: completed += count
        case .skipped: skipped += count
        case .failed: failed += count
        case .cancelled: cancelled += count
        }
    }

    /// Counts everything that `other` counted.
    package mutating func add(_ other: Self) {
        completed += other.completed
        skipped += other.skipped
        failed += other.failed
        cancelled += other.cancelled
    }
}

/// Evaluations of one window and group.
package struct EvaluationRow: Sendable {
    package var window: TimeWindow
    /// An index of ``MetricsTables/groups``.
    package var group: Int
    package var outcomes: OutcomeCounts
    /// Evaluations with more than one attempt.
    package var retried: Int
    package var attempts: UInt128
    /// Of evaluations with attempts that were not cancelled and have a valid duration, in µs.
    package var durations: Histogram
    /// When the last of them began, in µs; in no table.
    package var latest: Int64

    package init(
        window: TimeWindow, group: Int, outcomes: OutcomeCounts, retried: Int, attempts: UInt128,
        durations: Histogram, latest: Int64
    ) {
        self.window = window
        self.group = group
        self.outcomes = outcomes
        self.retried = retried
        self.attempts = attempts
        self.durations = durations
        self.latest = latest
    }

    /// Nil if none completed or failed.
    package var failureRate: FailureRate? {
        FailureRate(failed: outcomes.failed, completed: outcomes.completed)
    }
}

/// Impressions whose first evaluation is of one window and group.
package struct ImpressionRow: Hashable, Sendable {
    package var window: TimeWindow
    package var group: Int
    package var outcomes: OutcomeCounts
    /// Evaluations folded into an impression beyond its first.
    package var reEvaluations: Int
    /// Nil unless an impression of the row belongs to ``Gaps/suppressionUsage``.
    package var suppression: SuppressionCounts?

    package init(
        window: TimeWindow, group: Int, outcomes: OutcomeCounts, reEvaluations: Int,
        suppression: SuppressionCounts?
    ) {
        self.window = window
        self.group = group
        self.outcomes = outcomes
        self.reEvaluations = reEvaluations
        self.suppression = suppression
    }
}

/// Impressions of the suppression usage by whether every evaluation of theirs led to a suppression.
package struct SuppressionCounts: Hashable, Sendable {
    /// Every evaluation is named by an event.
    package var suppressed = 0
    /// The rest.
    package var notSuppressed = 0

    package init() {}
}

/// Evaluations of one window and group that ended alike.
package struct OutcomeRow: Hashable, Sendable {
    package var window: TimeWindow
    package var group: Int
    package var outcomeClass: OutcomeClass
    package var evaluations: Int

    package init(window: TimeWindow, group: Int, outcomeClass: OutcomeClass, evaluations: Int) {
        self.window = window
        self.group = group
        self.outcomeClass = outcomeClass
        self.evaluations = evaluations
    }
}

/// Form inferences of one window, subject and status.
package struct InferenceRow: Hashable, Sendable {
    package var window: TimeWindow
    package var subject: Name
    package var status: InferenceStatus
    package var inferences: Int

    package init(window: TimeWindow, subject: Name, status: InferenceStatus, inferences: Int) {
        self.window = window
        self.subject = subject
        self.status = status
        self.inferences = inferences
    }
}

/// Form inferences of one window and subject that reported one value.
package struct InferenceValueRow: Hashable, Sendable {
    package var window: TimeWindow
    package var subject: Name
    package var field: Name
    package var value: Name
    package var inferences: Int

    package init(window: TimeWindow, subject: Name, field: Name, value: Name, inferences: Int) {
        self.window = window
        self.subject = subject
        self.field = field
        self.value = value
        self.inferences = inferences
    }
}

/// Evaluations of one window and group whose durations share a bin.
package struct DurationRow: Hashable, Sendable {
    package var window: TimeWindow
    package var group: Int
    /// Microseconds; `upper` is excluded.
    package var lower: UInt64
    package var upper: UInt64
    package var evaluations: Int

    package init(window: TimeWindow, group: Int, lower: UInt64, upper: UInt64, evaluations: Int) {
        self.window = window
        self.group = group
        self.lower = lower
        self.upper = upper
        self.evaluations = evaluations
    }
}

/// One number about what was read.
package struct QualityRow: Hashable, Sendable {
    package var name: String
    package var value: Int128

    package init(_ name: String, _ value: Int128) {
        self.name = name
        self.value = value
    }
}
