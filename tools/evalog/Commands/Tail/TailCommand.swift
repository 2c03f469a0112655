// evalog tail: the newest lines, and what comes after them.

import EvalogContent
import EvalogFacts
import EvalogLog

extension Flag {
    static let lineCount = Flag(
        name: "lines", letter: "n", value: "N", summary: "So many of the newest lines.",
        detail: "Default: 10; with --since all. With filters, the newest that pass them.")
    static let follow = Flag(
        name: "follow", letter: "f", summary: "Go on with what is appended, until interrupted.")
    static let position = Flag(
        name: "position", value: "FILE", summary: "Go on where FILE says; keep it up to date.",
        detail:
            "Without the file, starts at the log's first line. It is replaced after the output was"
            + " written: exactly once, also across interruptions; at least once across a kill.")
    static let reveal = Flag(
        name: "reveal", summary: "Show the confidential content of each evaluation as well.",
        detail: "Who revealed when is appended to LOG/reveals.ndjson.")
}

extension CommandSpec {
    static let tail = CommandSpec(
        name: "tail", summary: "the newest lines, and with -f what is happening",
        about: """
            Shows the newest facts, aligned and coloured by outcome, or with --json the lines as they
            are. -f goes on across new writers and segments, by position and not by time. Filters on
            fields leave out facts that have not the field; values of one field are alternatives.
            """,
        flags: [.lineCount, .follow, .json, .position, .reveal] + FilterField.all.map(\.flag) + [
            .since, .until,
        ],
        examples: [
            ("evalog tail -f --outcome failed --since 15m", "failures since then, and each new"),
            ("evalog tail --json --position seen -f | ship", "hands each line on once"),
        ],
        prepare: { arguments, console in
            let command = try TailCommand(arguments, console)
            return command.run
        })
}

struct TailCommand {
    /// Where it begins.
    private enum Start {
        case newest(Int)
        case since(Int64, newest: Int?)
        case position(PositionFile)
    }

    private let directory: LogDirectory
    private let start: Start
    private let isFollowing: Bool
    private let filter: LineFilter
    private let isJSON: Bool
    private let isRevealing: Bool
    private let console: Console
    /// Waits for the next look; false once there is to be none.
    private let pause: (Output) throws -> Bool

    /// - Parameter pause: What happens between two looks with `-f`.
    init(
        _ arguments: Arguments, _ console: Console,
        pause: @escaping (Output) throws -> Bool = {
            try $0.waitForReader(LogLimits.followPause)
            return true
        }
    ) throws {
        directory = LogDirectory(path: console.logPath(arguments))
        filter = try LineFilter(arguments, now: console.now())
        isFollowing = arguments.has(.follow)
        isJSON = arguments.has(.json)
        isRevealing = arguments.has(.reveal)
        self.console = console
        self.pause = pause
        let lineCount = try arguments.wholeNumber(.lineCount, in: 0...100_000)
        if let path = arguments.last(.position) {
            guard lineCount == nil else {
                throw CommandFailure(
                    "--position says where to start, and so does -n", hint: "leave one of them out")
            }
            start = .position(PositionFile(path: path, of: directory))
        } else if let since = filter.since {
            start = .since(since, newest: lineCount)
        } else {
            start = .newest(lineCount ?? 10)
        }
    }

    func run() throws -> ExitStatus {
        try directory.demandExisting()
        var positionFile: PositionFile?
        var position = Position()
        if case .position(let file) = start {
            positionFile = file
            position = try file.read()
        }
        if isRevealing {
            try RevealJournal(directory, console).add(command: "tail", filters: filter.descriptions)
        }
        let view = TailView(directory, filter, isJSON: isJSON, isRevealing: isRevealing, console)
        let follower = try showFirst(from: position, on: view)
        try positionFile?.replaceIfChanged(follower.position)
        if isFollowing {
            try Interrupts.stoppable { shouldStop in
                while try pause(console.output), !shouldStop() {
                    try poll(follower) { try view.add($0) }
                    try view.flush()
                    try positionFile?.replaceIfChanged(follower.position)
                }
                view.end()
            }
        } else {
            view.end()
        }
        return .done
    }

    /// Shows what there is to be seen before following, and follows from behind it.
    private func showFirst(from position: Position, on view: TailView) throws -> LogFollower {
        if case .newest(let count) = start {
            let (lines, report) = try NewestLines.find(count, in: directory, filter)
            try lines.forEach(view.add)
            try view.flush()
            for damage in report.damages { console.warn(of: damage) }
            return LogFollower(
                directory, .facts, from: report.position, knowing: report.damages,
                where: filter.mayPass)
        }
        let follower = LogFollower(directory, .facts, from: position, where: filter.mayPass)
        if case .since(_, let count?) = start {
            var newest = NewestLines(count)
            var decoder = FactDecoder()
            try poll(follower) { if filter.mayShow($0, &decoder) { newest.add($0) } }
            try newest.forEach(view.add)
        } else {
            try poll(follower) { try view.add($0) }
        }
        try view.flush()
        return follower
    }

    private func poll(
        _ follower: LogFollower, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        let report: LogFollower.Report
        do {
            report = try follower.poll { block in
                try block.forEachLine { _, line in try body(line) }
            }
        } catch LogError.unsteady where isFollowing {
            // Somebody rewrites segments faster than they are read. That ends, and nothing is missed.
            return
        }
        for damage in report.damages { console.warn(of: damage) }
        for name in report.truncated { console.warn("\(name) became shorter") }
    }
}

extension Console {
    /// Says where the log is damaged, and who knows more.
    func warn(of damage: Damage) {
        warn(
            "\(damage.segment) is damaged at \(damage.offset)"
                + " (\(damage.reason.rawValue.replacing("_", with: " ")));"
                + " evalog verify says what is lost")
    }
}
