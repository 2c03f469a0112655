// Two runs of a test set side by side, for people and for programs.

import EvalogMetrics
import EvalogText
import Statistics
import TestSets

struct ComparisonReport {
    /// Cases that are named of each task; the rest is counted.
    private static let caseCountShown = 20

    let before: RunChoice
    let after: RunChoice
    let comparison: RunComparison
    let level: Double

    init(before: RunChoice, after: RunChoice, _ comparison: RunComparison, level: Double) {
        self.before = before
        self.after = after
        self.comparison = comparison
        self.level = level
    }

    var hasLoss: Bool { comparison.hasLoss(level: level) }

    // MARK: Text

    func text(fitting width: Int?) -> String {
        var lines = [
            verdict, "", "baseline   \(Self.title(before))", "candidate  \(Self.title(after))", "",
        ]
        lines += table.lines(fitting: width)
        for task in comparison.tasks {
            lines += Self.list("newly failing", task, task.newlyFailing)
            lines += Self.list("newly passing", task, task.newlyPassing)
        }
        for task in comparison.tasks where task.isTooSmall(level: level) {
            let passing = task.pairs.both + task.pairs.onlyFirst
            lines.append(
                "too few cases to tell in \(task.task): if all that passed were lost"
                    + " (\(Figures.count(passing))), p would be \(Self.p(task.leastP))")
        }
        let (before, after) = (comparison.onlyBaseline.count, comparison.onlyCandidate.count)
        if before > 0 || after > 0 {
            lines.append(
                "not compared: \(Figures.counted(before, "case")) of the baseline"
                    + " only, \(Figures.count(after)) of the candidate only")
        }
        return lines.map(Printable.text).joined(separator: "\n") + "\n"
    }

    private var verdict: String {
        let lost = comparison.tasks.filter { $0.isLoss(level: level) }
        guard lost.isEmpty else {
            return "worse by more than chance: "
                + lost.map { "\($0.task) (p \(Self.p($0.adjustedP)))" }.joined(separator: ", ")
        }
        let changed = comparison.tasks.reduce(0) { $0 + $1.pairs.onlyFirst + $1.pairs.onlySecond }
        let said =
            changed == 0 ? "no case came out differently" : "not worse by more than chance"
        let small = comparison.tasks.count { $0.isTooSmall(level: level) }
        if small == 0 { return said }
        return small == comparison.tasks.count
            ? "\(said), but there are too few cases to tell"
            : "\(said), but too few cases to tell in some tasks"
    }

    private var table: TextTable {
        var table = TextTable([
            .init(title: "task", isNumber: false), .init(title: "cases"),
            .init(title: "baseline"), .init(title: "candidate"), .init(title: "lost"),
            .init(title: "won"), .init(title: "p"), .init(title: "change, 95 % interval", rank: 2),
            .init(title: "response time, 95 % interval", rank: 1),
        ])
        for task in comparison.tasks {
            table.add([
                task.task, Figures.count(task.pairs.total), Self.percent(task.pairs.first?.share),
                Self.percent(task.pairs.second?.share), Figures.count(task.pairs.onlyFirst),
                Figures.count(task.pairs.onlySecond), Self.p(task.adjustedP),
                task.pairs.difference.map { "\(Self.points($0.low)) – \(Self.points($0.high))" }
                    ?? "", Self.responseTime(of: task),
            ])
        }
        return table
    }

    private static func title(_ choice: RunChoice) -> String {
        [
            choice.suite, choice.models, choice.systems, Figures.time(choice.started),
            "run \(choice.run.prefix(RunChoice.prefixShown))",
        ].filter { !$0.isEmpty }.joined(separator: "  ")
    }

    private static func list(_ title: String, _ task: TaskComparison, _ ids: [String]) -> [String] {
        ids.isEmpty ? [] : ["\(title) in \(task.task): \(list(ids))"]
    }

    /// The first of many ids.
    static func list(_ ids: [String]) -> String {
        let rest = ids.count - caseCountShown
        return ids.prefix(caseCountShown).joined(separator: " ")
            + (rest > 0 ? " and \(Figures.count(rest)) more" : "")
    }

    private static func responseTime(of task: TaskComparison) -> String {
        guard let change = task.responseTimeChange else { return "" }
        let interval = task.responseTimeInterval.map { " (\(span($0.low)) – \(span($0.high)))" }
        return span(change) + (interval ?? "")
    }

    private static func percent(_ share: Double?) -> String {
        share.map { Figures.percent(Int64(($0 * 1_000_000).rounded())) } ?? ""
    }

    private static func points(_ share: Double) -> String {
        signed(Int64((share * 1_000_000).rounded())) { Figures.percent($0) }
    }

    private static func span(_ microseconds: Double) -> String {
        signed(Int64(microseconds.rounded())) { Figures.duration($0) }
    }

    private static func signed(_ value: Int64, _ text: (Int64) -> String) -> String {
        value < 0 ? "−\(text(-value))" : (value > 0 ? "+" : "") + text(value)
    }

    private static func p(_ value: Double) -> String {
        if value < 0.000_1 { return "<0.0001" }
        let tenThousandths = Int64((value * 10_000).rounded())
        let digits = String(tenThousandths % 10_000)
        let zeros = String(repeating: "0", count: 4 - digits.count)
        return "\(tenThousandths / 10_000).\(zeros)\(digits)"
    }

    // MARK: JSON

    /// One JSON object on one line; shares from 0 to 1, durations in µs.
    func json() -> [UInt8] {
        var bytes: [UInt8] = []
        JSONWriter.append(to: &bytes) { json in
            json.beginObject()
            json.key("loss")
            json.bool(hasLoss)
            json.key("level")
            json.number(level)
            json.key("suite")
            json.string(before.suite)
            for (key, choice) in [("baseline", before), ("candidate", after)] {
                json.key(key)
                json.string(choice.run)
            }
            json.counts([
                ("only_baseline", comparison.onlyBaseline.count),
                ("only_candidate", comparison.onlyCandidate.count),
            ])
            json.key("tasks")
            json.beginArray()
            for task in comparison.tasks { write(task, to: &json) }
            json.endArray()
            json.endObject()
        }
        return bytes + [0x0A]
    }

    private func write(_ task: TaskComparison, to json: inout JSONWriter) {
        json.beginObject()
        json.key("task")
        json.string(task.task)
        json.key("loss")
        json.bool(task.isLoss(level: level))
        json.key("too_few")
        json.bool(task.isTooSmall(level: level))
        json.counts([
            ("cases", task.pairs.total), ("both_pass", task.pairs.both),
            ("lost", task.pairs.onlyFirst), ("won", task.pairs.onlySecond),
        ])
        for (key, value) in [
            ("p", task.p), ("adjusted_p", task.adjustedP), ("least_p", task.leastP),
            ("change_low", task.pairs.difference?.low),
            ("change_high", task.pairs.difference?.high),
            ("response_time_change_us", task.responseTimeChange),
            ("response_time_change_low_us", task.responseTimeInterval?.low),
            ("response_time_change_high_us", task.responseTimeInterval?.high),
        ] {
            guard let value else { continue }
            json.key(key)
            json.number(value)
        }
        for (key, ids) in [
            ("newly_failing", task.newlyFailing), ("newly_passing", task.newlyPassing),
        ] {
            json.key(key)
            json.beginArray()
            for id in ids { json.string(id) }
            json.endArray()
        }
        json.endObject()
    }
}
