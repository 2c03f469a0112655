// Tables to files' bytes. Which folder they go to, and how they get there, is the caller's
// business.

package import EvalogMetrics
import EvalogText

/// The files of an export, in the order in which they are best written: the package comes last.
package enum CSVFile: String, CaseIterable, Sendable {
    case evaluations, impressions, outcomes, inferences
    case inferenceValues = "inference_values"
    case durations, quality
    case package = "datapackage"

    /// The name of the file in the folder of the export.
    package var name: String { rawValue + (self == .package ? ".json" : ".csv") }
}

/// The bytes of all files of an export: equal for equal tables.
package struct CSVExport {
    let tables: MetricsTables
    private let shared: GroupColumns

    /// Renders nothing yet.
    package init(_ tables: MetricsTables) {
        self.tables = tables
        shared = GroupColumns(rules: tables.rules, groups: tables.groups)
    }

    /// Hands the bytes of a file to `emit`, piece by piece; a piece is valid during the call only.
    ///
    /// - Throws: What `emit` throws; nothing more is emitted then.
    package func write<Failure: Error>(
        _ file: CSVFile, to emit: (UnsafeRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        switch file {
        case .evaluations:
            try TableLayout.evaluations(shared).write(
                tables.evaluations.lazy.map(EvaluationCells.init), to: emit)
        case .impressions:
            try TableLayout.impressions(shared).write(tables.impressions, to: emit)
        case .outcomes: try TableLayout.outcomes(shared).write(tables.outcomes, to: emit)
        case .inferences: try TableLayout.inferences.write(tables.inferences, to: emit)
        case .inferenceValues:
            try TableLayout.inferenceValues.write(tables.inferenceValues, to: emit)
        case .durations: try TableLayout.durations(shared).write(tables.durations, to: emit)
        case .quality: try TableLayout.quality.write(tables.quality, to: emit)
        case .package:
            let package = DataPackage(export: self).bytes
            try package.withUnsafeBufferPointer { (bytes) throws(Failure) in
                try emit(UnsafeRawBufferPointer(bytes))
            }
        }
    }

    /// The table schema of a file with these tables' groups, as indented JSON; nil for the package.
    package func schema(of file: CSVFile) -> [UInt8]? {
        guard file != .package else { return nil }
        var bytes: [UInt8] = []
        JSONWriter.append(to: &bytes) { writeSchema(of: file, &$0) }
        return IndentedJSON.bytes(bytes)
    }

    func writeSchema(of file: CSVFile, _ json: inout JSONWriter) {
        switch file {
        case .evaluations: TableLayout.evaluations(shared).writeSchema(&json)
        case .impressions: TableLayout.impressions(shared).writeSchema(&json)
        case .outcomes: TableLayout.outcomes(shared).writeSchema(&json)
        case .inferences: TableLayout.inferences.writeSchema(&json)
        case .inferenceValues: TableLayout.inferenceValues.writeSchema(&json)
        case .durations: TableLayout.durations(shared).writeSchema(&json)
        case .quality: TableLayout.quality.writeSchema(&json)
        case .package: break
        }
    }

    func description(of file: CSVFile) -> String {
        switch file {
        case .evaluations: TableLayout.evaluations(shared).description
        case .impressions: TableLayout.impressions(shared).description
        case .outcomes: TableLayout.outcomes(shared).description
        case .inferences: TableLayout.inferences.description
        case .inferenceValues: TableLayout.inferenceValues.description
        case .durations: TableLayout.durations(shared).description
        case .quality: TableLayout.quality.description
        case .package: ""
        }
    }
}
