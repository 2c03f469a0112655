// `datapackage.json`: what the tables hold, in which units, by which rules, from which stretch of
// log.

import EvalogFacts
import EvalogMetrics
import EvalogText

/// A Frictionless data package (version 1) of tabular resources.
///
/// It has no date of its own: the same log and rules give the same bytes.
package struct DataPackage {
    /// The name of the file in the folder of the export.
    package static let name = "datapackage.json"

    private let export: CSVExport
    private let rules: MetricsRules
    private let timeRange: ClosedRange<Int64>?

    init(of export: CSVExport, _ tables: MetricsTables) {
        self.export = export
        rules = tables.rules
        timeRange = tables.timeRange
    }

    /// The bytes of the file: indented JSON.
    package var bytes: [UInt8] {
        var compact: [UInt8] = []
        JSONWriter.append(to: &compact) { json in
            json.beginObject()
            json.key("profile")
            json.string("tabular-data-package" as StaticString)
            json.key("name")
            json.string("evalog-export" as StaticString)
            json.key("title")
            json.string("On-device AI evaluations" as StaticString)
            json.key("log")
            writeRange(&json)
            json.key("rules")
            writeRules(&json)
            json.key("resources")
            json.beginArray()
            for file in export.files { write(file, &json) }
            json.endArray()
            json.endObject()
        }
        return IndentedJSON.bytes(compact)
    }

    /// The times of the first and the last fact read; empty for an empty log.
    private func writeRange(_ json: inout JSONWriter) {
        json.beginObject()
        if let range = timeRange {
            json.key("first_time")
            json.time(range.lowerBound)
            json.key("last_time")
            json.time(range.upperBound)
        }
        json.endObject()
    }

    private func writeRules(_ json: inout JSONWriter) {
        json.beginObject()
        json.key("window")
        writeWindow(&json)
        json.key("timezone")
        json.string(rules.timeZone)
        json.key("by")
        write(rules.by.map(\.rawValue), &json)
        json.key("gaps_us")
        writeGaps(&json)
        json.key("max_groups")
        json.integer(Int64(rules.groupCountMax))
        if let since = rules.since {
            json.key("since")
            json.time(since)
        }
        if let until = rules.until {
            json.key("until")
            json.time(until)
        }
        if !rules.filters.isEmpty {
            json.key("filters")
            writeFilters(&json)
        }
        json.endObject()
    }

    private func writeWindow(_ json: inout JSONWriter) {
        switch rules.window {
        case .fixed(let microseconds):
            json.string("\(microseconds / Timestamp.microsecondsPerSecond)s")
        case .day: json.string("day" as StaticString)
        case .week: json.string("week" as StaticString)
        case .month: json.string("month" as StaticString)
        }
    }

    /// The gap of every usage that has one of its own, and that of all others as `*`.
    private func writeGaps(_ json: inout JSONWriter) {
        let gaps = rules.gaps
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
        let filters = rules.filters
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

    private func write(_ file: CSVFile, _ json: inout JSONWriter) {
        let table = export.table(file)
        json.beginObject()
        for (key, value) in [
            ("profile", "tabular-data-resource"), ("name", file.rawValue), ("path", file.name),
            ("description", table.description), ("format", "csv"),
            ("mediatype", "text/csv"), ("encoding", "utf-8"),
        ] {
            json.key(key)
            json.string(value)
        }
        json.key("dialect")
        json.beginObject()
        json.key("delimiter")
        json.string("," as StaticString)
        json.key("lineTerminator")
        json.string("\r\n")
        json.key("quoteChar")
        json.string("\"")
        json.key("doubleQuote")
        json.bool(true)
        json.key("header")
        json.bool(true)
        json.endObject()
        json.key("schema")
        table.writeSchema(&json)
        json.endObject()
    }
}
