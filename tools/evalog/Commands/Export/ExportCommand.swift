// evalog export: the tables as files for dashboards.

import CSVSink
import EvalogLog
import EvalogMetrics
import EvalogReplay
import OTLPSink

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension Flag {
    static let to = Flag(
        name: "to", value: "DIR", summary: "Folder for the files; made if it is missing.")
    static let format = Flag(
        name: "format", value: "NAME",
        summary: "csv, html, textfile for Prometheus, otlp for OpenTelemetry.",
        detail: """
            csv (the default): tables and datapackage.json. html: evalog.html, a page with charts
            and filters that needs no network. textfile: evalog.prom for the textfile
            collector of node_exporter, with the windows added up. otlp: evalog-metrics.otlp.jsonl for the file
            receiver of the OpenTelemetry Collector, a line for each window.
            """, choices: ExportFormat.allCases.map(\.rawValue), mayRepeat: true)
    static let watch = Flag(
        name: "watch", value: "LENGTH",
        summary: "Go on, and export again whenever the log has grown: 10s.",
        detail: "Looks once in LENGTH, from 1s to 1d; a page loads itself again as often.")
    static let spans = Flag(
        name: "spans", summary: "With --format otlp: also a span for each evaluation.",
        detail:
            "evalog-spans.otlp.jsonl, of fields of facts only. Takes some 400 bytes of memory for each."
    )
    static let exportDriftBy = Flag(
        name: "drift-by", value: "FIELD",
        summary: "Also compare two systems, models or versions: os, model or app.",
        detail:
            "Adds drift.csv, and a table to the page; needs --baseline and --candidate, as evalog"
            + " drift does.", choices: DriftRules.dimensions.map(\.rawValue))
    static let tables = Flag(
        name: "tables", value: "NAMES",
        summary: "Only these tables, such as evaluations,impressions.",
        detail: "Default: all. Files of others that the folder already has stay as they are.")
}

