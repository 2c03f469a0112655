// Which files a format comes to.

import CSVSink
import EvalogMetrics
import HTMLSink
import OTLPSink
import TextfileSink

/// What an export can be written as.
enum ExportFormat: String, CaseIterable {
    case csv, html, textfile, otlp

    /// How tables are rendered, besides the format.
    struct Choices {
        /// Of the CSV.
        var tables = CSVFile.allCases
        /// µs since 1970.
        let exportTime: Int64
        /// How often a page loads itself again; 0 for never.
        var refreshSeconds = 0
    }

    /// - Returns: The files, and what to call them together.
    func files(
        of tables: MetricsTables, _ choices: Choices
    ) -> (files: [(name: String, body: OutputFolder.Body)], name: String) {
        switch self {
        case .csv:
            let export = CSVExport(tables, choices.tables)
            return (Self.files(of: export), "\(export.files.count) tables and \(DataPackage.name)")
        case .html:
            let export = HTMLExport(
                tables, exportTime: choices.exportTime, version: CommandLineTool.version,
                refreshSeconds: choices.refreshSeconds)
            return ([(HTMLExport.name, { try export.write(to: $0) })], HTMLExport.name)
        case .textfile:
            let bytes = TextfileExport(tables, exportTime: choices.exportTime).bytes
            return ([(TextfileExport.name, OutputFolder.body(bytes))], TextfileExport.name)
        case .otlp:
            let export = OTLPExport(tables, version: CommandLineTool.version)
            return ([(OTLPExport.name, { try export.write(to: $0) })], OTLPExport.name)
        }
    }

    private static func files(
        of export: CSVExport
    ) -> [(name: String, body: OutputFolder.Body)] {
        let files: [(name: String, body: OutputFolder.Body)] = export.files.map { file in
            (file.name, { try export.table(file).write(to: $0) })
        }
        return files + [(DataPackage.name, OutputFolder.body(export.package.bytes))]
    }
}
