// evalog replay --diff: what changed between two times, two logs, or an export and a log.

import CSVSink
import EvalogLog
import EvalogMetrics
import EvalogReplay

struct DiffCommand {
    /// Flags that shape the tables, on which both sides have to agree.
    private static let shaping: [Flag] = [
        .window, .by, .gap, .since, .until, .timezone, .usage, .model, .os, .outcome, .maxGroups,
    ]

    private let arguments: Arguments
    private let rules: MetricsRules
    private let otherPath: String
    private let scope: ReplayScope
    private let otherScope: ReplayScope
    private let view: DiffView
    private let console: Console

    init(_ arguments: Arguments, _ console: Console) throws {
        self.arguments = arguments
        self.console = console
        rules = try arguments.metricsRules(now: console.now())
        scope = try ReplayScope(arguments, .asOf, console)
        otherScope = try ReplayScope(arguments, .diffAsOf, console)
        otherPath = arguments.last(.diff) ?? console.logPath(arguments)
        view = DiffView(console, isJSON: arguments.has(.json))
        // What else can be wrong with the flags shows now, before a file is touched.
        _ = try Replaying(arguments, console, by: rules, scope: scope)
    }

    func run() throws -> ExitStatus {
        let other = try self.other()
        let replaying = try Replaying(arguments, console, by: other.rules, scope: scope)
        let tables = try replaying.run(verb: "replaying").tables
        return try console.show {
            try compare(CSVExport(tables), with: other)
            try view.end()
        } then: {
            view.count == 0 ? .done : .no
        }
    }

    private func compare(_ export: CSVExport, with other: Other) throws {
        for file in export.files {
            let table = export.table(file)
            do {
                var comparison = try TableComparison(
                    file, table, before: try other.pieces(file), after: table.pieces())
                while let difference = try comparison.next() {
                    if !difference.isAboutFiles { try view.show(difference) }
                }
            } catch let error as CSVError {
                throw Self.failure(error, "\(otherPath)/\(file.name)")
            }
        }
    }

    /// The side that is compared with.
    private struct Other {
        let rules: MetricsRules
        let pieces: (CSVFile) throws -> CSVPieces
    }

    private func other() throws -> Other {
        if FileSystem.exists("\(otherPath)/\(DataPackage.name)") { return try export() }
        let other = LogDirectory(path: otherPath)
        if arguments.has(.diff), try !other.isLog() {
            throw CommandFailure(
                "\(otherPath) is neither a log nor an export",
                hint: LogPlace.suggestion(for: otherPath)
                    ?? "name the folder of a log, or one that evalog export wrote")
        }
        let replaying = try Replaying(
            arguments, console, of: other, by: rules, scope: otherScope)
        let export = CSVExport(try replaying.run(verb: "replaying \(otherPath)").tables)
        return Other(rules: rules) { file in export.table(file).pieces() }
    }

    private func export() throws -> Other {
        let folder = ExportFolder(path: otherPath)
        if let flag = Self.shaping.first(where: arguments.has) {
            throw CommandFailure(
                "--\(flag.name) cannot be chosen here: \(otherPath) says by which rules it was made",
                hint: "leave --\(flag.name) out, or export again with it")
        }
        guard !arguments.has(.diffAsOf) else {
            throw CommandFailure(
                "--diff-as-of does not go with an export", hint: "leave it out, or name a log")
        }
        return Other(rules: try folder.rules(), pieces: folder.pieces)
    }

    private static func failure(_ error: CSVError, _ path: String) -> CommandFailure {
        let what =
            switch error {
            case .malformed(let line): "line \(line) is not as evalog export writes it"
            case .otherColumns: "it has other columns than this version writes"
            case .unsorted(let line): "line \(line) is not in order"
            }
        return CommandFailure("cannot compare \(path): \(what)", hint: "export it again")
    }
}
