// evalog demo: the whole pipeline on the sample that ships with evalog.

import EvalogLog
import EvalogMetrics
import EvalogRecording
import EvalogReplay

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension Flag {
    static let demoFolder = Flag(
        name: "to", value: "DIR", summary: "Folder for the log and the CSV.",
        detail: "Default: ./evalog-demo. A log that is already there is used as it is.")
    static let sample = Flag(
        name: "sample", value: "DIR", summary: "Folder of the sample.",
        detail: "Default: the one that came with evalog.")
}

extension CommandSpec {
    static let demo = CommandSpec(
        name: "demo", summary: "the whole pipeline on the sample that ships with it",
        about: """
            Imports 80 recorded evaluations of two small language models into a log, replays it,
            exports the tables as CSV and shows the summary.
            """,
        flags: [.demoFolder, .sample],
        examples: [("evalog demo", "leaves a log and CSV in ./evalog-demo")],
        prepare: { arguments, console in
            let demo = DemoCommand(
                folder: arguments.last(.demoFolder) ?? "evalog-demo",
                sample: try Sample.locate(arguments.last(.sample)), console: console)
            return demo.run
        })
}

struct DemoCommand {
    let folder: String
    let sample: String
    let console: Console

    func run() throws -> ExitStatus {
        _ = try OutputFolder(path: folder)
        let directory = LogDirectory(path: "\(folder)/log")
        if FileSystem.isFolder(directory.path) {
            console.note(
                "\(directory.path) is there already and used as it is; delete it to start anew")
        } else {
            for name in Sample.fileNames {
                let file = FileImport(
                    path: "\(sample)/\(name)", source: "sample/\(name)",
                    choice: .all(days: RecordingLimits.contentDaysDefault),
                    directory: directory, console: console)
                _ = try file.run(isStrict: false)
            }
        }
        let result = try Replaying(directory, MetricsRules(), console).run(verb: "replaying")
        try ExportCommand.write(result.tables, to: OutputFolder(path: "\(folder)/csv"))
        try console.output.write(Summary(result.tables).text(fitting: console.output.terminalWidth))
        try console.output.write(
            """

            log    \(directory.path)
            CSV    \(folder)/csv (evaluations.csv is the one to draw first)

            Next: evalog tail -n 5 --log \(directory.path)

            """)
        return .done
    }
}

/// The recorded evaluations that ship with evalog.
enum Sample {
    static let fileNames = ["evaluations.ndjson", "events.ndjson"]

    /// The sample's folder: as given, else beside the program, as it is installed or checked out.
    static func locate(_ given: String?) throws -> String {
        if let given {
            guard holdsSample(given) else {
                throw CommandFailure(
                    "there is no \(fileNames[0]) in \(given)", hint: "leave --sample out")
            }
            return given
        }
        var folder = programFolder()
        let installed = "\(folder)/../share/evalog/sample"
        if holdsSample(installed) { return installed }
        while let slash = folder.lastIndex(of: "/") {
            if holdsSample("\(folder)/sample") { return "\(folder)/sample" }
            folder = String(folder[..<slash])
        }
        throw CommandFailure(
            "the sample is not beside the program", hint: "name its folder with --sample DIR")
    }

    private static func holdsSample(_ folder: String) -> Bool {
        fileNames.allSatisfy { FileSystem.exists("\(folder)/\($0)") }
    }

    private static func programFolder() -> String {
        #if os(Linux)
            let path = FileSystem.absolute("/proc/self/exe")
        #else
            let path = FileSystem.absolute(CommandLine.arguments[0])
        #endif
        return String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
    }
}
