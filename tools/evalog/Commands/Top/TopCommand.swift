// evalog top: what is going on now, as a table that is redrawn in place.

import EvalogFacts
import EvalogLog
import EvalogMetrics
import EvalogReplay

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension Flag {
    static let liveWindow = Flag(
        name: "window", value: "LENGTH",
        summary: "How far it looks back: 1m, 5m, 15m, 1h, 6h, 24h.",
        detail: "Default: 15m. The key w chooses another.", choices: TopScreen.windows.map(\.name))
}

extension CommandSpec {
    static let top = CommandSpec(
        name: "top", summary: "a live table: rates, failures, percentiles by usage and model",
        about: """
            Shows evaluations by usage and model: how many a second, what became of them, failure
            rate with its 95 % interval, percentiles, newest failures. Redraws in place on a
            terminal; elsewhere, or with --json, it prints once. Keys: q quits, s sorts, w chooses the window; S and W
            go back. Looks back 24 h at most: what comes in later counts as late.
            """,
        flags: [.liveWindow, .usage, .model, .os, .json],
        examples: [
            ("evalog top", "the last 15 minutes, until q"),
            ("evalog top --window 1h --usage scene_text_input", "one usage, the last hour"),
            ("evalog top | cat", "prints once"),
            ("evalog top --window 5m --json", "prints once, for a program"),
        ],
        prepare: { arguments, console in
            let command = try TopCommand(arguments, console)
            return command.run
        })
}

struct TopCommand {
    private let directory: LogDirectory
    private let screen: TopScreen
    private let isJSON: Bool
    private let console: Console

    init(_ arguments: Arguments, _ console: Console) throws {
        directory = LogDirectory(path: console.logPath(arguments))
        isJSON = arguments.has(.json)
        self.console = console
        let name = arguments.last(.liveWindow) ?? "15m"
        guard let window = TopScreen.windows.firstIndex(where: { $0.name == name }) else {
            let names = TopScreen.windows.map(\.name).joined(separator: ", ")
            throw CommandFailure("--window takes one of \(names) here", hint: "--window 15m")
        }
        screen = TopScreen(
            log: directory.path, filters: try arguments.filters(), window: window)
    }

    func run() throws -> ExitStatus {
        try directory.demandExisting()
        let receiver = TopReceiver(screen, now: console.now)
        let progress = Progress("reading the last 24 h", console: console)
        defer { progress.end() }
        let replay = try LiveReplay(
            directory, into: receiver, since: console.now() - MetricsLimits.liveHorizon
        ) { progress.update($0) }
        progress.end()
        receiver.isHistory = false
        receiver.screen.isDamaged = !replay.damages.isEmpty
        guard console.output.isTerminal, console.environment["TERM"] != "dumb", !isJSON else {
            for damage in replay.damages { console.warn(of: damage) }
            if isJSON {
                try console.output.write(json: receiver.screen.json(now: console.now()))
            } else {
                try console.output.write(receiver.screen.text(now: console.now()))
            }
            return .done
        }
        let loop = try TopLoop(receiver, replay, console)
        let ending = try Interrupts.stopping({ SignalPipe.pass(SIGTERM) }, loop.run)
        if case .signal(let number) = ending { SignalPipe.die(of: number) }
        return .done
    }
}

/// Counts the facts of a log into a screen.
final class TopReceiver: FactReceiver, @unchecked Sendable {
    var screen: TopScreen
    /// Whether what comes was there before.
    var isHistory = true
    private let now: @Sendable () -> Int64

    init(_ screen: TopScreen, now: @escaping @Sendable () -> Int64) {
        self.screen = screen
        self.now = now
    }

    func add(_ view: borrowing FactView, line: UnsafeRawBufferPointer) {
        screen.table.add(view, now: now(), isHistory: isHistory)
    }

    func countUnreadable() { screen.table.countUnreadable() }
}
