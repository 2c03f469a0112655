// evalog coverage: how many are without a model, and how many should be.

import EvalogLog
import EvalogMetrics
import EvalogReplay

extension CommandSpec {
    static let coverage = CommandSpec(
        name: "coverage", summary: "evaluations and sessions without a model, by reason and tier",
        about: """
            Counts evaluations and sessions that found no model, by why and by the tier of the device:
            which on-device model its hardware and system can run by the rules of
            schemas/device-tiers.json. Beside it stands what these rules expect. A session is without a
            model if no evaluation of it reached one. Language, region and free storage, which
            decide as well, are in no fact: what they cause looks like a model that is missing. What test sets ask
            does not count.
            """,
        flags: [.json, .since, .until, .usage, .model, .os, .memory, .threads],
        examples: [
            ("evalog coverage --since 7d", "the last week"),
            (
                "evalog coverage --usage embedded_selection --json",
                "one usage, with the causes of each tier, for a program"
            ),
            ("evalog replay --by tier", "outcomes and durations by the same tiers"),
        ],
        prepare: { arguments, console in
            let replaying = try Replaying(arguments, console)
            let isJSON = arguments.has(.json)
            return {
                let report = CoverageReport(try replaying.coverage())
                if isJSON {
                    try console.output.write(json: report.json())
                } else {
                    try console.output.write(report.text(fitting: console.output.terminalWidth))
                }
                return .done
            }
        })
}
