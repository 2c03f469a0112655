// What a drift comes to: section "drift" of docs/metrics.md.

import EvalogFacts
package import Statistics

/// What is compared of a usage.
package enum DriftMeasure: Hashable, Sendable {
    case failureRate, skipRate, retryRate
    /// Percents: 50 or 95.
    case duration(Int)
    /// Of the values that inferences of a subject reported in a field.
    case mix(subject: Name, field: Name)

    /// As tables and programs name it.
    package var key: String {
        switch self {
        case .failureRate: "failure_rate"
        case .skipRate: "skip_rate"
        case .retryRate: "retry_rate"
        case .duration(let percent): "duration_p\(percent)"
        case .mix: "value_mix"
        }
    }

    /// Nil unless it is one.
    package var mix: (subject: Name, field: Name)? {
        if case .mix(let subject, let field) = self { (subject, field) } else { nil }
    }

    package var isDuration: Bool {
        if case .duration = self { true } else { false }
    }

    /// The columns that tell it from others of a usage, which are also its place among them.
    var columns: [Name] {
        guard case .mix(let subject, let field) = self else { return [Name(key)] }
        return [Name(key), subject, field]
    }
}

/// One side of a comparison.
package struct DriftSide: Hashable, Sendable {
    package var sessions: Int
    /// What the share is of: evaluations, durations, reports.
    package var count: Int
    /// How many of them failed, were skipped, were retried, or reported ``DriftFinding/value``; nil of durations.
    package var hits: Int?
    /// µs, of durations alone.
    package var duration: Double?

    /// Nil without a count, and of durations.
    package var share: Double? {
        hits.flatMap { Proportion($0, of: count) }?.share
    }
}

/// One comparison with its verdict.
package struct DriftFinding: Sendable {
    package enum Verdict: String, Sendable {
        case worse, better
        /// Of a mix, which has no good direction.
        case changed
        /// No difference beyond chance was found.
        case same
        /// No outcome of so few sessions could have been told from chance.
        case noData = "not_enough_data"
    }

    package let usage: Name
    package let measure: DriftMeasure
    package let baseline: DriftSide
    package let candidate: DriftSide
    /// Sessions that are on both sides, and so on none.
    package let mixedSessions: Int
    /// The value whose share changed most, of a mix.
    package let value: Name?
    /// The candidate's less the baseline's: shares, or µs. Nil where it cannot be told.
    package let difference: Double?
    package let interval: Interval?
    /// Cohen's h of shares; of durations, of the shares above the percentile of both sides together; Cramér's V
    /// of a mix.
    package let effect: Double?
    /// Nil without a verdict on chance.
    package internal(set) var p: Double?
    /// To be compared with the level.
    package internal(set) var adjustedP: Double?
    package internal(set) var verdict: Verdict

    /// A value of the measure as it is written: whole millionths, or µs of a duration.
    package func whole(_ value: Double?) -> Int64? {
        value.map { Int64(($0 * (measure.isDuration ? 1 : 1_000_000)).rounded()) }
    }

    /// The value of a side.
    package func whole(_ side: DriftSide) -> Int64? { whole(side.share ?? side.duration) }

    /// The ends of ``interval``.
    package var low: Double? { interval?.low }
    package var high: Double? { interval?.high }
}

/// All comparisons of the two sides.
package struct Drift: Sendable {
    package var rules: DriftRules
    /// By usage, measure, subject and field as bytes.
    package internal(set) var findings: [DriftFinding]
    /// Evaluations on each side, those of mixed sessions included.
    package internal(set) var evaluations: (baseline: Int, candidate: Int)
    /// The values of the column in ordinary traffic with their evaluations, most first.
    package internal(set) var values: [(name: Name, evaluations: Int)]

    package var isWorse: Bool { findings.contains { $0.verdict == .worse } }

    package func count(_ verdict: DriftFinding.Verdict) -> Int {
        findings.count { $0.verdict == verdict }
    }
}
