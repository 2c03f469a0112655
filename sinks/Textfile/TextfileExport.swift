// Tables as one file for Prometheus's textfile collector: its text format, version 0.0.4.

import EvalogFacts
package import EvalogMetrics
import EvalogText

/// The bytes of an export for the textfile collector, equal for equal tables and times.
///
/// Windows are added up, for a scraper keeps the history itself: those that end in the calendar month
/// (UTC) of the export. So counters fall once a month, to nearly nothing, which Prometheus takes for the
/// reset that it is, and not whenever maintenance deletes what is old. What can fall in between is a
/// gauge: an impression changes its outcome when an evaluation is folded into it.
package struct TextfileExport {
    /// The name of the file; the collector reads what ends in `.prom`.
    package static let name = "evalog.prom"
    private let tables: MetricsTables
    private let totals: [GroupTotal]
    private let exportTime: Int64
    /// Where counting begins.
    private let start: Int64

    /// - Parameter exportTime: When the log was read, in µs since 1970.
    package init(_ tables: MetricsTables, exportTime: Int64) {
        self.tables = tables
        self.exportTime = exportTime
        var months = try? WindowGrid(.month, timeZone: "UTC")
        start = months?.window(of: exportTime).start ?? .min
        totals = tables.totals(after: start)
    }

    /// The whole file.
    package var bytes: [UInt8] {
        var text = MetricText()
        writeEvaluations(&text)
        writeDurations(&text)
        writeImpressions(&text)
        writeInferences(&text)
        writeQuality(&text)
        writeTimes(&text)
        return text.bytes
    }

    // MARK: Groups

    private func labels(_ total: GroupTotal) -> [MetricText.Label] {
        zip(tables.rules.by, total.names).map { .init($0.rawValue, $1.bytes) }
    }

    private func writeEvaluations(_ text: inout MetricText) {
        text.begin("evalog_evaluations_total", .counter, "Evaluations by what became of them.")
        for total in totals {
            for (outcome, count) in total.evaluations.each {
                text.sample(labels(total) + [.init("outcome", outcome.name)], count)
            }
        }
        text.begin(
            "evalog_evaluation_causes_total", .counter,
            "Skipped and failed evaluations by reason, or by class of error.")
        for total in totals {
            for (found, count) in total.outcomes where found.reason != nil || found.error != nil {
                let cause = found.reason?.name ?? found.error?.name
                var labels = labels(total) + [.init("outcome", found.outcome.name)]
                if let cause { labels.append(.init("cause", cause)) }
                if let detail = found.detail { labels.append(.init("detail", detail.name)) }
                text.sample(labels, count)
            }
        }
        text.begin(
            "evalog_evaluation_attempts_total", .counter, "Requests to models, all attempts.")
        for total in totals { text.sample(labels(total), total.attempts) }
        text.begin(
            "evalog_evaluations_retried_total", .counter, "Evaluations of more than one attempt.")
        for total in totals { text.sample(labels(total), total.retried) }
    }

    private func writeDurations(_ text: inout MetricText) {
        text.begin(
            "evalog_evaluation_duration_seconds", .histogram,
            "How long evaluations took that asked a model and were not cancelled.")
        for total in totals where total.durations.count > 0 {
            let labels = labels(total)
            let edges = Histogram.conventionalEdges
            for (edge, count) in zip(edges, total.durations.counts(upTo: edges)) {
                text.sample(
                    labels + [.init("le", MetricText.seconds(UInt128(edge)))], count,
                    suffix: "_bucket")
            }
            text.sample(
                labels + [.init("le", Array("+Inf".utf8))], total.durations.count,
                suffix: "_bucket")
            text.sample(labels, text: MetricText.seconds(total.durations.sum), suffix: "_sum")
            text.sample(labels, total.durations.count, suffix: "_count")
        }
    }

    private func writeImpressions(_ text: inout MetricText) {
        text.begin(
            "evalog_impressions", .gauge,
            "Evaluations with what repeated them folded in, by their outcome.")
        for total in totals {
            for (outcome, count) in total.impressions.each {
                text.sample(labels(total) + [.init("outcome", outcome.name)], count)
            }
        }
        text.begin(
            "evalog_re_evaluations_total", .counter,
            "Evaluations that were folded into an impression beyond its first.")
        for total in totals { text.sample(labels(total), total.reEvaluations) }
    }

    // MARK: The rest

    private func writeInferences(_ text: inout MetricText) {
        text.begin("evalog_form_inferences_total", .counter, "Submitted fields by their inference.")
        for status in InferenceStatus.allCases {
            let count = tables.inferences.reduce(0) {
                $0 + ($1.status == status && $1.window.end > start ? $1.inferences : 0)
            }
            text.sample([.init("status", status.name)], count)
        }
    }

    private func writeQuality(_ text: inout MetricText) {
        for row in tables.quality {
            text.begin(
                "evalog_quality_\(row.name)", .gauge, "Row \(row.name) of the table quality.")
            text.sample([], row.value)
        }
    }

    private func writeTimes(_ text: inout MetricText) {
        if let range = tables.timeRange {
            text.begin(
                "evalog_newest_fact_timestamp_seconds", .gauge,
                "When the newest fact of the log happened, since 1970.")
            text.sample([], text: MetricText.seconds(range.upperBound))
        }
        text.begin(
            "evalog_counting_start_timestamp_seconds", .gauge,
            "Where the windows begin that are counted, since 1970.")
        text.sample([], text: MetricText.seconds(start))
        text.begin(
            "evalog_export_timestamp_seconds", .gauge, "When the log was read, since 1970.")
        text.sample([], text: MetricText.seconds(exportTime))
    }
}
