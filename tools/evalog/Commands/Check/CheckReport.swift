// Thresholds held against a summary: which are broken, by how much, and how sure that is.

import EvalogMetrics

/// What became of one threshold for one group, or for the log.
struct Finding: Sendable {
    enum Verdict: String, Sendable {
        case holds, broken
        /// Above the limit, but so little that it may be chance; or a loss that cannot be counted.
        case uncertain
        /// Nothing was measured.
        case noData = "no_data"
    }

    enum Value: Sendable {
        /// A share with its interval, and how many of how many.
        case rate(FailureRate, count: Int, of: Int)
        /// A percentile in µs, and of how many durations.
        case duration(UInt64, of: Int)
        /// µs.
        case age(Int64)
        case count(Int128)
        /// Lines, and the files of which nobody can say how many more.
        case loss(Int128, uncountedFiles: Int)
    }

    let threshold: Threshold
    /// Nil for what is about the log as a whole, and where there is no group.
    let group: [Name]?
    let value: Value?
    let verdict: Verdict

    /// Files of which nobody can say how many lines are lost; nil for what is about no loss.
    var uncountedFiles: Int? {
        if case .loss(_, let files) = value { files } else { nil }
    }
}

/// All findings of a check, a group after the other.
struct CheckReport: Sendable {
    let by: [Dimension]
    let range: TimeWindow
    private(set) var findings: [Finding] = []
    private let isStrict: Bool

    /// - Parameters:
    ///   - range: What was looked at; its end is the present.
    ///   - lost: Lines that are lost for certain, and files of which nobody can say how many more.
    ///   - isStrict: Takes what is uncertain for broken.
    init(
        _ summary: Summary, _ thresholds: [Threshold], range: TimeWindow,
        lost: (count: Int128, uncountedFiles: Int), isStrict: Bool
    ) {
        by = summary.tables.rules.by
        self.range = range
        self.isStrict = isStrict
        for threshold in thresholds {
            switch threshold.measurement {
            case .refused: add(threshold, .count(summary.tables.refused))
            case .lost: add(threshold, .loss(lost.count, uncountedFiles: lost.uncountedFiles))
            case .failureRate, .skipRate, .duration, .age:
                if summary.groups.isEmpty { addSilence(threshold) }
                for (names, group) in zip(summary.tables.groups, summary.groups) {
                    add(threshold, names, group)
                }
            }
        }
    }

    var broken: [Finding] { findings.filter { $0.verdict == .broken } }

    func count(_ verdict: Finding.Verdict) -> Int { findings.count { $0.verdict == verdict } }

    // MARK: Judging

    private mutating func add(_ threshold: Threshold, _ value: Finding.Value) {
        findings.append(
            Finding(
                threshold: threshold, group: nil, value: value,
                verdict: judge(value, threshold.limit)))
    }

    /// There is no evaluation at all: nothing to compare, but as silent as can be.
    private mutating func addSilence(_ threshold: Threshold) {
        findings.append(
            Finding(
                threshold: threshold, group: nil, value: nil,
                verdict: threshold.measurement == .age ? .broken : .noData))
    }

    private mutating func add(_ threshold: Threshold, _ names: [Name], _ group: GroupSummary) {
        let value = measure(threshold.measurement, group)
        findings.append(
            Finding(
                threshold: threshold, group: names, value: value,
                verdict: value.map { judge($0, threshold.limit) } ?? .noData))
    }

    private func measure(_ measurement: Measurement, _ group: GroupSummary) -> Finding.Value? {
        let counts = group.outcomes
        switch measurement {
        case .failureRate: return rate(counts.failed, of: counts.failed + counts.completed)
        case .skipRate: return rate(counts.skipped, of: counts.total - counts.cancelled)
        case .duration(let percent):
            return group.durations.percentiles([percent]).first.map {
                .duration($0, of: group.durations.count)
            }
        case .age: return group.outcomes.total == 0 ? nil : .age(range.end - group.latest)
        case .refused, .lost: return nil
        }
    }

    private func rate(_ count: Int, of total: Int) -> Finding.Value? {
        FailureRate(failed: count, completed: total - count).map {
            .rate($0, count: count, of: total)
        }
    }

    private func judge(_ value: Finding.Value, _ limit: Int64) -> Finding.Verdict {
        switch value {
        case .rate(let rate, _, _):
            rate.low > limit ? .broken : rate.rate > limit ? doubtful : .holds
        case .duration(let duration, _): duration > limit ? .broken : .holds
        case .age(let age): age > limit ? .broken : .holds
        case .count(let count): count > limit ? .broken : .holds
        case .loss(let count, let uncountedFiles):
            // What cannot be counted is no less than one line.
            count > limit || (uncountedFiles > 0 && limit == 0)
                ? .broken : uncountedFiles > 0 ? doubtful : .holds
        }
    }

    private var doubtful: Finding.Verdict { isStrict ? .broken : .uncertain }
}
