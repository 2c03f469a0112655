// The file for Prometheus's textfile collector, to the byte.

import EvalogFacts
import EvalogMetrics
import Testing
import TextfileSink

@Suite("textfile") struct TextfileExportTests {
    private static let hour = TimeWindow(start: 1_795_946_400_000_000, end: 1_795_950_000_000_000)
    private static let later = TimeWindow(start: 1_795_950_000_000_000, end: 1_795_953_600_000_000)

    private static func tables(_ groups: [[String]] = [["usage", "model", "iOS 26.1"]])
        -> MetricsTables
    {
        MetricsTables(
            rules: MetricsRules(), groups: groups.map { $0.map { Name($0) } }, evaluations: [],
            impressions: [], outcomes: [], inferences: [], inferenceValues: [], quality: [],
            timeRange: nil, refused: 0)
    }

    private static func row(
        _ window: TimeWindow, _ group: Int = 0, completed: Int, failed: Int = 0,
        durations: [UInt64] = []
    ) -> EvaluationRow {
        var outcomes = OutcomeCounts()
        outcomes.completed = completed
        outcomes.failed = failed
        var histogram = Histogram()
        for duration in durations { histogram.add(duration) }
        return EvaluationRow(
            window: window, group: group, outcomes: outcomes, retried: 1, attempts: 7,
            durations: histogram, latest: window.start)
    }

    private static func lines(_ tables: MetricsTables, at time: Int64 = later.end) -> [String] {
        String(decoding: TextfileExport(tables, exportTime: time).bytes, as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    @Test("windows of a group are added up")
    func windows() {
        var tables = Self.tables()
        tables.evaluations = [
            Self.row(Self.hour, completed: 2, failed: 1), Self.row(Self.later, completed: 3),
        ]
        let lines = Self.lines(tables)
        let labels = #"usage="usage",model="model",os="iOS 26.1""#
        #expect(lines.contains("evalog_evaluations_total{\(labels),outcome=\"completed\"} 5"))
        #expect(lines.contains("evalog_evaluations_total{\(labels),outcome=\"failed\"} 1"))
        #expect(lines.contains("evalog_evaluation_attempts_total{\(labels)} 14"))
        #expect(lines.contains("evalog_evaluations_retried_total{\(labels)} 2"))
    }

    @Test("counting begins with the month of the export, whatever came before")
    func month() {
        var tables = Self.tables()
        let month: Int64 = 31 * 86_400_000_000
        let past = TimeWindow(start: Self.hour.start - month, end: Self.hour.end - month)
        tables.evaluations = [
            Self.row(past, completed: 100), Self.row(Self.hour, completed: 2),
        ]
        let labels = #"usage="usage",model="model",os="iOS 26.1",outcome="completed""#
        #expect(Self.lines(tables).contains("evalog_evaluations_total{\(labels)} 2"))
        let later = Self.lines(tables, at: Self.hour.end + month)
        #expect(later.contains("evalog_evaluations_total{\(labels)} 0"))
    }

    @Test("the histogram is cumulative, in seconds, and ends in everything")
    func histogram() {
        var tables = Self.tables()
        tables.evaluations = [
            Self.row(Self.hour, completed: 4, durations: [1, 9_000, 15_000, 100_000_000])
        ]
        let buckets = Self.lines(tables).filter { $0.contains("_bucket{") }
        #expect(buckets.count == Histogram.conventionalEdges.count + 1)
        #expect(buckets[0].hasSuffix(#"le="0.01"} 2"#))
        #expect(buckets[1].hasSuffix(#"le="0.02"} 3"#))
        #expect(buckets[13].hasSuffix(#"le="81.92"} 3"#))
        #expect(buckets[14].hasSuffix(#"le="+Inf"} 4"#))
        let lines = Self.lines(tables)
        #expect(lines.contains { $0.hasSuffix("} 100.024001") && $0.contains("_sum{") })
        #expect(lines.contains { $0.hasSuffix("} 4") && $0.contains("_count{") })
    }

    @Test("quotes, backslashes and newlines in names are escaped, what is no UTF-8 is replaced")
    func escapes() {
        var tables = Self.tables([["a\"b\\c\nd", "", "x"]])
        tables.groups[0][2] = Name(bytes: [0x61, 0xFF])
        tables.evaluations = [Self.row(Self.hour, completed: 1)]
        #expect(
            Self.lines(tables).contains(
                #"evalog_evaluation_attempts_total{usage="a\"b\\c\nd",os="a\#u{FFFD}"} 7"#))
    }

    @Test("causes are reasons of the skipped and classes of the failed")
    func causes() {
        var tables = Self.tables()
        tables.evaluations = [Self.row(Self.hour, completed: 1)]
        for window in [Self.hour, Self.later] {
            tables.outcomes += [
                OutcomeRow(
                    window: window, group: 0, outcomeClass: OutcomeClass(.completed),
                    evaluations: 9),
                OutcomeRow(
                    window: window, group: 0,
                    outcomeClass: OutcomeClass(.failed, error: .timeout), evaluations: 2),
                OutcomeRow(
                    window: window, group: 0,
                    outcomeClass: OutcomeClass(
                        .skipped, reason: .modelUnavailable, detail: .notEnabled),
                    evaluations: 3),
            ]
        }
        let causes = Self.lines(tables).filter { $0.hasPrefix("evalog_evaluation_causes_total{") }
        let labels = #"usage="usage",model="model",os="iOS 26.1""#
        #expect(
            causes == [
                "evalog_evaluation_causes_total{\(labels),outcome=\"failed\",cause=\"timeout\"} 4",
                "evalog_evaluation_causes_total{\(labels),outcome=\"skipped\","
                    + "cause=\"model_unavailable\",detail=\"not_enabled\"} 6",
            ])
    }

    @Test("the newest fact and the export have their times, in seconds with all digits")
    func times() {
        var tables = Self.tables()
        tables.timeRange = 0...1_795_946_400_000_010
        let lines = Self.lines(tables, at: 1_795_950_000_500_000)
        #expect(lines.contains("evalog_newest_fact_timestamp_seconds 1795946400.00001"))
        #expect(lines.contains("evalog_export_timestamp_seconds 1795950000.5"))
    }

    @Test("nothing is a file without groups, and ends in a newline")
    func nothing() {
        let lines = Self.lines(Self.tables([]))
        #expect(lines.last == "")
        let samples = lines.filter { !$0.hasPrefix("#") && !$0.isEmpty }
        #expect(
            samples == [
                #"evalog_form_inferences_total{status="success"} 0"#,
                #"evalog_form_inferences_total{status="failure"} 0"#,
                "evalog_counting_start_timestamp_seconds 1793491200",
                "evalog_export_timestamp_seconds 1795953600",
            ])
    }

    @Test("every family is described once, before its samples")
    func families() {
        var tables = Self.tables()
        tables.evaluations = [Self.row(Self.hour, completed: 1, durations: [5])]
        tables.quality = [QualityRow("log_lost", 3)]
        var described: Set<String> = []
        for line in Self.lines(tables) where !line.isEmpty {
            let words = line.split(whereSeparator: { " {".contains($0) }).map(String.init)
            if line.hasPrefix("# TYPE") {
                #expect(described.insert(words[2]).inserted)
            } else if !line.hasPrefix("#") {
                #expect(described.contains { words[0].hasPrefix($0) }, "\(line)")
            }
        }
        #expect(Self.lines(tables).contains("evalog_quality_log_lost 3"))
    }
}
