// evalog demo: a day of an app through evaluator, features, recorder, log, replay and export.

import AirshipCore
import Dispatch
import EvalogLog
import EvalogMetrics
import EvalogReplay
import EvalogText
import Foundation
import HTMLSink

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
        name: "sample", value: "DIR", summary: "Folder of the recording that answers.",
        detail: "Default: the sample that came with evalog. It holds evaluations.ndjson.")
    static let seed = Flag(
        name: "seed", value: "N", summary: "Another day for another number.",
        detail: "Default: 1. The same seed gives the same facts but for ids and dates.")
    static let fixedClock = Flag(
        name: "fixed-clock", summary: "The same ids and the same date in every run.",
        detail: "The day is 28 November 2026. Without the flag it is yesterday, UTC.")
    static let modelURL = Flag(
        name: "model-url", value: "URL", summary: "Ask an OpenAI-compatible server instead.",
        detail: "What comes before /chat/completions. In real time, with fewer evaluations. A key"
            + " is taken from EVALOG_MODEL_KEY. Without a server the app goes on without answers.")
    static let modelName = Flag(
        name: "model", value: "NAME", summary: "The server's name for the model.",
        detail: "Default: local. It also names the model in the log. Needs --model-url.")
}

extension CommandSpec {
    static let demo = CommandSpec(
        name: "demo", summary: "a day of an app through the whole pipeline",
        about: """
            Plays the day of an app: banners are ranked anew as they come and go, scenes are held
            back, texts are classified, the model is away for an hour, the user switches it off, the
            system is updated. The evaluator's real features ask recorded answers of two small
            language models, or a live server; a recorder writes the log. Then replays the log,
            exports the tables as CSV and shows the summary.
            """,
        flags: [.demoFolder, .seed, .fixedClock, .sample, .modelURL, .modelName],
        examples: [
            ("evalog demo", "leaves a log and CSV in ./evalog-demo"),
            ("evalog demo --seed 7 --to another", "another day, in ./another"),
            (
                "evalog demo --model-url http://127.0.0.1:8089/v1 --to live",
                "the same through a server on this machine, in a minute or two"
            ),
        ],
        prepare: { arguments, console in try DemoCommand(arguments, console).run })
}

struct DemoCommand {
    private static let day: Int64 = 86_400_000_000
    /// 28 November 2026, UTC.
    private static let fixedMidnight: Int64 = 1_795_824_000_000_000

    private let folder: String
    private let answers: Answers
    private let seed: UInt64
    private let hasFixedClock: Bool
    private let material: DayMaterial
    private let console: Console

    /// Who answers the day's questions.
    private enum Answers {
        case recording(path: String)
        case server(URL, name: String)
    }

    init(
        _ arguments: Arguments, _ console: Console, material: DayMaterial = .demonstration
    ) throws {
        folder = arguments.last(.demoFolder) ?? "evalog-demo"
        seed = UInt64(try arguments.wholeNumber(.seed, in: 0...Int.max) ?? 1)
        hasFixedClock = arguments.has(.fixedClock)
        self.material = material
        self.console = console
        if let url = try arguments.serverURL(.modelURL) {
            if hasFixedClock {
                throw CommandFailure(
                    "--fixed-clock cannot be kept with a server", hint: "leave one of them out")
            }
            answers = .server(url, name: arguments.last(.modelName) ?? "local")
        } else {
            if arguments.has(.modelName) {
                throw CommandFailure(
                    "--model needs a server",
                    hint: "--model-url http://127.0.0.1:8089/v1")
            }
            answers = .recording(path: try Sample.locate(arguments.last(.sample)))
        }
    }

