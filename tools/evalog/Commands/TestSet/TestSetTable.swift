// Runs of test sets, for people and for programs.

import EvalogFacts
import EvalogMetrics
import EvalogText

/// A row for each run and task.
struct TestSetTable {
    private let rows: [TestSetRow]

    init(_ rows: [TestSetRow]) { self.rows = rows }

    func show(on output: Output, isJSON: Bool) throws {
        if isJSON {
            try output.write(json: json())
        } else if !rows.isEmpty {
            try output.write(text(fitting: output.terminalWidth))
        }
    }

    private func text(fitting width: Int?) -> String {
        var table = TextTable([
            .init(title: "suite", isNumber: false), .init(title: "task", isNumber: false),
            .init(title: "model", isNumber: false, rank: 1),
            .init(title: "system", isNumber: false, rank: 4),
            .init(title: "run", isNumber: false, rank: 3), .init(title: "cases"),
            .init(title: "pass rate"), .init(title: "95 % interval"),
            .init(title: "flaky", rank: 2),
            .init(title: "p50", rank: 5), .init(title: "p95", rank: 6),
            .init(title: "failed by", isNumber: false, rank: 7),
        ])
        for row in rows {
            let times = row.durations.percentiles([50, 95]).map { Figures.duration(Int64($0)) }
            table.add(
                [row.suite, row.task, row.model, row.os].map(\.text) + [
                    String(row.run.text.prefix(RunChoice.prefixShown)),
                    Figures.count(row.cases.count),
                    row.passRate.map { Figures.percent(Int64($0.rate)) } ?? "",
                    row.passRate.map { rate in
                        "\(Figures.percent(Int64(rate.low))) – \(Figures.percent(Int64(rate.high)))"
                    } ?? "", Figures.count(row.flaky), times.first ?? "", times.last ?? "",
                    row.reasons,
                ])
        }
        return table.lines(fitting: width).joined(separator: "\n") + "\n"
    }

    /// One JSON object on one line; rates in millionths, durations in whole µs.
    private func json() -> [UInt8] {
        var bytes: [UInt8] = []
        JSONWriter.append(to: &bytes) { json in
            json.beginObject()
            json.key("runs")
            json.beginArray()
            for row in rows { Self.write(row, to: &json) }
            json.endArray()
            json.endObject()
        }
        return bytes + [0x0A]
    }

    private static func write(_ row: TestSetRow, to json: inout JSONWriter) {
        json.beginObject()
        json.key("started")
        json.time(row.started)
        for (key, name) in [
            ("run", row.run), ("suite", row.suite), ("task", row.task), ("model", row.model),
            ("os", row.os), ("device", row.device), ("suite_digest", row.suiteDigest),
        ] where !name.isAbsent {
            json.key(key)
            json.string(name.text)
        }
        json.counts([("cases", row.cases.count), ("passing", row.passing)])
        if let rate = row.passRate {
            json.counts([
                ("pass_rate", rate.rate), ("pass_rate_low", rate.low),
                ("pass_rate_high", rate.high),
            ])
        }
        json.counts([
            ("flaky", row.flaky), ("passed", row.passed), ("failed", row.failed),
            ("errors", row.errors),
        ])
        for failure in TestFailure.allCases {
            json.key("failed_\(failure.name)")
            json.integer(Int64(row.failures[Int(failure.rawValue)]))
        }
        let durations = row.durations
        json.counts([("duration_count", durations.count)])
        for (percent, value) in zip([50, 95], durations.percentiles([50, 95])) {
            json.key("duration_p\(percent)_us")
            json.integer(Int64(value))
        }
        json.endObject()
    }
}

extension TestSetRow {
    /// Failures by their kind, the most frequent first.
    fileprivate var reasons: String {
        var counts = TestFailure.allCases.map { ("\($0.name)", failures[Int($0.rawValue)]) }
        counts.append(("error", errors))
        return counts.filter { $0.1 > 0 }.sorted { ($1.1, $0.0) < ($0.1, $1.0) }
            .map { "\($0.0) \(Figures.count($0.1))" }.joined(separator: ", ")
    }
}
