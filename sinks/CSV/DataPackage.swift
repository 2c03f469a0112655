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
            rules.write(to: &json)
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
