// evalog testset compare: is the candidate worse than the baseline by more than chance?

import EvalogLog
import EvalogMetrics
import EvalogText
import Statistics
import TestSets

struct TestCompareCommand {
    /// The same comparison twice has the same interval.
    private static let seed: UInt64 = 1

    private let baseline: String
    private let candidate: String
    private let suite: String?
    /// Millionths.
    private let level: Int64
    private let isPartial: Bool
    private let isJSON: Bool
    private let reading: TestReading
    private let console: Console

    init(_ arguments: Arguments, _ console: Console) throws {
        try arguments.demandOnly(
            [.suite, .baseline, .candidate, .partial, .level], operandCount: 1)
        guard let baseline = arguments.last(.baseline), let candidate = arguments.last(.candidate)
        else {
            throw CommandFailure(
                "testset compare needs --baseline and --candidate",
                hint: "evalog testset list shows the runs there are")
        }
        self.baseline = baseline
        self.candidate = candidate
        suite = try arguments.suiteName()
        guard let level = Figures.parseShare(arguments.last(.level) ?? "0.05"), level > 0,
            level < 1_000_000
        else {
            throw CommandFailure("--level takes a share between 0 and 1", hint: "--level 0.05")
        }
        self.level = level
        isPartial = arguments.has(.partial)
        isJSON = arguments.has(.json)
        reading = try TestReading(arguments, console)
        self.console = console
    }

    func run() throws -> ExitStatus {
        let runs = RunChoice.all(in: try reading.rows(), suite: suite)
        let before = try RunChoice.named(baseline, in: runs, by: .baseline)
        let after = try RunChoice.named(
            candidate, in: runs.filter { $0.suite == before.suite }, by: .candidate)
        let comparison = compare(before, after)
        guard !comparison.tasks.isEmpty else {
            throw CommandFailure(
                "the two runs of \(before.suite) have no case in common",
                hint: "evalog testset list shows what they are of")
        }
        let differences = differences(before, after, comparison)
        guard differences.isEmpty || isPartial else {
            throw CommandFailure(
                "the two runs of \(before.suite) are not of the same cases: "
                    + differences.joined(separator: "; "),
                hint: "run what is missing, or compare what both have with --partial")
        }
        for difference in differences { console.note(difference) }
        if before.run == after.run { console.note("baseline and candidate are the same run") }
        let report = ComparisonReport(
            before: before, after: after, comparison, level: Double(level) / 1_000_000)
        return try console.show {
            if isJSON {
                try console.output.write(json: report.json())
            } else {
                try console.output.write(report.text(fitting: console.output.terminalWidth))
            }
        } then: {
            report.hasLoss ? .no : .done
        }
    }
}

extension TestCompareCommand {
    private func compare(_ before: RunChoice, _ after: RunChoice) -> RunComparison {
        let progress = Progress("comparing", console: console)
        defer { progress.end() }
        var random = SplitMix64(seed: Self.seed)
        return RunComparison(
            baseline: before.outcomes, candidate: after.outcomes, using: &random,
            progress: progress.update)
    }

    /// What makes a comparison one of other cases, in words: what is not there can be what was lost.
    private func differences(
        _ before: RunChoice, _ after: RunChoice, _ comparison: RunComparison
    ) -> [String] {
        var words: [String] = []
        if before.digests != after.digests, !before.digests.isEmpty, !after.digests.isEmpty {
            let names = [before, after].map { $0.digests.sorted().joined(separator: " and ") }
            words.append("the file was another (\(names[0]) before, then \(names[1]))")
        }
        for (name, ids) in [
            ("baseline", comparison.onlyBaseline), ("candidate", comparison.onlyCandidate),
        ] where !ids.isEmpty {
            words.append(
                "\(Figures.counted(ids.count, "case")) of the \(name) only:"
                    + " \(ComparisonReport.list(ids))")
        }
        for (name, choice) in [("baseline", before), ("candidate", after)] where choice.isUneven {
            words.append(
                "the \(name) was not finished: it asked about some cases more often than others")
        }
        return words
    }
}

extension RunChoice {
    /// Every case once.
    fileprivate var outcomes: [CaseOutcome] {
        rows.flatMap { row in
            row.cases.map { found in
                CaseOutcome(
                    task: row.task.text, id: found.id, passes: found.passes,
                    responseTime: median(found.durations.map(Double.init)))
            }
        }
    }
}
