// evalog export: the tables as files for dashboards.

import CSVSink
import EvalogLog
import EvalogMetrics
import EvalogReplay
import HTMLSink
import OTLPSink
import TextfileSink

extension Flag {
    static let to = Flag(
        name: "to", value: "DIR", summary: "Folder for the files; made if it is missing.")
    static let format = Flag(
        name: "format", value: "NAME",
        summary: "csv, textfile for Prometheus, otlp for OpenTelemetry.",
        detail: """
            csv (the default): seven tables and datapackage.json. textfile: evalog.prom for the textfile
            collector of node_exporter, with the windows added up. otlp: evalog-metrics.otlp.jsonl for the file
            receiver of the OpenTelemetry Collector, a line for each window.
            """, choices: ExportFormat.allCases.map(\.rawValue), mayRepeat: true)
    static let tables = Flag(
        name: "tables", value: "NAMES",
        summary: "Only these tables, such as evaluations,impressions.",
        detail: "Default: all seven. Files of others that the folder already has stay as they are.")
}

extension CommandSpec {
    static let export = CommandSpec(
        name: "export", summary: "the tables as CSV, for Prometheus or for OpenTelemetry",
        about: """
            Replays the log and writes evaluations, impressions, outcomes, inferences,
            inference_values, durations and quality as CSV, with datapackage.json, which names
            types, units and the rules used. The files are replaced once all of them are written. The same log gives the
            same bytes on any machine.
            """,
        flags: [.to, .format, .tables] + Flag.rules,
        examples: [
            ("evalog export --to csv", "hourly tables by usage, model and os"),
            (
                "evalog export --to csv --window day --timezone Europe/Oslo --by usage",
                "daily, by usage"
            ),
            (
                "evalog export --to csv --tables evaluations,impressions",
                "without the large durations.csv"
            ),
            (
                "evalog export --to /var/lib/prometheus/node-exporter --format textfile --window month",
                "what a node_exporter hands to Prometheus"
            ),
        ],
        prepare: { arguments, console in
            let command = try ExportCommand(arguments, console)
            return command.run
        })
}

/// What an export can be written as.
private enum ExportFormat: String, CaseIterable {
    case csv, html, textfile, otlp
}

struct ExportCommand {
    private let folder: String
    private let files: [CSVFile]
    private let formats: Set<ExportFormat>
    private let replaying: Replaying
    private let console: Console

    init(_ arguments: Arguments, _ console: Console) throws {
        guard let folder = arguments.last(.to) else {
            throw CommandFailure("export needs --to DIR", hint: "evalog export --to csv")
        }
        formats = try Self.formats(arguments.all(.format))
        files = try Self.files(arguments.last(.tables))
        self.folder = folder
        self.console = console
        replaying = try Replaying(arguments, console)
    }

    func run() throws -> ExitStatus {
        let log = replaying.directory
        try log.demandExisting()
        // Before the long work: a place where nothing can be put shows at once.
        let output = try OutputFolder(path: folder, of: log)
        let result = try replaying.run(verb: "exporting")
        var written: [(name: String, body: OutputFolder.Body)] = []
        var names: [String] = []
        if formats.contains(.csv) {
            written += Self.files(result.tables, files)
            let count = files.count == CSVFile.allCases.count ? "seven" : "\(files.count)"
            names.append("\(count) tables and \(DataPackage.name)")
        }
        if formats.contains(.html) {
            let export = HTMLExport(
                result.tables, exportTime: console.now(), version: CommandLineTool.version)
            written.append((HTMLExport.name, { emit in try export.write(to: emit) }))
            names.append(HTMLExport.name)
        }
        if formats.contains(.textfile) {
            let bytes = TextfileExport(result.tables, exportTime: console.now()).bytes
            written.append((TextfileExport.name, { emit in try bytes.withUnsafeBytes(emit) }))
            names.append(TextfileExport.name)
        }
        if formats.contains(.otlp) {
            let export = OTLPExport(result.tables, version: CommandLineTool.version)
            written.append((OTLPExport.name, { emit in try export.write(to: emit) }))
            names.append(OTLPExport.name)
        }
        try output.replace(written)
        console.note("\(folder): \(names.joined(separator: ", "))")
        return .done
    }

    private static func formats(_ names: [String]) throws -> Set<ExportFormat> {
        let formats = try names.map { name in
            guard let format = ExportFormat(rawValue: name) else {
                let known = ExportFormat.allCases.map(\.rawValue).joined(separator: ", ")
                throw CommandFailure(
                    "--format does not know \"\(name)\"", hint: "it knows \(known)")
            }
            return format
        }
        return formats.isEmpty ? [.csv] : Set(formats)
    }

    /// The files that a list of names asks for, in the order of an export; nil asks for all.
    private static func files(_ list: String?) throws -> [CSVFile] {
        guard let list else { return CSVFile.allCases }
        let names = list.split(separator: ",").map(String.init)
        for name in names where CSVFile(rawValue: name) == nil {
            let known = CSVFile.allCases.map(\.rawValue).joined(separator: ", ")
            throw CommandFailure("--tables does not know \"\(name)\"", hint: "it knows \(known)")
        }
        let files = CSVFile.allCases.filter { names.contains($0.rawValue) }
        guard !files.isEmpty else {
            throw CommandFailure(
                "--tables names no table", hint: "--tables evaluations,impressions")
        }
        return files
    }

    static func write(_ tables: MetricsTables, to folder: OutputFolder) throws {
        try folder.replace(files(tables, CSVFile.allCases))
    }

    private static func files(
        _ tables: MetricsTables, _ chosen: [CSVFile]
    ) -> [(name: String, body: OutputFolder.Body)] {
        let export = CSVExport(tables, chosen)
        var files: [(name: String, body: OutputFolder.Body)] = chosen.map { file in
            (file.name, { emit in try export.table(file).write(to: emit) })
        }
        let package = export.package.bytes
        files.append((DataPackage.name, { emit in try package.withUnsafeBytes(emit) }))
        return files
    }
}
