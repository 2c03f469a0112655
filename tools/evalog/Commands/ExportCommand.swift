// evalog export: the tables as files for dashboards.

import CSVSink
import EvalogLog
import EvalogMetrics
import EvalogReplay

extension Flag {
    static let to = Flag(
        name: "to", value: "DIR", summary: "Folder for the files; made if it is missing.")
    static let format = Flag(
        name: "format", value: "NAME", summary: "csv: seven tables and datapackage.json.",
        detail: "Default: csv.", mayRepeat: true)
}

extension CommandSpec {
    static let export = CommandSpec(
        name: "export", summary: "the tables as CSV for dashboards",
        about: """
            Replays the log and writes evaluations, impressions, outcomes, inferences,
            inference_values, durations and quality as CSV, with datapackage.json, which names
            types, units and the rules used. The files are replaced once all of them are written. The same log gives the
            same bytes on any machine.
            """,
        flags: [.to, .format] + Flag.rules,
        examples: [
            ("evalog export --to csv", "hourly tables by usage, model and os"),
            (
                "evalog export --to csv --window day --timezone Europe/Oslo --by usage",
                "daily, by usage"
            ),
        ],
        prepare: { arguments, console in
            let command = try ExportCommand(arguments, console)
            return command.run
        })
}

struct ExportCommand {
    private let folder: String
    private let replaying: Replaying
    private let console: Console

    init(_ arguments: Arguments, _ console: Console) throws {
        guard let folder = arguments.last(.to), !folder.isEmpty else {
            throw CommandFailure("export needs --to DIR", hint: "evalog export --to csv")
        }
        for format in arguments.all(.format) where format != "csv" {
            throw CommandFailure("--format does not know \"\(format)\"", hint: "it knows csv")
        }
        self.folder = folder
        self.console = console
        replaying = try Replaying(arguments, console)
    }

    func run() throws -> ExitStatus {
        let result = try replaying.run(verb: "exporting")
        try Self.write(result.tables, to: OutputFolder(path: folder))
        console.note("\(folder): seven tables and \(DataPackage.name)")
        return .done
    }

    static func write(_ tables: MetricsTables, to folder: OutputFolder) throws {
        let export = CSVExport(tables)
        var files: [(name: String, body: OutputFolder.Body)] = CSVFile.allCases.map { file in
            (file.name, { emit in try export.table(file).write(to: emit) })
        }
        let package = export.package.bytes
        files.append((DataPackage.name, { emit in try package.withUnsafeBytes { try emit($0) } }))
        try folder.replace(files)
        try folder.sync()
    }
}
