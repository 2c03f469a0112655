// What a page knows: rows as columns of numbers, bins as differences, each name once.

import EvalogFacts
import EvalogMetrics
import EvalogText

/// The data of a page as JSON that may stand inside of a script element.
///
/// Times are milliseconds since 1970. Rows keep their order: by window, then group.
struct PageData {
    let tables: MetricsTables
    let exportTime: Int64
    let version: String
    let refreshSeconds: Int

    var bytes: [UInt8] {
        var json: [UInt8] = []
        JSONWriter.append(to: &json) { write(to: &$0) }
        return Self.withoutTags(json)
    }

    /// In strings, the only place where JSON has one, a `<` can stand as an escape: then nothing in
    /// them ends the script element.
    private static func withoutTags(_ json: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(json.count)
        for byte in json {
            if byte == UInt8(ascii: "<") { bytes += "\\u003c".utf8 } else { bytes.append(byte) }
        }
        return bytes
    }

    private func write(to json: inout JSONWriter) {
        let windows = Set(
            tables.evaluations.map(\.window) + tables.impressions.map(\.window)
                + tables.outcomes.map(\.window)
        ).sorted { $0.start < $1.start }
        let places = Dictionary(
            uniqueKeysWithValues: windows.enumerated().map { ($1, $0) })
        json.beginObject()
        json.key("version")
        json.string(version)
        json.member("made", Self.milliseconds(exportTime))
        json.member("refresh", Int64(refreshSeconds))
        json.key("rules")
        tables.rules.write(to: &json)
        if let range = tables.timeRange {
            json.array("range", [range.lowerBound, range.upperBound].map(Self.milliseconds))
        }
        json.key("by")
        json.beginArray()
        for dimension in tables.rules.by { json.string(dimension.rawValue) }
        json.endArray()
        json.key("groups")
        json.beginArray()
        for group in tables.groups { write(group, to: &json) }
        json.endArray()
        json.key("windows")
        json.beginObject()
        json.array("start", windows.map { Self.milliseconds($0.start) })
        json.array("end", windows.map { Self.milliseconds($0.end) })
        json.endObject()
        write(tables.evaluations, places, to: &json)
        write(tables.impressions, places, to: &json)
        write(tables.outcomes, places, to: &json)
        if let drift = tables.drift { write(drift, to: &json) }
        writeQuality(to: &json)
        json.endObject()
    }

    /// Rounded down, also before 1970.
    private static func milliseconds(_ microseconds: Int64) -> Int64 {
        (microseconds - (microseconds % 1_000 + 1_000) % 1_000) / 1_000
    }

    private func write(_ names: [Name], to json: inout JSONWriter) {
        json.beginArray()
        for name in names { name.bytes.withUnsafeBytes { json.string($0) } }
        json.endArray()
    }

    // MARK: Rows

    private func write(
        _ rows: [EvaluationRow], _ places: [TimeWindow: Int], to json: inout JSONWriter
    ) {
        json.key("evaluations")
        json.beginObject()
        json.array("window", rows.map { places[$0.window] ?? 0 })
        json.array("group", rows.map(\.group))
        write(rows.map(\.outcomes), to: &json)
        json.array("retried", rows.map(\.retried))
        json.array("min_us", rows.map { Int64(clamping: $0.durations.min) })
        json.array("max_us", rows.map { Int64(clamping: $0.durations.max) })
        json.key("bins")
        json.beginArray()
        for row in rows { write(row.durations, to: &json) }
        json.endArray()
        json.endObject()
    }

    /// Pairs: by how much a bin's number exceeds that of the one before, and its count.
    private func write(_ durations: Histogram, to json: inout JSONWriter) {
        json.beginArray()
        var last = 0
        for (lower, _, count) in durations.bins {
            let bin = HistogramBins.bin(of: lower)
            json.integer(Int64(bin - last))
            json.integer(Int64(count))
            last = bin
        }
        json.endArray()
    }

