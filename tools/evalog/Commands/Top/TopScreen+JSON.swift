// What evalog top shows, for programs.

import EvalogFacts
import EvalogMetrics
import EvalogText

extension TopScreen {
    /// One JSON object on one line; lengths in whole µs, rates in millionths, absent is absent.
    func json(now: Int64) -> [UInt8] {
        let summary = summary(now: now)
        var bytes: [UInt8] = []
        JSONWriter.append(to: &bytes) { json in
            json.beginObject()
            json.key("since")
            json.time(summary.start)
            json.key("until")
            json.time(now)
            if let newest = table.newest {
                json.key("newest")
                json.time(newest)
            }
            Self.write(summary.outcomes, to: &json)
            json.counts([
                ("late", table.lateCount), ("ahead", table.aheadCount),
                ("unreadable", table.unreadableCount),
            ])
            json.key("damaged")
            json.bool(isDamaged)
            json.array("groups", sorted(summary.rows), Self.write)
            json.endObject()
        }
        return bytes + [0x0A]
    }

    private static func write(_ outcomes: OutcomeCounts, to json: inout JSONWriter) {
        json.counts([
            ("evaluations", outcomes.total), ("completed", outcomes.completed),
            ("skipped", outcomes.skipped), ("failed", outcomes.failed),
            ("cancelled", outcomes.cancelled),
        ])
    }

    private static func write(_ row: LiveRow, to json: inout JSONWriter) {
        json.beginObject()
        json.key("usage")
        json.string(row.group.usage)
        if !row.group.model.isEmpty {
            json.key("model")
            json.string(row.group.model)
        }
        write(row.outcomes, to: &json)
        if let rate = row.failureRate {
            json.counts([
                ("failure_rate", rate.rate), ("failure_rate_low", rate.low),
                ("failure_rate_high", rate.high),
            ])
        }
        let ranks: [(StaticString, Int)] = [
            ("p50_us", 50), ("p90_us", 90), ("p95_us", 95), ("p99_us", 99),
        ]
        for ((name, _), value) in zip(ranks, row.durations.percentiles(ranks.map(\.1))) {
            json.key(name)
            json.integer(Int64(clamping: value))
        }
        json.counts([("retried", row.retried)])
        json.key("newest")
        json.time(row.latest)
        json.key("failures")
        json.beginObject()
        for failure in row.failures {
            json.key(failure.error?.name ?? "unknown")
            json.integer(Int64(failure.count))
        }
        json.endObject()
        json.endObject()
    }
}
