// The messages of OTLP as JSON.

import EvalogMetrics
import EvalogText

/// Writes one request.
struct OTLPWriter {
    /// What the points of a metric are, and the member that holds them.
    enum Kind: String {
        case sum, histogram, exponentialHistogram
    }

    struct Attribute {
        enum Value {
            case text(Name)
            case number(Int64)
        }

        let key: String
        let value: Value

        init(_ key: String, _ value: Name) {
            self.key = key
            self.value = .text(value)
        }

        init(_ key: String, _ value: Int64) {
            self.key = key
            self.value = .number(value)
        }

        init(_ key: String, _ value: StaticString) {
            self.init(key, Name(value.description))
        }
    }

    /// What a request holds, and what its members are called.
    enum Signal {
        case metrics, spans

        fileprivate var keys: (resources: String, scopes: String, items: String) {
            switch self {
            case .metrics: ("resourceMetrics", "scopeMetrics", "metrics")
            case .spans: ("resourceSpans", "scopeSpans", "spans")
            }
        }
    }

    private var json: JSONWriter

    /// A request as a line, its newline included.
    static func line(
        of signal: Signal, version: String, _ writeItems: (inout Self) -> Void
    ) -> [UInt8] {
        var line: [UInt8] = []
        JSONWriter.append(to: &line) { json in
            var writer = Self(json: json)
            writer.request(signal.keys, version: version, writeItems)
            json = writer.json
        }
        line.append(UInt8(ascii: "\n"))
        return line
    }

    private mutating func request(
        _ keys: (resources: String, scopes: String, items: String), version: String,
        _ writeItems: (inout Self) -> Void
    ) {
        object { writer in
            writer.list(keys.resources) { writer in
                writer.object { writer in
                    writer.json.key("resource")
                    writer.object { $0.attributes([.init("service.name", Name("evalog"))]) }
                    writer.list(keys.scopes) { writer in
                        writer.object { writer in
                            writer.json.key("scope")
                            writer.object { writer in
                                writer.json.key("name")
                                writer.json.string("evalog" as StaticString)
                                writer.json.key("version")
                                writer.json.string(version)
                            }
                            writer.list(keys.items, writeItems)
                        }
                    }
                }
            }
        }
    }

    /// A metric of these rows as points; none where there are no rows.
    mutating func metric<Row>(
        _ name: StaticString, unit: StaticString, _ description: StaticString, _ kind: Kind,
        in window: TimeWindow, _ rows: [Row], _ writePoint: (Row, inout Self) -> Void
    ) {
        guard !rows.isEmpty else { return }
        object { writer in
            writer.json.key("name")
            writer.json.string(name)
            writer.json.key("description")
            writer.json.string(description)
            writer.json.key("unit")
            writer.json.string(unit)
            writer.json.key(kind.rawValue)
            writer.object { writer in
                // AGGREGATION_TEMPORALITY_DELTA
                writer.json.key("aggregationTemporality")
                writer.json.integer(1)
                if kind == .sum {
                    writer.json.key("isMonotonic")
                    writer.json.bool(true)
                }
                writer.list("dataPoints") { writer in
                    for row in rows {
                        writer.object { writer in
                            writer.time("startTimeUnixNano", window.start)
                            writer.time("timeUnixNano", window.end)
                            writePoint(row, &writer)
                        }
                    }
                }
            }
        }
    }

    // MARK: Spans and points

    mutating func status(isError: Bool) {
        json.key("status")
        object { writer in
            // STATUS_CODE_ERROR; nobody says of a span that it is fine but whoever operates it.
            if isError { writer.number("code", 2) }
        }
    }

    /// Names that are absent have no attribute.
    mutating func attributes(_ attributes: [Attribute]) {
        list("attributes") { writer in
            for attribute in attributes {
                if case .text(.absent) = attribute.value { continue }
                writer.object { writer in
                    writer.json.key("key")
                    writer.json.string(attribute.key)
                    writer.json.key("value")
                    writer.object { $0.value(attribute.value) }
                }
            }
        }
    }

    mutating func count(_ value: some BinaryInteger) { wide("asInt", value) }

    mutating func histogram(_ durations: Histogram) {
        let edges = Histogram.conventionalEdges
        summary(of: durations)
        list("explicitBounds") { writer in
            for edge in edges { writer.json.number(Double(edge) / 1e6) }
        }
        list("bucketCounts") { writer in
            var passed = 0
            for count in durations.counts(upTo: edges) + [durations.count] {
                writer.json.string(String(count - passed))
                passed = count
            }
        }
    }

    mutating func exponentialHistogram(_ durations: Histogram) {
        let buckets = durations.exponential
        summary(of: durations)
        json.key("scale")
        json.integer(Int64(buckets.scale))
        wide("zeroCount", buckets.zeroCount)
        json.key("positive")
        object { writer in
            writer.json.key("offset")
            writer.json.integer(Int64(buckets.offset))
            writer.list("bucketCounts") { writer in
                for count in buckets.counts { writer.json.string(String(count)) }
            }
        }
    }

    private mutating func summary(of durations: Histogram) {
        wide("count", durations.count)
        for (key, value) in [
            ("sum", Double(durations.sum)), ("min", Double(durations.min)),
            ("max", Double(durations.max)),
        ] {
            json.key(key)
            json.number(value / 1e6)
        }
    }

    // MARK: JSON

    /// The format has no times before 1970 and after July 2554: what is there stands at its ends.
    mutating func time(_ key: String, _ microseconds: Int64) {
        let (nanoseconds, isTooLate) = UInt64(max(0, microseconds)).multipliedReportingOverflow(
            by: 1_000)
        wide(key, isTooLate ? .max : nanoseconds)
    }

    mutating func text(_ key: String, _ value: String) {
        json.key(key)
        json.string(value)
    }

    mutating func number(_ key: String, _ value: Int64) {
        json.key(key)
        json.integer(value)
    }

    private mutating func value(_ value: Attribute.Value) {
        switch value {
        case .text(let text):
            json.key("stringValue")
            text.bytes.withUnsafeBytes { json.string($0) }
        case .number(let number): wide("intValue", number)
        }
    }

    private mutating func wide(_ key: String, _ value: some BinaryInteger) {
        json.key(key)
        json.string(String(value))
    }

    mutating func object(_ write: (inout Self) -> Void) {
        json.beginObject()
        write(&self)
        json.endObject()
    }

    private mutating func list(_ key: String, _ write: (inout Self) -> Void) {
        json.key(key)
        json.beginArray()
        write(&self)
        json.endArray()
    }
}
