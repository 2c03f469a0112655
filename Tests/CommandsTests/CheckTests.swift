// Which thresholds are broken: the interval decides for rates, silence for ages.

import EvalogFacts
import EvalogMetrics
import Testing

@testable import Commands

@Suite("Check") struct CheckTests {
    private static let range = TimeWindow(start: 0, end: 3_600_000_000)

    /// A summary of one group for each element.
    private func summary(
        _ groups: [(name: String, OutcomeCounts, durations: [UInt64], latest: Int64)]
    )
        -> Summary
    {
        var rules = MetricsRules()
        rules.by = [.model]
        let rows = groups.enumerated().map { number, group in
            var durations = Histogram()
            for duration in group.durations { durations.add(duration) }
            return EvaluationRow(
                window: Self.range, group: number, outcomes: group.1, retried: 0, attempts: 0,
                durations: durations, latest: group.latest)
        }
        return Summary(
            MetricsTables(
                rules: rules, groups: groups.map { [Name($0.name)] }, evaluations: rows,
                impressions: [], outcomes: [], inferences: [], inferenceValues: [], quality: [],
                timeRange: nil, refused: 3))
    }

    private func counts(completed: Int = 0, skipped: Int = 0, failed: Int = 0, cancelled: Int = 0)
        -> OutcomeCounts
    {
        var counts = OutcomeCounts()
        counts.completed = completed
        counts.skipped = skipped
        counts.failed = failed
        counts.cancelled = cancelled
        return counts
    }

    private func verdict(
        _ measurement: Measurement, _ limit: Int64, _ counts: OutcomeCounts,
        durations: [UInt64] = [], latest: Int64 = 0, isStrict: Bool = false
    ) -> Finding.Verdict? {
        let report = CheckReport(
            summary([("m", counts, durations, latest)]),
            [Threshold(measurement: measurement, limit: limit)], range: Self.range,
            lost: (0, 0), isStrict: isStrict)
        return report.findings.count == 1 ? report.findings[0].verdict : nil
    }

    @Test("a rate is broken only where its whole interval lies above the limit, unless strict")
    func interval() {
        // 1 of 10: from 1.7876 % to 40.4150 %.
        let few = counts(completed: 9, failed: 1)
        #expect(verdict(.failureRate, 17_875, few) == .broken)
        #expect(verdict(.failureRate, 17_876, few) == .uncertain)
        #expect(verdict(.failureRate, 99_999, few) == .uncertain)
        #expect(verdict(.failureRate, 99_999, few, isStrict: true) == .broken)
        #expect(verdict(.failureRate, 100_000, few, isStrict: true) == .holds)
    }

    @Test("cancelled evaluations are in no rate, skipped ones in that of skips only")
    func denominators() {
        let mixed = counts(completed: 500, skipped: 500, failed: 0, cancelled: 9_000)
        #expect(verdict(.failureRate, 0, mixed) == .holds)
        #expect(verdict(.skipRate, 400_000, mixed) == .broken)
        #expect(verdict(.skipRate, 500_000, mixed, isStrict: true) == .holds)
    }

    @Test("what was not measured has no data, which is not broken")
    func noData() {
        let skips = counts(skipped: 5)
        #expect(verdict(.failureRate, 0, skips, isStrict: true) == .noData)
        #expect(verdict(.duration(percent: 95), 1, skips, isStrict: true) == .noData)
        #expect(verdict(.skipRate, 0, counts(cancelled: 2), isStrict: true) == .noData)
    }

    @Test("a percentile, an age and a count may reach their limit and not exceed it")
    func limits() {
        let some = counts(completed: 2)
        #expect(verdict(.duration(percent: 50), 100, some, durations: [100, 300]) == .holds)
        #expect(verdict(.duration(percent: 50), 99, some, durations: [100, 300]) == .broken)
        #expect(verdict(.age, 600_000_000, some, latest: 3_000_000_000) == .holds)
        #expect(verdict(.age, 599_999_999, some, latest: 3_000_000_000) == .broken)
        #expect(verdict(.refused, 3, some) == .holds)
        #expect(verdict(.refused, 2, some) == .broken)
    }