    private func write(
        _ rows: [ImpressionRow], _ places: [TimeWindow: Int], to json: inout JSONWriter
    ) {
        json.key("impressions")
        json.beginObject()
        json.array("window", rows.map { places[$0.window] ?? 0 })
        json.array("group", rows.map(\.group))
        write(rows.map(\.outcomes), to: &json)
        json.array("re_evaluations", rows.map(\.reEvaluations))
        json.endObject()
    }

    private func write(_ outcomes: [OutcomeCounts], to json: inout JSONWriter) {
        json.array("completed", outcomes.map(\.completed))
        json.array("skipped", outcomes.map(\.skipped))
        json.array("failed", outcomes.map(\.failed))
        json.array("cancelled", outcomes.map(\.cancelled))
    }

    /// Each cause once, and the rows with its place.
    private func write(
        _ rows: [OutcomeRow], _ windows: [TimeWindow: Int], to json: inout JSONWriter
    ) {
        var causes: [OutcomeClass] = []
        var places: [OutcomeClass: Int] = [:]
        for row in rows where places[row.outcomeClass] == nil {
            places[row.outcomeClass] = causes.count
            causes.append(row.outcomeClass)
        }
        json.key("causes")
        json.beginArray()
        for cause in causes {
            json.beginArray()
            json.string("\(cause.outcome.name)")
            json.string(cause.reason.map { "\($0.name)" } ?? cause.error.map { "\($0.name)" } ?? "")
            json.string(cause.detail.map { "\($0.name)" } ?? "")
            json.endArray()
        }
        json.endArray()
        json.key("outcomes")
        json.beginObject()
        json.array("window", rows.map { windows[$0.window] ?? 0 })
        json.array("group", rows.map(\.group))
        json.array("cause", rows.map { places[$0.outcomeClass] ?? 0 })
        json.array("evaluations", rows.map(\.evaluations))
        json.endObject()
    }

    /// Whole numbers: millionths, or µs of durations; what there is not is left out.
    private func write(_ drift: Drift, to json: inout JSONWriter) {
        json.key("drift")
        json.beginArray()
        for finding in drift.findings {
            json.beginObject()
            let names: [(StaticString, Name?)] = [
                ("usage", finding.usage), ("measure", Name(finding.measure.key)),
                ("subject", finding.measure.mix?.subject), ("field", finding.measure.mix?.field),
                ("value", finding.value), ("verdict", Name(finding.verdict.rawValue)),
            ]
            for case (let key, let name?) in names {
                json.key(key)
                name.bytes.withUnsafeBytes { json.string($0) }
            }
            let numbers: [(StaticString, Int64?)] = [
                ("baseline", finding.whole(finding.baseline)),
                ("candidate", finding.whole(finding.candidate)),
                ("difference", finding.whole(finding.difference)),
                ("low", finding.whole(finding.low)), ("high", finding.whole(finding.high)),
                ("effect", Self.millionths(finding.effect)),
                ("p", Self.millionths(finding.adjustedP)),
                ("baseline_sessions", Int64(finding.baseline.sessions)),
                ("candidate_sessions", Int64(finding.candidate.sessions)),
            ]
            for case (let key, let number?) in numbers { json.member(key, number) }
            json.endObject()
        }
        json.endArray()
    }

    private static func millionths(_ value: Double?) -> Int64? {
        value.map { Int64(($0 * 1_000_000).rounded()) }
    }

    private func writeQuality(to json: inout JSONWriter) {
        json.key("quality")
        json.beginArray()
        for row in tables.quality {
            json.beginArray()
            json.string(row.name)
            json.integer(Int64(clamping: row.value))
            json.endArray()
        }
        json.endArray()
    }
}

extension JSONWriter {
    fileprivate mutating func member(_ name: StaticString, _ value: Int64) {
        key(name)
        integer(value)
    }

    fileprivate mutating func array(_ name: StaticString, _ values: [some BinaryInteger]) {
        key(name)
        beginArray()
        for value in values { integer(Int64(clamping: value)) }
        endArray()
    }
}
