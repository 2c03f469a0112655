// evalog import: evaluation records, fact lines, or another log → this log.

import EvalogContent
import EvalogFacts
import EvalogImporters
import EvalogLog
import EvalogRecording

extension Flag {
    static let strict = Flag(
        name: "strict", summary: "Import nothing of a file that has a bad line.",
        detail: "The file is read twice, so it cannot be standard input.")
    static let source = Flag(
        name: "source", value: "NAME", summary: "What the input is called in derived ids.",
        detail:
            "Records without an id get one from this name, the line, and how often the line came"
            + " before; so importing again adds nothing. Default: the file's full path without .gz,"
            + " or - for standard input.")
    static let traceFormat = Flag(
        name: "format", value: "NAME", summary: "Traces of other tools: otlp, langfuse.",
        detail: """
            otlp: OTLP/JSON as the OpenTelemetry Collector's file exporter writes it; a span with
            gen_ai.operation.name is an evaluation. langfuse: traces with observations, one a line; a
            generation is an evaluation. Without it: evaluation records and facts.
            """, choices: TraceFormat.allCases.map(\.rawValue))
    static let badLines = Flag(
        name: "bad-lines", value: "N", summary: "Name so many bad lines of each file.",
        detail: "Default: \(FaultReport.shownCountMax). The others are counted.")
}

extension CommandSpec {
    static let `import` = CommandSpec(
        name: "import", summary: "evaluation records or facts, or another log, into the log",
        operands: "FILE… | DIR | -", operandCount: 1...10_000,
        about: """
            Appends evaluation records or fact lines (one JSON object a line, plain or gzip, - for
            standard input), or copies the segments of another log. A bad line is named, counted and
            passed over, and the status is then 1. Importing the same again adds nothing to the
            numbers.
            """,
        flags: [.content, .strict, .source, .traceFormat, .badLines],
        examples: [
            ("evalog import records.ndjson", "imports a file; the log is ./evalog-log"),
            ("zcat old/*.gz | evalog import --source old --log ai.log -", "imports what comes in"),
            ("evalog import --format otlp traces.jsonl", "what other tools recorded"),
            ("evalog import /backup/evalog-log", "adds another log's segments"),
        ],
        prepare: { arguments, console in
            let command = try ImportCommand(arguments, console)
            return command.run
        })
}

/// Imports each operand in turn and remembers what was refused.
struct ImportCommand {
    private let operands: [String]
    private let choice: ContentRetention
    private let isStrict: Bool
    private let source: String?
    private let badLineCountMax: Int
    private let format: TraceFormat?
    private let directory: LogDirectory
    private let console: Console

    init(_ arguments: Arguments, _ console: Console) throws {
        operands = arguments.operands
        isStrict = arguments.has(.strict)
        source = arguments.last(.source)
        badLineCountMax =
            try arguments.wholeNumber(.badLines, in: 0...1_000_000_000)
            ?? FaultReport.shownCountMax
        format = try arguments.last(.traceFormat).map { name in
            guard let format = TraceFormat(rawValue: name) else {
                let known = TraceFormat.allCases.map(\.rawValue).joined(separator: ", ")
                throw CommandFailure(
                    "--format does not know \"\(name)\"", hint: "it knows \(known)")
            }
            return format
        }
        directory = LogDirectory(path: console.logPath(arguments))
        self.console = console
        guard let choice = ContentRetention(name: arguments.last(.content) ?? "off") else {
            throw CommandFailure("--content takes off, failures or all", hint: "--content failures")
        }
        self.choice = choice
        if operands.count(where: { $0 == "-" }) > 1 {
            throw CommandFailure("standard input can be read once only", hint: "give one -")
        }
        if isStrict, operands.contains("-") { throw Self.readOnce("standard input") }
        if source != nil, operands.count > 1 {
            throw CommandFailure("--source names one input", hint: "import them one by one")
        }
    }

    func run() throws -> ExitStatus {
        try checkPlace()
        for operand in operands { try check(operand) }
        let hadFacts = try ImportTarget.hasFacts(directory)
        let outcomes = try operands.map(importOne)
        if hadFacts, outcomes.contains(where: \.hasLines) {
            // How many these are, only a replay can tell.
            console.note(
                "should the log have had some of them already, by their ids, these count once")
        }
        return outcomes.allSatisfy(\.isClean) ? .done : .no
    }

    /// A log inside of a log would be one that nobody looks for.
    private func checkPlace() throws {
        guard try !FileSystem.isFolder(directory.path) || !directory.isLog(),
            let log = LogPlace.log(around: directory.path)
        else { return }
        throw CommandFailure(
            "\(directory.path) lies inside of the log \(log)", hint: "did you mean --log \(log)?")
    }

    /// What is known to fail fails before anything is made or imported.
    private func check(_ operand: String) throws {
        if operand == "-" { return }
        if FileSystem.isFolder(operand) {
            _ = try LogCopy(from: operand, to: directory, choice: choice, console: console)
        } else {
            try FileSystem.demandReadable(operand)
            if isStrict, FileSystem.isStream(operand) { throw Self.readOnce(operand) }
        }
    }

    private static func readOnce(_ input: String) -> CommandFailure {
        CommandFailure(
            "--strict reads its input twice, which \(input) does not allow",
            hint: "write it to a file first")
    }

    private func importOne(_ operand: String) throws -> FileImport.Outcome {
        if operand != "-", FileSystem.isFolder(operand) {
            try LogCopy(from: operand, to: directory, choice: choice, console: console).run()
            return FileImport.Outcome(isClean: true, hasLines: false)
        }
        let file = FileImport(
            path: operand, source: source ?? FileSystem.sourceName(of: operand), choice: choice,
            badLineCountMax: badLineCountMax, format: format, directory: directory, console: console
        )
        return try file.run(isStrict: isStrict)
    }
}
