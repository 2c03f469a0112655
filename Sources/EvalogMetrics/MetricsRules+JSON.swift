// The rules as JSON, for whoever reads tables and asks what they were computed by.

import EvalogFacts
package import EvalogText

extension MetricsRules {
    /// An object with everything that the tables depend on besides the facts.
    package func write(to json: inout JSONWriter) {
        json.beginObject()
        json.key("window")
        json.string(window.text)
        json.key("timezone")
        json.string(timeZone)
        json.key("by")
        write(by.map(\.rawValue), &json)
        json.key("gaps_us")
        writeGaps(&json)
        json.key("max_groups")
        json.integer(Int64(groupCountMax))
        if let since {
            json.key("since")
            json.time(since)
        }
        if let until {
            json.key("until")
            json.time(until)
        }
        if !filters.isEmpty {
            json.key("filters")
            writeFilters(&json)
        }
        if let drift {
            json.key("drift")
            json.beginObject()
            for (key, text) in [
                ("by", drift.by.rawValue), ("baseline", drift.baseline),
                ("candidate", drift.candidate),
            ] {
                json.key(key)
                json.string(text)
            }
            json.key("level_ppm")
            json.integer(drift.level)
            json.endObject()
        }
        json.endObject()
    }

    /// The gap of every usage that has one of its own, and that of all others as `*`.
    private func writeGaps(_ json: inout JSONWriter) {
        var named = gaps.byUsage
        if gaps.everyUsage == nil, named[Gaps.suppressionUsage] == nil {
            named[Gaps.suppressionUsage] = gaps.gap(of: Gaps.suppressionUsage)
        }
        json.beginObject()
        json.key("*")
        json.integer(gaps.everyUsage ?? Gaps.standard)
        for (usage, gap) in named.sorted(by: { Name($0.key) < Name($1.key) }) {
            json.key(usage)
            json.integer(gap)
        }
        json.endObject()
    }

    private func writeFilters(_ json: inout JSONWriter) {
        json.beginObject()
        let outcomes = Set(filters.outcomes.map(\.name.description))
        for (key, values) in [
            ("usage", filters.usages), ("model", filters.models), ("os", filters.systems),
            ("outcome", outcomes),
        ] where !values.isEmpty {
            json.key(key)
            write(values.map(Name.init).sorted().map(\.text), &json)
        }
        json.endObject()
    }

    private func write(_ texts: [String], _ json: inout JSONWriter) {
        json.beginArray()
        for text in texts { json.string(text) }
        json.endArray()
    }
}

extension WindowRule {
    /// As `--window` takes it: `900s`, `day`.
    package var text: String {
        switch self {
        case .fixed(let microseconds): "\(microseconds / Timestamp.microsecondsPerSecond)s"
        case .day: "day"
        case .week: "week"
        case .month: "month"
        }
    }
}
