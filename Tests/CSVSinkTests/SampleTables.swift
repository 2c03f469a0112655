// Tables made by hand, with names as bad as names can be.

import CSVSink
import EvalogFacts
import EvalogMetrics

extension MetricsTables {
    static let hour = TimeWindow(start: 1_795_946_400_000_000, end: 1_795_950_000_000_000)

    static var empty: Self {
        Self(
            rules: MetricsRules(), groups: [], evaluations: [], impressions: [], outcomes: [],
            inferences: [], inferenceValues: [], quality: [], timeRange: nil, refused: 0)
    }

    /// One group of one dimension for each name.
    static func grouped(_ names: [String]) -> Self {
        var tables = empty
        tables.rules.by = [.model]
        tables.groups = names.map { [Name($0)] }
        tables.evaluations = names.indices.map { group in
            var outcomes = OutcomeCounts()
            outcomes.skipped = 1_234_567
            return EvaluationRow(
                window: hour, group: group, outcomes: outcomes, retried: 0, attempts: 0,
                durations: Histogram(), latest: hour.start)
        }
        return tables
    }

    func bytes(_ file: CSVFile) -> [UInt8] {
        var bytes: [UInt8] = []
        CSVExport(self).table(file).write { bytes += $0 }
        return bytes
    }

    var packageBytes: [UInt8] { CSVExport(self).package.bytes }

    func text(_ file: CSVFile) -> String { String(decoding: bytes(file), as: UTF8.self) }
}
