// What a replay comes to: the eight tables, the same for the same lines and rules.

/// Tables computed from a log; rows stand in the order in which they are written.
package struct MetricsTables: Sendable {
    /// What the tables were computed by.
    package var rules: MetricsRules
    /// The names of each group, one for each dimension of ``MetricsRules/by``, in byte order.
    package var groups: [[Name]]
    /// By window, then group.
    package var evaluations: [EvaluationRow]
    /// By window, then group.
    package var impressions: [ImpressionRow]
    /// By window, group, then the three columns of the outcome as bytes.
    package var outcomes: [OutcomeRow]
    /// By window, subject, then status as bytes.
    package var inferences: [InferenceRow]
    /// By window, subject, field, then value.
    package var inferenceValues: [InferenceValueRow]
    /// By the start of the run, then names as bytes. Made from a reading of its own, and only where there
    /// are results of test sets.
    package var testSets: [TestSetRow] = []
    /// Made from a reading of its own, and only where the rules ask for it.
    package var drift: Drift?
    /// Distinct results of test sets, whatever the rules; in no table.
    package var testResultCount = 0
    /// In a fixed order, those of the log last.
    package var quality: [QualityRow]
    /// The least and the greatest time of all facts read, whatever the rules; nil without any.
    package var timeRange: ClosedRange<Int64>?
    /// Lines that writers refused, by the `log_gap` facts in the range of the rules; in no table.
    package var refused: Int128

    package init(
        rules: MetricsRules, groups: [[Name]], evaluations: [EvaluationRow],
        impressions: [ImpressionRow], outcomes: [OutcomeRow], inferences: [InferenceRow],
        inferenceValues: [InferenceValueRow], quality: [QualityRow], timeRange: ClosedRange<Int64>?,
        refused: Int128
    ) {
        self.rules = rules
        self.groups = groups
        self.evaluations = evaluations
        self.impressions = impressions
        self.outcomes = outcomes
        self.inferences = inferences
        self.inferenceValues = inferenceValues
        self.quality = quality
        self.timeRange = timeRange
        self.refused = refused
    }

    /// The value of a row of ``quality``; nil if there is none of this name.
    package func quality(_ name: String) -> Int128? {
        quality.first { $0.name == name }?.value
    }

    /// Every bin of ``evaluations``: enough to merge rows and compute percentiles again.
    package var durations: some Sequence<DurationRow> {
        evaluations.lazy.flatMap { row in
            row.durations.bins.map { bin in
                DurationRow(
                    window: row.window, group: row.group, lower: bin.lower,
                    upper: bin.lower + bin.width, evaluations: bin.count)
            }
        }
    }
}
