// The columns of the table about test sets.

import EvalogFacts
import EvalogMetrics
import EvalogText

/// A row of `testsets.csv` with what several of its cells share.
struct TestSetCells {
    let row: TestSetRow
    let rate: PassRate?
    let durations: Histogram
    private let percentiles: [UInt64]

    init(_ row: TestSetRow) {
        self.row = row
        rate = row.passRate
        durations = row.durations
        percentiles = durations.percentiles([50, 95])
    }

    /// Nil without durations.
    func percentile(_ index: Int) -> UInt64? { percentiles.isEmpty ? nil : percentiles[index] }
}

extension TableLayout where Row == TestSetCells {
    static var testSets: Self {
        Self(
            description: "Runs of test sets: which cases passed, and how long answers took.",
            columns: names + counts + failures + durations,
            key: ["started", "suite", "task", "model", "os", "device", "run", "suite_digest"])
    }

    private static var names: [TableColumn<Row>] {
        [
            TableColumn(
                name: "started", type: .datetime, description: "When the run began, in UTC."
            ) { $1.time($0.row.started) },
            name("suite", "The test set.", isRequired: true) { $0.suite },
            name("task", "What the model was tested for.", isRequired: true) { $0.task },
            name("model", "The model's name.") { $0.model },
            name("os", "The operating system and its version.") { $0.os },
            name("device", "The hardware model.") { $0.device },
            name("run", "The session of the run.") { $0.run },
            name("suite_digest", "Tells versions of the test set's file apart.") {
                $0.suiteDigest
            },
        ]
    }

    private static func name(
        _ name: String, _ description: String, isRequired: Bool = false,
        _ value: @escaping (TestSetRow) -> Name
    ) -> TableColumn<Row> {
        TableColumn(
            name: name, type: .string, description: description, isRequired: isRequired
        ) { $1.name(value($0.row)) }
    }

    private static var counts: [TableColumn<Row>] {
        [
            .count("cases", "Cases that were asked about.") { $0.row.cases.count },
            .count("passing", "Cases that passed more often than not.") { $0.row.passing },
            .fraction("pass_rate", "passing / cases.") { $0.rate?.rate },
            .fraction("pass_rate_low", "Lower end of its 95 % Wilson interval.") { $0.rate?.low },
            .fraction("pass_rate_high", "Upper end of its 95 % Wilson interval.") {
                $0.rate?.high
            },
            .count("flaky", "Cases that passed sometimes, but not always.") { $0.row.flaky },
            .count("results", "Answers judged: passed + failed + errors.") {
                $0.row.passed + $0.row.failed + $0.row.errors
            },
            .count("passed", "Results that passed.") { $0.row.passed },
            .count("failed", "Results that failed; the next columns say how.") { $0.row.failed },
            .count("errors", "Results without an answer to judge.") { $0.row.errors },
        ]
    }

    private static var failures: [TableColumn<Row>] {
        TestFailure.allCases.map { failure in
            .count("failed_\(failure.name)", meaning(failure)) {
                $0.row.failures[Int(failure.rawValue)]
            }
        }
    }

    private static func meaning(_ failure: TestFailure) -> String {
        switch failure {
        case .invalid: "Answers that broke their schema, were cut off or refused."
        case .different: "Answers with a field that is not as expected."
        case .wrongClass: "Answers of another class than expected."
        case .missingFact: "Texts without a required fact."
        case .forbiddenFact: "Texts with a fact that they must not have."
        case .other: "Failures of a kind that this version does not know."
        }
    }

    private static var durations: [TableColumn<Row>] {
        [
            .count(
                "duration_count", "Evaluations with attempts and a valid duration, not cancelled."
            ) { $0.durations.count },
            .milliseconds("duration_p50_ms", "Median, within 0.2 %.") { $0.percentile(0) },
            .milliseconds("duration_p95_ms", "95th percentile, within 0.2 %.") {
                $0.percentile(1)
            },
        ]
    }
}
