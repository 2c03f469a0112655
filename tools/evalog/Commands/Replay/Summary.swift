// The whole range in one row per group: what a person wants to see first.

import EvalogMetrics

/// Windows summed up: evaluations and impressions of one group over the whole range.
struct GroupSummary {
    var outcomes = OutcomeCounts()
    var retried = 0
    var durations = Histogram()
    var impressions = 0
    var reEvaluations = 0
    /// When the last evaluation began, in µs.
    var latest = Int64.min

    var failureRate: FailureRate? {
        FailureRate(failed: outcomes.failed, completed: outcomes.completed)
    }
}

/// A summary of tables, groups in their order.
struct Summary {
    let tables: MetricsTables
    let groups: [GroupSummary]

    init(_ tables: MetricsTables) {
        self.tables = tables
        var groups = tables.groups.map { _ in GroupSummary() }
        for row in tables.evaluations {
            groups[row.group].outcomes.add(row.outcomes)
            groups[row.group].retried += row.retried
            groups[row.group].durations.merge(row.durations)
            groups[row.group].latest = max(groups[row.group].latest, row.latest)
        }
        for row in tables.impressions {
            groups[row.group].impressions += row.outcomes.total
            groups[row.group].reEvaluations += row.reEvaluations
        }
        self.groups = groups
    }

    /// The table for a person, with a line above on what it was computed from.
    ///
    /// - Parameter width: Of the terminal, if it is one.
    func text(fitting width: Int?) -> String {
        var lines = [heading, ""]
        if groups.isEmpty {
            lines.append("No evaluations.")
        } else {
            lines += table().lines(fitting: width)
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private var heading: String {
        guard let range = tables.timeRange else { return "The log has no facts." }
        let counted = groups.reduce(0) { $0 + $1.outcomes.total }
        let all = (tables.quality("evaluations") ?? 0)
        let share = Int128(counted) == all ? "" : "\(Figures.count(counted)) of "
        return "\(share)\(Figures.counted(all, "evaluation")) in"
            + " \(Figures.counted((tables.quality("lines") ?? 0), "line")) from \(Figures.time(range.lowerBound)) to"
            + " \(Figures.time(range.upperBound)), \(Figures.counted((tables.quality("duplicates") ?? 0), "duplicate"))"
    }

    private func table() -> TextTable {
        var table = TextTable(
            tables.rules.by.map { .init(title: $0.rawValue, isNumber: false) }
                + [
                    .init(title: "evaluations"), .init(title: "impressions", rank: 2),
                    .init(title: "completed", rank: 4), .init(title: "skipped", rank: 3),
                    .init(title: "failed"), .init(title: "cancelled", rank: 6),
                    .init(title: "failure rate"), .init(title: "95 % interval", rank: 5),
                    .init(title: "p50", rank: 1), .init(title: "p95"), .init(title: "p99", rank: 7),
                ])
        for (names, group) in zip(tables.groups, groups) {
            let percentiles =
                group.durations.count > 0 ? group.durations.percentiles([50, 95, 99]) : []
            table.add(
                names.map(\.text)
                    + [
                        group.outcomes.total, group.impressions, group.outcomes.completed,
                        group.outcomes.skipped, group.outcomes.failed, group.outcomes.cancelled,
                    ].map { Figures.count($0) }
                    + [
                        group.failureRate.map { Figures.percent(Int64($0.rate)) } ?? "",
                        group.failureRate.map(\.interval) ?? "",
                    ]
                    + (0..<3).map {
                        $0 < percentiles.count ? Figures.duration(Int64(percentiles[$0])) : ""
                    })
        }
        return table
    }
}

extension FailureRate {
    /// `1.79 % – 40.42 %`
    var interval: String {
        "\(Figures.percent(Int64(low))) – \(Figures.percent(Int64(high)))"
    }
}
