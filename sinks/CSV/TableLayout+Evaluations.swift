// The columns of the tables that are about evaluations: one row for a window and a group, or more.

import EvalogMetrics
import EvalogText

/// The columns that window and group have in every table.
struct GroupColumns {
    let rules: MetricsRules
    let groups: [[Name]]

    var key: [String] { ["window_start"] + rules.by.map(\.rawValue) }

    static func window<Row>(_ window: @escaping (Row) -> TimeWindow) -> [TableColumn<Row>] {
        [
            TableColumn(
                name: "window_start", type: .datetime,
                description: "Where the window begins, in UTC."
            ) { $1.time(window($0).start) },
            TableColumn(
                name: "window_end", type: .datetime,
                description: "Where the window ends, in UTC; not part of it."
            ) { $1.time(window($0).end) },
        ]
    }

    func columns<Row>(
        _ window: @escaping (Row) -> TimeWindow, _ group: @escaping (Row) -> Int
    ) -> [TableColumn<Row>] {
        Self.window(window)
            + rules.by.enumerated().map { place, dimension in
                TableColumn(
                    name: dimension.rawValue, type: .string, description: dimension.meaning,
                    isRequired: false
                ) { [groups] in $1.name(groups[group($0)][place]) }
            }
    }
}

extension CSVWriter {
    /// A name, or a missing value for an absent one.
    mutating func name(_ name: Name) {
        if name.isAbsent { empty() } else { text(name) }
    }
}

extension Dimension {
    fileprivate var meaning: String {
        let rest = "; (other) for all groups beyond the limit."
        return switch self {
        case .usage: "What the model was asked for" + rest
        case .model: "The model's name" + rest
        case .os: "The operating system and its version" + rest
        case .device: "The hardware model" + rest
        case .app: "The version of the app" + rest
        case .tier: "Which on-device model device and system can run" + rest
        }
    }
}

extension TableColumn {
    /// A column of whole numbers.
    static func count(
        _ name: String, _ description: String, isRequired: Bool = true, unit: String? = nil,
        _ value: @escaping (Row) -> Int?
    ) -> Self {
        Self(
            name: name, type: .integer, unit: unit, description: description,
            isRequired: isRequired
        ) { row, writer in
            if let value = value(row) { writer.integer(value) } else { writer.empty() }
        }
    }

    static func milliseconds(
        _ name: String, _ description: String, _ value: @escaping (Row) -> UInt64?
    ) -> Self {
        Self(
            name: name, type: .number, unit: "ms", description: description, isRequired: false
        ) { $1.milliseconds(value($0)) }
    }

    static func fraction(
        _ name: String, _ description: String, _ millionths: @escaping (Row) -> Int?
    ) -> Self {
        Self(
            name: name, type: .number, unit: "1", description: description, isRequired: false
        ) { $1.fraction(millionths: millionths($0)) }
    }
}

/// A row of `evaluations.csv` with what several of its cells share.
struct EvaluationCells {
    static let percents = [50, 90, 95, 99]

    let row: EvaluationRow
    let rate: FailureRate?
    private let percentiles: [UInt64]

    init(_ row: EvaluationRow) {
        self.row = row
        rate = row.failureRate
        percentiles = row.durations.percentiles(Self.percents)
    }

    /// Nil without durations.
    func percentile(_ index: Int) -> UInt64? {
        percentiles.isEmpty ? nil : percentiles[index]
    }

    var durations: Histogram? { row.durations.count == 0 ? nil : row.durations }
}

extension TableLayout where Row == EvaluationCells {
    static func evaluations(_ shared: GroupColumns) -> Self {
        Self(
            description: "Evaluations by what became of them, and how long they took.",
            columns: shared.columns({ $0.row.window }, { $0.row.group }) + outcomes + durations,
            key: shared.key)
    }

    private static var outcomes: [TableColumn<Row>] {
        [
            .count("evaluations", "All evaluations.") { $0.row.outcomes.total },
            .count("completed", "A valid answer came back.") { $0.row.outcomes.completed },
            .count("skipped", "No model was asked.") { $0.row.outcomes.skipped },
            .count("failed", "The model was asked and gave no valid answer.") {
                $0.row.outcomes.failed
            },
            .count("cancelled", "Cancelled or superseded; no failure.") {
                $0.row.outcomes.cancelled
            },
            .fraction("failure_rate", "failed / (completed + failed).") { $0.rate?.rate },
            .fraction("failure_rate_low", "Lower end of its 95 % Wilson interval.") {
                $0.rate?.low
            },
            .fraction("failure_rate_high", "Upper end of its 95 % Wilson interval.") {
                $0.rate?.high
            },
            .count("retried", "Evaluations with more than one attempt.") { $0.row.retried },
            TableColumn(
                name: "attempts", type: .integer, description: "Attempts of all evaluations."
            ) { $1.integer($0.row.attempts) },
        ]
    }

    private static var durations: [TableColumn<Row>] {
        [
            .count(
                "duration_count",
                "Evaluations with attempts and a valid duration that were not cancelled."
            ) { $0.row.durations.count },
            TableColumn(
                name: "duration_sum_us", type: .integer, unit: "us",
                description: "Sum of their durations.", isRequired: false
            ) { cells, writer in
                if let durations = cells.durations {
                    writer.integer(durations.sum)
                } else {
                    writer.empty()
                }
            },
            .milliseconds("duration_min_ms", "The least duration, exact.") { $0.durations?.min },
            .milliseconds("duration_mean_ms", "Sum / count, rounded half up to 1 us.") {
                $0.durations?.mean
            },
            .milliseconds("duration_p50_ms", "Median, within 0.2 %.") { $0.percentile(0) },
            .milliseconds("duration_p90_ms", "90th percentile, within 0.2 %.") {
                $0.percentile(1)
            },
            .milliseconds("duration_p95_ms", "95th percentile, within 0.2 %.") {
                $0.percentile(2)
            },
            .milliseconds("duration_p99_ms", "99th percentile, within 0.2 %.") {
                $0.percentile(3)
            },
            .milliseconds("duration_max_ms", "The greatest duration, exact.") {
                $0.durations?.max
            },
        ]
    }
}

extension TableLayout where Row == DurationRow {
    static func durations(_ shared: GroupColumns) -> Self {
        Self(
            description: "Durations by bin: enough to merge rows and compute percentiles again.",
            columns: shared.columns({ $0.window }, { $0.group }) + [
                TableColumn(
                    name: "lower_us", type: .integer, unit: "us",
                    description: "Least duration of the bin."
                ) { $1.integer($0.lower) },
                TableColumn(
                    name: "upper_us", type: .integer, unit: "us",
                    description: "Where the bin ends; not part of it."
                ) { $1.integer($0.upper) },
                .count("evaluations", "Evaluations with a duration in the bin.") {
                    $0.evaluations
                },
            ],
            key: shared.key + ["lower_us"])
    }
}
