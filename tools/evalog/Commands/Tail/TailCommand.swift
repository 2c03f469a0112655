// evalog tail: the newest lines, and what comes after them.

import EvalogContent
import EvalogFacts
import EvalogLog

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension Flag {
    static let lineCount = Flag(
        name: "lines", letter: "n", value: "N", summary: "So many of the newest lines.",
        detail: "Default: 10. With filters, the newest that pass them.")
    static let follow = Flag(
        name: "follow", letter: "f", summary: "Go on with what is appended, until interrupted.")
    static let position = Flag(
        name: "position", value: "FILE", summary: "Go on where FILE says; keep it up to date.",
        detail:
            "Without the file, starts at the log's first line. It is replaced after the output was"
            + " written: exactly once within a run, at least once across a kill.")
    static let reveal = Flag(
        name: "reveal", summary: "Show the confidential content of each evaluation as well.",
        detail: "Who revealed when is appended to LOG/reveals.ndjson.")
}

extension CommandSpec {
    static let tail = CommandSpec(
        name: "tail", summary: "the newest lines, and with -f what is happening",
        about: """
            Shows the newest facts, aligned and coloured by outcome, or with --json the lines as they
            are. -f goes on across new writers and segments, by position and not by time.
            """,
        flags: [.lineCount, .follow, .json, .position, .reveal] + FilterField.all.map(\.flag) + [
            .since, .until,
        ],
        examples: [
            ("evalog tail -f --outcome failed", "shows the last failures, and each new one"),
            ("evalog tail --json --position seen -f | ship", "hands each line on once"),
        ],
        prepare: { arguments, console in
            let command = try TailCommand(arguments, console)
            return command.run
        })
}

struct TailCommand {
    static let pollMilliseconds: Int32 = 250
    private let directory: LogDirectory
    private let lineCount: Int?
    private let isFollowing: Bool
    private let positionFile: PositionFile?
    private let filter: LineFilter
    private let isJSON: Bool
    private let isRevealing: Bool
    private let console: Console

    init(_ arguments: Arguments, _ console: Console) throws {
        directory = LogDirectory(path: console.logPath(arguments))
        lineCount = try arguments.wholeNumber(.lineCount, in: 0...100_000)
        isFollowing = arguments.has(.follow)
        positionFile = arguments.last(.position).map { [directory] in
            PositionFile(path: $0, of: directory)
        }
        filter = try LineFilter(arguments, now: console.now())
        isJSON = arguments.has(.json)
        isRevealing = arguments.has(.reveal)
        self.console = console
        if positionFile != nil, lineCount != nil {
            throw CommandFailure(
                "--position says where to start, and so does -n", hint: "leave one of them out")
        }
    }

    func run() throws -> ExitStatus {
        try directory.demandExisting()
        if isRevealing {
            try RevealJournal(directory, console).add(command: "tail", filters: filter.descriptions)
        }
        let view = TailView(directory, filter, isJSON: isJSON, isRevealing: isRevealing, console)
        let follower = try showFirst(on: view)
        if positionFile != nil { try poll(follower, view) }
        while isFollowing, isReaderThere() { try poll(follower, view) }
        view.end()
        return .done
    }

    /// Shows what is to be seen before following, and follows from behind it.
    private func showFirst(on view: TailView) throws -> LogFollower {
        if let positionFile {
            return LogFollower(directory, .facts, from: try positionFile.read())
        }
        let report = try NewestLines(directory, filter).show(lineCount ?? 10, on: view)
        try console.output.flush()
        for damage in report.damages { console.warn(of: damage) }
        return LogFollower(
            directory, .facts, from: report.position, knowing: report.damages)
    }

    private func poll(_ follower: LogFollower, _ view: TailView) throws {
        let report = try follower.poll { block in
            try block.forEachLine { _, line in try view.add(line) }
        }
        try view.flush()
        for damage in report.damages { console.warn(of: damage) }
        for name in report.truncated { console.warn("\(name) became shorter") }
        try positionFile?.replaceIfChanged(follower.position)
    }

    /// Waits for the next look; false once nobody reads the output any more.
    private func isReaderThere() -> Bool {
        var output = pollfd(fd: console.output.descriptor, events: 0, revents: 0)
        let count = waitOn(&output, Self.pollMilliseconds)
        return !(count > 0 && output.revents & Int16(POLLERR | POLLNVAL) != 0)
    }
}

/// `poll` for one descriptor, out of reach of the method of that name.
private func waitOn(_ descriptor: inout pollfd, _ milliseconds: Int32) -> Int32 {
    poll(&descriptor, 1, milliseconds)
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
