// Tables to files' bytes. Which folder they go to, and how they get there, is the caller's
// business.

package import EvalogMetrics

/// The tables of an export, in the order in which they are written.
package enum CSVFile: String, CaseIterable, Sendable {
    case evaluations, impressions, outcomes, inferences
    case inferenceValues = "inference_values"
    case durations
    case testSets = "testsets"
    /// Only where the rules ask for it.
    case drift
    case quality

    /// The name of the file in the folder of the export.
    package var name: String { rawValue + ".csv" }
}

/// The bytes of all files of an export: equal for equal tables.
package struct CSVExport {
    /// What the export consists of, in the order of writing.
    package let files: [CSVFile]
    private let tables: MetricsTables
    private let shared: GroupColumns

    /// Renders nothing yet.
    package init(_ tables: MetricsTables, _ files: [CSVFile] = CSVFile.allCases) {
        self.tables = tables
        self.files = files.filter { $0 != .drift || tables.drift != nil }
        shared = GroupColumns(rules: tables.rules, groups: tables.groups)
    }

    /// What describes the tables to whoever reads them: best written last.
    package var package: DataPackage { DataPackage(of: self, tables) }

    /// The table that a file holds.
    package func table(_ file: CSVFile) -> any CSVTable {
        switch file {
        case .evaluations:
            TableContent(
                layout: .evaluations(shared),
                rows: tables.evaluations.lazy.map(EvaluationCells.init))
        case .impressions: TableContent(layout: .impressions(shared), rows: tables.impressions)
        case .outcomes: TableContent(layout: .outcomes(shared), rows: tables.outcomes)
        case .inferences: TableContent(layout: .inferences, rows: tables.inferences)
        case .inferenceValues:
            TableContent(layout: .inferenceValues, rows: tables.inferenceValues)
        case .durations: TableContent(layout: .durations(shared), rows: tables.durations)
        case .testSets:
            TableContent(layout: .testSets, rows: tables.testSets.lazy.map(TestSetCells.init))
        case .drift:
            TableContent(layout: .drift, rows: tables.drift?.findings ?? [])
        case .quality: TableContent(layout: .quality, rows: tables.quality)
        }
    }
}
