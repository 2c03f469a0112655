// evalog check: thresholds, for cron and CI.

import EvalogLog
import EvalogMetrics
import EvalogReplay

extension Flag {
    static let lookBack = Flag(
        name: "window", value: "LENGTH", summary: "How far it looks back: 15m, 1h, 7d.",
        detail: "Default: 1h, or --max-age where that is longer. It ends now, or at --until.")
    static let strictly = Flag(
        name: "strict", summary: "Take for broken what is uncertain, too.",
        detail: "Rates are then judged by themselves, and a loss that nobody can count breaks any"
            + " --max-lost.")
}

extension CommandSpec {
    static let check = CommandSpec(
        name: "check", summary: "thresholds for cron and CI; status 1 if one is broken",
        about: """
            Looks back over the window, group by group, and shows the thresholds that are broken.
            A rate counts as broken only where its whole 95 % interval lies above the limit. What has
            no data is not broken, but for silence, which is broken by just that. Status 0: none is
            broken, 1: one is, 2: it could not be told. Nothing on stdout means that none is.
            """,
        flags: Flag.thresholds + [
            .lookBack, .until, .by, .usage, .model, .os, .strictly, .json, .maxGroups, .memory,
            .threads,
        ],
        examples: [
            (
                "evalog check --max-failure-rate 5% --max-p95 2s",
                "the last hour by usage, model and os"
            ),
            (
                "evalog check --quiet --by usage --window 15m --max-age 10m --max-refused 0",
                "from cron: says nothing unless something is wrong"
            ),
            (
                "evalog check --json --by none --window 24h --max-failure-rate 0.02 --strict",
                "all of the last day as one group, for a program"
            ),
        ],
        prepare: { arguments, console in
            let command = try CheckCommand(arguments, console)
            return command.run
        })
}

struct CheckCommand {
    private let thresholds: [Threshold]
    private let range: TimeWindow
    private let replaying: Replaying
    private let isStrict: Bool
    private let isJSON: Bool
    private let console: Console

    init(_ arguments: Arguments, _ console: Console) throws {
        thresholds = try arguments.thresholds()
        isStrict = arguments.has(.strictly)
        isJSON = arguments.has(.json)
        self.console = console
        let now = console.now()
        let end = try arguments.time(.until, now: now) ?? now
        range = TimeWindow(start: end - (try Self.lookBack(arguments, thresholds)), end: end)
        var rules = try arguments.metricsRules(now: now)
        rules.window = .hour
        rules.since = range.start
        rules.until = range.end
        var scope = ReplayScope()
        scope.since = range.start - MetricsLimits.impressionSpan
        replaying = try Replaying(arguments, console, by: rules, scope: scope)
    }

    /// µs.
    private static func lookBack(
        _ arguments: Arguments, _ thresholds: [Threshold]
    ) throws -> Int64 {
        let age = thresholds.first { $0.measurement == .age }?.limit ?? 0
        guard let text = arguments.last(.lookBack) else {
            return max(age, Figures.parseDuration("1h") ?? 0)
        }
        guard let length = Figures.parseDuration(text), length > 0 else {
            throw CommandFailure("--window takes a length of time here", hint: "--window 1h")
        }
        guard length >= age else {
            throw CommandFailure(
                "--max-age is longer than --window, which is as far as check looks",
                hint: "--window \(arguments.last(.maxAge) ?? "")")
        }
        return length
    }

    func run() throws -> ExitStatus {
        let result = try replaying.run(verb: "checking")
        // What nobody reads is as good as lost, until somebody puts it back.
        let hidden = try replaying.directory.filesHidingFacts(result.report.ignored)
        let report = CheckReport(
            Summary(result.tables), thresholds, range: range,
            lost: (
                Int128(result.report.lostCount), result.report.uncounted.count + hidden.count
            ),
            isStrict: isStrict)
        return try console.show {
            if isJSON {
                try console.output.write(json: report.json())
            } else if report.broken.isEmpty {
                console.note(report.verdict)
            } else {
                try console.output.write(report.text(fitting: console.output.terminalWidth))
            }
        } then: {
            report.broken.isEmpty ? .done : .no
        }
    }
}
