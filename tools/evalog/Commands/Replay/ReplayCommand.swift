// evalog replay: the summary, for a person or a program.

import EvalogMetrics
import EvalogReplay
import EvalogText

extension Flag {
    static let asOf = Flag(
        name: "as-of", value: "TIME",
        summary: "Only what had been appended by then: 2h, 2026-11-29.",
        detail: "By whole blocks: what was appended up to a second before may be missing, a minute"
            + " where maintenance has joined blocks. What has been erased or retired since stays so."
    )
    static let diff = Flag(
        name: "diff", value: "DIR", summary: "Show what changed since another log, or an export.",
        detail: "Row by row of all tables; status 1 if any differs. An export says itself by which"
            + " rules to compare.")
    static let diffAsOf = Flag(
        name: "diff-as-of", value: "TIME",
        summary: "The other log as of then; without --diff this log.",
        detail: "--as-of 1d --diff-as-of 2d: what was appended between two days ago and yesterday.")
}

extension CommandSpec {
    static let replay = CommandSpec(
        name: "replay", summary: "the summary of the whole log, on the terminal or as JSON",
        about: """
            Replays the log and shows, for each group, evaluations, impressions, outcomes, the
            failure rate with its 95 % interval and duration percentiles over the whole range.
            With --diff or --diff-as-of it shows the rows of all tables that differ instead.
            """,
        flags: [.json, .asOf, .diff, .diffAsOf] + Flag.rules,
        examples: [
            ("evalog replay", "the summary by usage, model and os"),
            ("evalog replay --by model --since 24h --json", "the last day by model, for a program"),
            ("evalog replay --diff-as-of 2h", "what the last two hours have changed"),
            ("evalog replay --diff csv/", "whether an export is still up to date, and if not, why"),
        ],
        prepare: { arguments, console in
            if arguments.has(.diff) || arguments.has(.diffAsOf) {
                let command = try DiffCommand(arguments, console)
                return command.run
            }
            let scope = try ReplayScope(arguments, .asOf, console)
            let replaying = try Replaying(arguments, console, scope: scope)
            let isJSON = arguments.has(.json)
            return {
                let summary = Summary(try replaying.run(verb: "replaying").tables)
                if isJSON {
                    try console.output.write(json: summary.json())
                } else {
                    try console.output.write(summary.text(fitting: console.output.terminalWidth))
                }
                return .done
            }
        })
}

extension ReplayScope {
    /// What had been appended at the time that a flag names; everything without it.
    init(_ arguments: Arguments, _ flag: Flag, _ console: Console) throws {
        self.init()
        asOf = try arguments.time(flag, now: console.now())
    }
}

extension Summary {
    /// One JSON object on one line; durations in whole µs, rates in millionths, absent is absent.
    func json() -> [UInt8] {
        var bytes: [UInt8] = []
        JSONWriter.append(to: &bytes) { json in
            json.beginObject()
            if let range = tables.timeRange {
                json.key("first_time")
                json.time(range.lowerBound)
                json.key("last_time")
                json.time(range.upperBound)
            }
            json.key("groups")
            json.beginArray()
            for (names, group) in zip(tables.groups, groups) { write(names, group, to: &json) }
            json.endArray()
            json.key("quality")
            json.beginObject()
            for row in tables.quality {
                json.key(row.name)
                json.integer(Int64(clamping: row.value))
            }
            json.endObject()
            json.endObject()
        }
        return bytes + [0x0A]
    }

    private func write(_ names: [Name], _ group: GroupSummary, to json: inout JSONWriter) {
        json.beginObject()
        for (dimension, name) in zip(tables.rules.by, names) where !name.isAbsent {
            json.key(dimension.rawValue)
            json.string(name.text)
        }
        let counts = [
            ("evaluations", group.outcomes.total), ("impressions", group.impressions),
            ("re_evaluations", group.reEvaluations), ("completed", group.outcomes.completed),
            ("skipped", group.outcomes.skipped), ("failed", group.outcomes.failed),
            ("cancelled", group.outcomes.cancelled), ("retried", group.retried),
        ]
        for (name, count) in counts {
            json.key(name)
            json.integer(Int64(count))
        }
        if let rate = group.failureRate {
            for (name, millionths) in [
                ("failure_rate_ppm", rate.rate), ("failure_rate_low_ppm", rate.low),
                ("failure_rate_high_ppm", rate.high),
            ] {
                json.key(name)
                json.integer(Int64(millionths))
            }
        }
        if group.durations.count > 0 {
            let percents = [50, 90, 95, 99]
            for (percent, value) in zip(percents, group.durations.percentiles(percents)) {
                json.key("duration_p\(percent)_us")
                json.integer(Int64(value))
            }
        }
        json.endObject()
    }
}
