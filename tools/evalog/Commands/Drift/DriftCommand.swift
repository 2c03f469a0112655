// evalog drift: is what people get worse than it was, by more than chance?

import EvalogLog
import EvalogMetrics
import EvalogReplay

extension Flag {
    static let driftBy = Flag(
        name: "by", value: "FIELD", summary: "What is compared: os, model or app.",
        choices: DriftRules.dimensions.map(\.rawValue))
    static let driftBaseline = Flag(
        name: "baseline", value: "NAME", summary: "What was good enough, such as \"iOS 26.1\".")
    static let driftCandidate = Flag(
        name: "candidate", value: "NAME", summary: "What is in question, such as \"iOS 26.2\".")
    static let driftLevel = Flag(
        name: "level", value: "SHARE", summary: "How often a false alarm is put up with.",
        detail: "Default: 0.05, over all comparisons together.")
}

extension CommandSpec {
    static let drift = CommandSpec(
        name: "drift", summary: "two systems, models or versions of the app; status 1 if worse",
        about: """
            Compares ordinary traffic of two systems, models or versions of the app, usage by usage:
            rates of failures, skips and retries, the median and the 95th percentile of durations,
            and the mix of the values that inferences reported. A difference counts where it is beyond
            chance, by a test whose unit is the session, corrected for the number of comparisons. Status 1: one is
            worse, 2: it could not be told. It says which comparisons have not enough data. What test sets ask
            does not count; other causes of a difference, such as new devices, it cannot tell apart:
            narrow it with the filters. docs/metrics.md has the formulas.
            """,
        flags: [
            .driftBy, .driftBaseline, .driftCandidate, .driftLevel, .json, .since, .until, .usage,
            .model, .os, .memory, .threads,
        ],
        examples: [
            (
                "evalog drift --by os --baseline \"iOS 26.1\" --candidate \"iOS 26.2\"",
                "what an update of the system has changed"
            ),
            (
                "evalog drift --by model --baseline core-3b --candidate core-3b-new --since 7d --json",
                "two models in the last week, for a program"
            ),
            (
                "evalog drift --by app --baseline 4.2.0 --candidate 4.3.0 --os \"iOS 26.2\" --quiet",
                "two versions of the app on one system, for CI"
            ),
        ],
        prepare: { arguments, console in
            let command = try DriftCommand(arguments, console)
            return command.run
        })
}

extension Arguments {
    /// What is to be compared.
    ///
    /// - Throws: ``CommandFailure`` where a flag is missing or cannot be.
    func driftRules(by: Flag, example: String) throws -> DriftRules {
        guard let field = last(by), let baseline = last(.driftBaseline),
            let candidate = last(.driftCandidate)
        else {
            throw CommandFailure(
                "a drift needs --\(by.name), --baseline and --candidate", hint: example)
        }
        guard let dimension = DriftRules.dimensions.first(where: { $0.rawValue == field }) else {
            throw CommandFailure("--\(by.name) takes os, model or app", hint: "--\(by.name) os")
        }
        var drift = DriftRules(by: dimension, baseline: baseline, candidate: candidate)
        if let text = last(.driftLevel) {
            guard let level = Figures.parseShare(text) else {
                throw CommandFailure(
                    "--level takes a share between 0 and 1", hint: "--level 0.05")
            }
            drift.level = level
        }
        return drift
    }
}

struct DriftCommand {
    /// Names that are shown where one is not in the log.
    private static let nameCountShown = 8

    private let drift: DriftRules
    private let replaying: Replaying
    private let isJSON: Bool
    private let console: Console

    init(_ arguments: Arguments, _ console: Console) throws {
        drift = try arguments.driftRules(
            by: .driftBy, example: "--by os --baseline \"iOS 26.1\" --candidate \"iOS 26.2\"")
        var rules = MetricsRules()
        (rules.since, rules.until) = try arguments.timeRange(now: console.now())
        rules.filters = try arguments.filters()
        rules.drift = drift
        do {
            try rules.validate()
        } catch {
            throw ErrorText.of(error)
        }
        replaying = try Replaying(arguments, console, by: rules)
        isJSON = arguments.has(.json)
        self.console = console
    }

    func run() throws -> ExitStatus {
        let found = try replaying.drift(drift)
        for (flag, name, count) in [
            (Flag.driftBaseline, drift.baseline, found.evaluations.baseline),
            (Flag.driftCandidate, drift.candidate, found.evaluations.candidate),
        ] where count == 0 {
            throw missing(flag, name, found)
        }
        let report = DriftReport(found)
        return try console.show {
            if isJSON {
                try console.output.write(json: report.json())
            } else {
                try console.output.write(report.text(fitting: console.output.terminalWidth))
            }
        } then: {
            found.isWorse ? .no : .done
        }
    }

    private func missing(_ flag: Flag, _ name: String, _ found: Drift) -> CommandFailure {
        let names = found.values.filter { !$0.name.isAbsent }.map(\.name.text)
        let shown = names.prefix(Self.nameCountShown).joined(separator: ", ")
        return CommandFailure(
            "no evaluation is of --\(flag.name) \(name)",
            hint: names.isEmpty
                ? "none that passes has a name for its \(drift.by.rawValue)"
                : "there are \(shown)" + (names.count > Self.nameCountShown ? " and others" : ""))
    }
}
