// evalog maintain: what a log needs now and then, and what it would do.

import EvalogContent
import EvalogLog
import EvalogRecording
import EvalogText

extension Flag {
    static let keepFacts = Flag(
        name: "keep-facts", value: "LENGTH", summary: "Delete facts older than this, such as 400d.",
        detail: "Default: \(LogLimits.factsDaysDefault)d since they were appended; whole segments.")
    static let keepContent = Flag(
        name: "keep-content", value: "LENGTH",
        summary: "Delete content older than this, such as 7d.",
        detail: "Default: \(LogLimits.contentDaysDefault)d since it was appended; whole segments.")
}

extension CommandSpec {
    static let maintain = CommandSpec(
        name: "maintain",
        summary: "finish what dead writers left, delete what is old, join what is small",
        about: """
            Deletes segments whose lines have had their time, seals what writers left that died, puts
            damaged bytes aside, and joins small segments and blocks. Lines keep their identity, so
            nobody who follows the log sees one twice or misses one. Live writers are not disturbed.
            Each step leaves the log whole: a kill, a full disk or an error costs nothing but the step.
            """,
        flags: [.dryRun, .keepFacts, .keepContent, .json],
        examples: [
            ("evalog maintain --dry-run", "says what there is to do"),
            ("evalog maintain --keep-content 2d", "keeps content for two days"),
        ],
        prepare: { arguments, console in
            let command = MaintainCommand(
                directory: LogDirectory(path: console.logPath(arguments)),
                rules: try arguments.maintenanceRules(), isDry: arguments.has(.dryRun),
                isJSON: arguments.has(.json), console: console)
            return command.run
        })
}

extension Arguments {
    /// How long lines are kept.
    func maintenanceRules() throws -> MaintenanceRules {
        var rules = MaintenanceRules()
        rules.retention[.facts] = try retention(.keepFacts) ?? rules.retention[.facts]
        rules.retention[.content] = try retention(.keepContent) ?? rules.retention[.content]
        return rules
    }

    private func retention(_ flag: Flag) throws -> Int64? {
        guard let text = last(flag) else { return nil }
        guard let length = Figures.parseDuration(text), length > 0 else {
            throw CommandFailure(
                "--\(flag.name) takes a length above 0", hint: "--\(flag.name) 30d")
        }
        return length
    }
}

struct MaintainCommand {
    let directory: LogDirectory
    let rules: MaintenanceRules
    let isDry: Bool
    let isJSON: Bool
    let console: Console

    private static let streams: [LogStream] = [.facts, ContentAccess.stream]

    func run() throws -> ExitStatus {
        try directory.demandExisting()
        if isDry {
            for stream in Self.streams { try show(MaintenanceText(plan(stream), stream.kind)) }
            return .done
        }
        guard let lock = try MaintenanceLock.wait(directory) else {
            throw CommandFailure(
                "\(directory.path) is being maintained by another process", hint: "try again later")
        }
        // Nothing has its time while it runs that it had not when that was looked at.
        let clock = StoppedClock(at: console.now())
        var random = SystemRandomNumberGenerator()
        let notes = try RetentionNotes(
            of: directory, before: rules.limit(for: .facts, at: clock.wallTime()), using: &random)
        var streams = Self.streams
        do {
            try notes?.append()
        } catch {
            // On a full disk there may be room once content has gone; facts do not go without it.
            streams.reverse()
        }
        for stream in streams {
            if stream == .facts, streams != Self.streams { try notes?.append() }
            let progress = Progress("maintaining \(stream.kind.name)", console: console)
            defer { progress.end() }
            let maintainer = LogMaintainer(
                lock, stream, rules: rules, timing: MaintenanceTiming(clock: clock))
            let (report, returnedCount) = try Interrupts.stoppable { shouldStop in
                let report = maintainer.run(
                    shouldStop: shouldStop, progress: { progress.update(done: $0, total: $1) })
                let eraser = LineEraser(lock, stream)
                return (
                    report,
                    report.failure == nil ? try eraser.eraseReturned(shouldStop: shouldStop) : 0
                )
            }
            progress.end()
            try show(MaintenanceText(report, stream.kind, returnedCount: returnedCount))
            if let failure = report.failure { throw failure }
        }
        return .done
    }

    private func plan(_ stream: LogStream) throws -> MaintenancePlan {
        MaintenancePlan(
            try LogCatalog.scan(directory, stream), stream.kind, rules, at: console.now())
    }

    private func show(_ text: MaintenanceText) throws {
        if isJSON {
            try console.output.write(json: text.json())
        } else {
            try console.output.write(text.text())
        }
    }
}