    @Test("without any evaluation silence is broken, and nothing else")
    func nothing() {
        let thresholds: [Threshold] = [
            Threshold(measurement: .failureRate, limit: 0), Threshold(measurement: .age, limit: 1),
            Threshold(measurement: .duration(percent: 99), limit: 1),
        ]
        let report = CheckReport(
            summary([]), thresholds, range: Self.range, lost: (0, 0), isStrict: true)
        #expect(report.findings.map(\.verdict) == [.noData, .broken, .noData])
        #expect(report.text(fitting: nil).contains("no evaluation in the window"))
    }

    private func lost(
        _ count: Int128, uncountedFiles: Int, limit: Int64, isStrict: Bool = false
    ) -> CheckReport {
        CheckReport(
            summary([]), [Threshold(measurement: .lost, limit: limit)], range: Self.range,
            lost: (count, uncountedFiles), isStrict: isStrict)
    }

    @Test("a loss that nobody can count is one line at least, and perhaps more than any limit")
    func uncountedLoss() {
        #expect(lost(0, uncountedFiles: 0, limit: 0).findings[0].verdict == .holds)
        #expect(lost(0, uncountedFiles: 2, limit: 0).findings[0].verdict == .broken)
        #expect(lost(5, uncountedFiles: 2, limit: 4).findings[0].verdict == .broken)
        #expect(lost(4, uncountedFiles: 2, limit: 4).findings[0].verdict == .uncertain)
        #expect(lost(4, uncountedFiles: 2, limit: 4, isStrict: true).findings[0].verdict == .broken)
        #expect(lost(4, uncountedFiles: 0, limit: 4, isStrict: true).findings[0].verdict == .holds)
    }

    @Test("what is said of it is what is known, and nothing of chance")
    func wordsForUncountedLoss() {
        let broken = lost(3, uncountedFiles: 2, limit: 0).text(fitting: nil)
        #expect(broken.contains("3 and more"))
        #expect(broken.contains("cannot be counted in 2 files; evalog verify names them"))
        let uncertain = lost(3, uncountedFiles: 1, limit: 9).verdict
        #expect(uncertain.contains("lost lines that nobody can count in 1 file"))
        #expect(!broken.contains("chance") && !uncertain.contains("chance"))
        let json = String(
            decoding: lost(3, uncountedFiles: 2, limit: 0).json(), as: UTF8.self)
        #expect(json.contains(#""value":3,"uncounted_files":2"#))
    }

    @Test("each group is judged by itself, and only the broken ones are shown")
    func groups() {
        let report = CheckReport(
            summary([
                ("bad", counts(completed: 50, failed: 50), [], 0),
                ("good\u{1B}[2J", counts(completed: 100), [], 0),
            ]),
            [Threshold(measurement: .failureRate, limit: 50_000)], range: Self.range,
            lost: (0, 0), isStrict: false)
        #expect(report.findings.map(\.verdict) == [.broken, .holds])
        let text = report.text(fitting: nil)
        #expect(text.contains("bad") && !text.contains("good"))
        #expect(text.contains("50 of 100"))
        #expect(String(decoding: report.json(), as: UTF8.self).contains("good"))
    }

    @Test(
        "a share is written as a fraction or in percent",
        arguments: [
            ("0.05", 50_000), ("5%", 50_000), ("0", 0), ("1", 1_000_000), ("100%", 1_000_000),
            ("0.000001", 1), ("0.0001%", 1), ("12.5%", 125_000), ("1.000000", 1_000_000),
            ("0.0000001", nil), ("1.1", nil), ("101%", nil), ("", nil), ("%", nil), ("-1", nil),
            (".5", nil), ("5.", nil), ("five", nil), ("0,05", nil),
            ("99999999999999999999", nil),
        ] as [(String, Int64?)])
    func shares(text: String, millionths: Int64?) {
        #expect(Figures.parseShare(text) == millionths)
    }
}