extension CommandSpec {
    static let export = CommandSpec(
        name: "export", summary: "the tables as CSV or a page, for Prometheus or OpenTelemetry",
        about: """
            Replays the log and writes evaluations, impressions, outcomes, inferences,
            inference_values, durations and quality as CSV, with datapackage.json, which names
            types, units and the rules used. The files are replaced once all of them are written. CSV and OTLP have the same bytes for
            the same log on any machine with the same time zone database; a page and a textfile say when they were
            made.
            """,
        flags: [
            .to, .format, .spans, .tables, .watch, .exportDriftBy, .driftBaseline, .driftCandidate,
            .driftLevel,
        ] + Flag.rules,
        examples: [
            ("evalog export --to csv", "hourly tables by usage, model and os"),
            (
                "evalog export --to csv --window day --timezone Europe/Oslo --by usage",
                "daily, by usage"
            ),
            (
                "evalog export --to site --format html --watch 10s",
                "a page to look at, kept up to date"
            ),
            (
                "evalog export --to csv --drift-by os --baseline \"iOS 26.1\" --candidate \"iOS 26.2\"",
                "also drift.csv"
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

struct ExportCommand {
    private let folder: String
    private let formats: [ExportFormat]
    private let tables: [CSVFile]
    private let withSpans: Bool
    /// Seconds between two exports; nil for a single one.
    private let watchSeconds: Int?
    /// As the flags say at this moment.
    private let replaying: () throws -> Replaying
    private let console: Console

    init(_ arguments: Arguments, _ console: Console) throws {
        guard let folder = arguments.last(.to) else {
            throw CommandFailure("export needs --to DIR", hint: "evalog export --to csv")
        }
        self.folder = folder
        self.console = console
        formats = try Self.formats(arguments.all(.format))
        tables = try Self.tables(arguments.last(.tables))
        if arguments.has(.tables), !formats.contains(.csv) {
            throw CommandFailure(
                "--tables chooses among the tables of the CSV", hint: "add --format csv")
        }
        withSpans = arguments.has(.spans)
        if withSpans, !formats.contains(.otlp) {
            throw CommandFailure(
                "--spans goes with --format otlp",
                hint: "evalog export --to d --format otlp --spans")
        }
        watchSeconds = try Self.watchSeconds(arguments.last(.watch))
        let drift = try arguments.exportDrift()
        if drift == nil, tables.contains(.drift), arguments.has(.tables) {
            throw CommandFailure(
                "--tables names drift, and nothing is to be compared",
                hint: "add --drift-by os --baseline \"iOS 26.1\" --candidate \"iOS 26.2\"")
        }
        replaying = {
            var rules = try arguments.metricsRules(now: console.now())
            rules.drift = drift
            do {
                try rules.validate()
            } catch {
                throw ErrorText.of(error)
            }
            return try Replaying(arguments, console, by: rules)
        }
        _ = try replaying()
    }

    func run() throws -> ExitStatus {
        let first = try replaying()
        try first.directory.demandExisting()
        // Before the long work: a place where nothing can be put shows at once.
        let output = try OutputFolder(path: folder, of: first.directory)
        guard let watchSeconds else {
            try export(first, to: output)
            return .done
        }
        try Interrupts.stoppable { shouldStop in
            try watch(to: output, every: watchSeconds, shouldStop)
        }
        return .done
    }

    /// Exports whenever there is something new in the log, or the flags mean another time.
    private func watch(
        to output: OutputFolder, every seconds: Int, _ shouldStop: () -> Bool
    ) throws {
        var last: (entries: [LogDirectory.Entry], rules: MetricsRules)?
        while !shouldStop() {
            let next = try replaying()
            // Before the reading: what is appended meanwhile is new the next time.
            let entries = try next.directory.list(.facts).segments
            if last?.entries != entries || last?.rules != next.rules {
                try export(next, to: output)
                last = (entries, next.rules)
            }
            let clock = SystemClock()
            let end = clock.monotonicTime() + Int64(seconds) * 1_000_000
            while clock.monotonicTime() < end, !shouldStop() {
                usleep(useconds_t(LogLimits.followPause))
            }
        }
    }

    private func export(_ replaying: Replaying, to output: OutputFolder) throws {
        let result = try replaying.run(verb: "exporting")
        let choices = ExportFormat.Choices(
            tables: tables, exportTime: console.now(), refreshSeconds: watchSeconds ?? 0)
        var parts = formats.map { $0.files(of: result.tables, choices) }
        if withSpans {
            let spans = try replaying.spans()
            let body: OutputFolder.Body = {
                try spans.write(replaying.rules, version: CommandLineTool.version, to: $0)
            }
            parts.append(([(OTLPSpans.name, body)], OTLPSpans.name))
        }
        try output.replace(parts.flatMap(\.files))
        console.note("\(folder): \(parts.map(\.name).joined(separator: ", "))")
    }

    // MARK: Flags

    private static func formats(_ names: [String]) throws -> [ExportFormat] {
        for name in names where ExportFormat(rawValue: name) == nil {
            let known = ExportFormat.allCases.map(\.rawValue).joined(separator: ", ")
            throw CommandFailure("--format does not know \"\(name)\"", hint: "it knows \(known)")
        }
        return names.isEmpty
            ? [.csv] : ExportFormat.allCases.filter { names.contains($0.rawValue) }
    }

    /// The tables that a list of names asks for, in the order of an export; nil asks for all.
    private static func tables(_ list: String?) throws -> [CSVFile] {
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

    private static func watchSeconds(_ text: String?) throws -> Int? {
        guard let text else { return nil }
        guard let length = Figures.parseDuration(text),
            (1_000_000...86_400_000_000).contains(length)
        else {
            throw CommandFailure("--watch takes a length from 1s to 1d", hint: "--watch 10s")
        }
        return Int(length / 1_000_000)
    }
}

extension Arguments {
    /// What an export compares besides; nil without a flag for it.
    fileprivate func exportDrift() throws -> DriftRules? {
        let flags: [Flag] = [.exportDriftBy, .driftBaseline, .driftCandidate, .driftLevel]
        guard flags.contains(where: has) else { return nil }
        return try driftRules(
            by: .exportDriftBy,
            example: "--drift-by os --baseline \"iOS 26.1\" --candidate \"iOS 26.2\"")
    }
}
