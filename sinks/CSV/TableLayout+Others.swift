// The columns of the tables about impressions, outcomes, inferences and the quality of the log.

import EvalogFacts
import EvalogMetrics
import EvalogText

extension TableLayout where Row == ImpressionRow {
    static func impressions(_ shared: GroupColumns) -> Self {
        Self(
            description: "Impressions: evaluations of one usage, subject and session folded.",
            columns: shared.columns({ $0.window }, { $0.group }) + [
                .count("impressions", "All impressions that begin in the window.") {
                    $0.outcomes.total
                },
                .count("re_evaluations", "Evaluations beyond the first of each impression.") {
                    $0.reEvaluations
                },
                .count("completed", "The last evaluation not cancelled completed.") {
                    $0.outcomes.completed
                },
                .count("skipped", "The last evaluation not cancelled was skipped.") {
                    $0.outcomes.skipped
                },
                .count("failed", "The last evaluation not cancelled failed.") {
                    $0.outcomes.failed
                },
                .count("cancelled", "Every evaluation was cancelled.") { $0.outcomes.cancelled },
                .count(
                    "suppressed", "Messages held back after every evaluation of the impression.",
                    isRequired: false
                ) { $0.suppression?.suppressed },
                .count(
                    "not_suppressed", "The other impressions of the suppression usage.",
                    isRequired: false
                ) { $0.suppression?.notSuppressed },
            ],
            key: shared.key)
    }
}

extension TableLayout where Row == OutcomeRow {
    static func outcomes(_ shared: GroupColumns) -> Self {
        Self(
            description: "Evaluations by outcome and why.",
            columns: shared.columns({ $0.window }, { $0.group }) + [
                column("outcome", "completed, skipped, failed or cancelled.", 0, isRequired: true),
                column("reason", "Why it was skipped, or the class of its error.", 1),
                column("detail", "Why the model was unavailable.", 2),
                .count("evaluations", "Evaluations.") { $0.evaluations },
            ],
            key: shared.key + ["outcome", "reason", "detail"])
    }

    private static func column(
        _ name: String, _ description: String, _ place: Int, isRequired: Bool = false
    ) -> TableColumn<Row> {
        TableColumn(
            name: name, type: .string, description: description, isRequired: isRequired
        ) { $1.name($0.outcomeClass.columns[place]) }
    }
}

extension TableLayout where Row == InferenceRow {
    static var inferences: Self {
        Self(
            description: "Form inferences by subject and status.",
            columns: GroupColumns.window(\.window) + [
                .subject(\.subject),
                TableColumn(
                    name: "status", type: .string, description: "success or failure."
                ) { $1.text(Name($0.status.name.description)) },
                .count("inferences", "Distinct form_inference facts.") { $0.inferences },
            ],
            key: ["window_start", "subject", "status"])
    }
}

extension TableLayout where Row == InferenceValueRow {
    static var inferenceValues: Self {
        Self(
            description: "Values that form inferences reported, as far as the author opted in.",
            columns: GroupColumns.window(\.window) + [
                .subject(\.subject),
                TableColumn(
                    name: "field", type: .string, description: "The field of the report."
                ) { $1.text($0.field) },
                TableColumn(
                    name: "value", type: .string,
                    description: "The reported value; booleans are true and false."
                ) { $1.text($0.value) },
                .count("inferences", "Inferences that reported it.") { $0.inferences },
            ],
            key: ["window_start", "subject", "field", "value"])
    }
}

extension TableLayout where Row == QualityRow {
    static var quality: Self {
        Self(
            description: "What was read, and what of it could not be counted as it stood.",
            columns: [
                TableColumn(
                    name: "name", type: .string, description: "What is counted: docs/metrics.md."
                ) { $1.text(Name($0.name)) },
                TableColumn(name: "value", type: .integer, description: "How many.") {
                    $1.integer($0.value)
                },
            ],
            key: ["name"])
    }
}

extension TableColumn {
    fileprivate static func subject(_ subject: @escaping (Row) -> Name) -> Self {
        Self(
            name: "subject", type: .string,
            description: "Form and field; (other) for all subjects beyond the limit.",
            isRequired: false
        ) { $1.name(subject($0)) }
    }
}
