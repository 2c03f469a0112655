// Tables as rows of texts, to compare them with what the oracle says.

import EvalogFacts
import EvalogMetrics

extension MetricsTables {
    /// Every table by name; a nil is an empty text.
    var cells: [String: [[String]]] {
        [
            "evaluations": evaluations.map(cells(of:)),
            "impressions": impressions.map { row in
                window(row.window) + group(row.group)
                    + [row.outcomes.total, row.reEvaluations]
                    .map(String.init) + outcomes(row.outcomes) + [
                        row.suppression.map { String($0.suppressed) } ?? "",
                        row.suppression.map { String($0.notSuppressed) } ?? "",
                    ]
            },
            "outcomes": outcomes.map { row in
                window(row.window) + group(row.group) + row.outcomeClass.columns.map(\.text)
                    + [String(row.evaluations)]
            },
            "inferences": inferences.map { row in
                window(row.window) + [
                    row.subject.text, row.status.name.description, String(row.inferences),
                ]
            },
            "inference_values": inferenceValues.map { row in
                window(row.window) + [
                    row.subject.text, row.field.text, row.value.text, String(row.inferences),
                ]
            },
            "durations": durations.map { row in
                window(row.window) + group(row.group) + [
                    String(row.lower), String(row.upper), String(row.evaluations),
                ]
            },
            "quality": quality.map { [$0.name, String($0.value)] },
        ]
    }

    private func window(_ window: TimeWindow) -> [String] {
        [String(window.start), String(window.end)]
    }

    private func group(_ number: Int) -> [String] { groups[number].map(\.text) }

    private func outcomes(_ counts: OutcomeCounts) -> [String] {
        [counts.completed, counts.skipped, counts.failed, counts.cancelled].map(String.init)
    }

    private func cells(of row: EvaluationRow) -> [String] {
        let rate = row.failureRate
        let durations = row.durations
        let percentiles = durations.percentiles([50, 90, 95, 99])
        return window(row.window) + group(row.group) + [String(row.outcomes.total)]
            + outcomes(row.outcomes)
            + [rate?.rate, rate?.low, rate?.high].map { $0.map(String.init) ?? "" }
            + [String(row.retried), String(row.attempts), String(durations.count)]
            + (durations.count == 0
                ? Array(repeating: "", count: 8)
                : [String(durations.sum), String(durations.min), String(durations.mean ?? 0)]
                    + percentiles.map { String($0) } + [String(durations.max)])
    }
}