    func run() throws -> ExitStatus {
        _ = try OutputFolder(path: folder, of: nil)
        let directory = LogDirectory(path: "\(folder)/log")
        if FileSystem.isFolder(directory.path) {
            console.note(
                "\(directory.path) is there already and used as it is; delete it to start anew")
        } else {
            try playWhole(into: directory)
        }
        let result = try Replaying(directory, MetricsRules(), console).run(verb: "replaying")
        let choices = ExportFormat.Choices(exportTime: console.now())
        for (format, place) in [(ExportFormat.csv, "\(folder)/csv"), (.html, folder)] {
            try OutputFolder(path: place, of: directory)
                .replace(format.files(of: result.tables, choices).files)
        }
        try console.output.write(Summary(result.tables).text(fitting: console.output.terminalWidth))
        try console.output.write(
            """

            log    \(Printable.text(directory.path))
            CSV    \(Printable.text(folder))/csv (evaluations.csv is the one to draw first)
            page   \(Printable.text(folder))/\(HTMLExport.name) (open it in a browser)

            Next: \(Printable.text("\(Self.program) tail -n 5 --log \(directory.path)"))

            """)
        return .done
    }

    /// The program as the person called it, so that the next command can be copied.
    private static var program: String {
        let word = CommandLine.arguments.first ?? ""
        return word.contains("/") && !word.contains(" ") ? word : "evalog"
    }

    // MARK: The day

    /// Plays into a folder of another name until it is done: the next run would take half a day for a
    /// whole one. With a server it takes minutes, in which somebody may want to follow.
    private func playWhole(into directory: LogDirectory) throws {
        if case .server = answers { return try play(into: directory) }
        let unfinished = "\(folder)/.log.unfinished"
        let remove: @Sendable () -> Void = {
            try? FileManager.default.removeItem(atPath: unfinished)
        }
        remove()
        let ending = Interrupts.atEnd(remove)
        defer {
            remove()
            ending.cancel()
        }
        try play(into: LogDirectory(path: unfinished))
        try Interrupts.whole {
            guard rename(unfinished, directory.path) == 0 else {
                throw CommandFailure(
                    "cannot name \(directory.path): \(SystemError.text(errno))",
                    hint: "name another folder with --to")
            }
        }
    }

    private func play(into directory: LogDirectory) throws {
        let progress = Progress("playing the day", console: console)
        let day = AppDay(try parts(directory)) { done, total in
            progress.update(done: done, total: total)
        }
        // To the end of the row, so that nobody writes any more when the folder is removed.
        let played = Interrupts.stoppable { shouldStop in
            waiting { await day.play(DayScript.rows, shouldStop: shouldStop) }
        }
        progress.end()
        guard played.isWritten else {
            throw CommandFailure(
                "\(folder)/log could not be written completely",
                hint: "check the space and the permissions there and try again")
        }
        console.note(
            "played a day of \(Figures.count(played.evaluationCount)) evaluations into"
                + " \(folder)/log")
        if case .server = answers, played.unreachedCount > 0 {
            console.warn(
                "\(Figures.count(played.unreachedCount)) evaluations reached no server; the app went"
                    + " on without their answers"
                    + (played.completedCount == 0 ? "; is it running at --model-url?" : ""))
        }
    }

    private func parts(_ directory: LogDirectory) throws -> DayParts {
        let time: any DayTime
        let models: any DayModels
        switch answers {
        case .server(let url, let name):
            time = RealTime()
            models = LiveModels(
                baseURL: url, name: name, key: console.environment["EVALOG_MODEL_KEY"])
        case .recording(let path):
            guard let bytes = try FileSystem.contents(of: path) else {
                throw CommandFailure("cannot open \(path)", hint: "check the path")
            }
            let virtual = VirtualTime(midnight: midnight)
            time = virtual
            models = try RecordedModels(
                recording: Data(bytes), seed: seed, time: virtual.answers)
        }
        return DayParts(
            directory: directory, time: time, models: models, material: material, seed: seed,
            random: random(seed: ~seed), recorderRandom: random(seed: ~(seed ^ 1 << 63)))
    }

    private var midnight: Int64 {
        if hasFixedClock { return Self.fixedMidnight }
        let now = console.now()
        return now - now % Self.day - Self.day
    }

    /// For ids. Not the dice of the day: how many are drawn must not decide what happens.
    private func random(seed: UInt64) -> @Sendable () -> UInt64 {
        guard hasFixedClock else { return { .random(in: .min ... .max) } }
        let dice = Locked(Dice(seed: seed))
        return { dice.withLock { $0.next() } }
    }
}
