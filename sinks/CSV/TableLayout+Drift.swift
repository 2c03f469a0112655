// The columns of the table about what differs between two systems, models or versions of the app.

import EvalogMetrics
import EvalogText

extension TableLayout where Row == DriftFinding {
    static var drift: Self {
        Self(
            description: "Two sides of ordinary traffic compared, usage by usage.",
            columns: names + sides + changes + chance,
            key: ["usage", "measure", "subject", "field"])
    }

    private static var names: [TableColumn<Row>] {
        [
            TableColumn(
                name: "usage", type: .string, description: "What the model was asked for."
            ) { $1.text($0.usage) },
            TableColumn(
                name: "measure", type: .string,
                description:
                    "failure_rate, skip_rate, retry_rate, duration_p50, duration_p95 or value_mix."
            ) { $1.text(Name($0.measure.key)) },
            name("subject", "Form and field, of a mix.") { $0.measure.mix?.subject },
            name("field", "The field of the report, of a mix.") { $0.measure.mix?.field },
            name("value", "The value of the mix whose share changed most.") { $0.value },
            name("verdict", "worse, better, changed, same or not_enough_data.", isRequired: true) {
                Name($0.verdict.rawValue)
            },
        ]
    }

    private static func name(
        _ name: String, _ description: String, isRequired: Bool = false,
        _ value: @escaping (Row) -> Name?
    ) -> TableColumn<Row> {
        TableColumn(
            name: name, type: .string, description: description, isRequired: isRequired
        ) { $1.name(value($0) ?? .absent) }
    }

    private static var sides: [TableColumn<Row>] {
        let sides: [(name: String, side: (Row) -> DriftSide)] = [
            ("baseline", { $0.baseline }), ("candidate", { $0.candidate }),
        ]
        return sides.flatMap { name, side -> [TableColumn<Row>] in
            [
                .count("\(name)_sessions", "Sessions that count.") { side($0).sessions },
                .count("\(name)_count", "What a share is of, or durations.") { side($0).count },
                .count(
                    "\(name)_hits", "Failed, skipped, retried, or of the value.", isRequired: false
                ) {
                    side($0).hits
                },
                .fraction("\(name)_share", "hits / count.") {
                    side($0).share.map { Int(($0 * 1_000_000).rounded()) }
                },
                .milliseconds("\(name)_ms", "The percentile, exact.") {
                    side($0).duration.map { UInt64($0) }
                },
            ]
        } + [
            .count("mixed_sessions", "Sessions on both sides, which do not count.") {
                $0.mixedSessions
            }
        ]
    }

    private static var changes: [TableColumn<Row>] {
        let kinds = [(suffix: "share", unit: "1"), (suffix: "ms", unit: "ms")]
        return kinds.flatMap { suffix, unit -> [TableColumn<Row>] in
            let values: [(name: String, words: String, value: (Row) -> Double?)] = [
                ("difference_\(suffix)", "The candidate's less the baseline's.", { $0.difference }),
                ("difference_\(suffix)_low", "Lower end of its 95 % interval.", { $0.low }),
                ("difference_\(suffix)_high", "Upper end of its 95 % interval.", { $0.high }),
            ]
            return values.map { name, words, value in
                signed(name, words, unit) { row in
                    row.measure.isDuration == (suffix == "ms") ? row.whole(value(row)) : nil
                } as: {
                    suffix == "ms" ? $1.signedMilliseconds($0) : $1.signedFraction($0)
                }
            }
        }
    }

    private static var chance: [TableColumn<Row>] {
        [
            signed("effect_size", "Cohen's h; Cramér's V of a mix.", "1") {
                $0.effect.map { Int64(($0 * 1_000_000).rounded()) }
            } as: {
                $1.signedFraction($0)
            },
            .fraction("p", "How often chance alone would differ as much.") { $0.p.millionths },
            .fraction("adjusted_p", "The same, corrected for the number of comparisons.") {
                $0.adjustedP.millionths
            },
        ]
    }

    private static func signed(
        _ name: String, _ description: String, _ unit: String,
        _ value: @escaping (Row) -> Int64?, as write: @escaping (Int64, inout CSVWriter) -> Void
    ) -> TableColumn<Row> {
        TableColumn(
            name: name, type: .number, unit: unit, description: description, isRequired: false,
            isSigned: true
        ) { row, writer in
            if let value = value(row) { write(value, &writer) } else { writer.empty() }
        }
    }
}

extension Double? {
    fileprivate var millionths: Int? { map { Int(($0 * 1_000_000).rounded()) } }
}
