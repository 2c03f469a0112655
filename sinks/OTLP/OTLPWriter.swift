// The messages of OTLP's metrics as JSON.

import EvalogMetrics
import EvalogText

/// Writes one request for one window.
struct OTLPWriter {
    /// What the points of a metric are, and the member that holds them.
    enum Kind: String {
        case sum, histogram, exponentialHistogram
    }

    struct Attribute {
        let key: String
        let value: Name

        init(_ key: String, _ value: Name) {
            self.key = key
            self.value = value
        }

        init(_ key: String, _ value: StaticString) {
            self.init(key, Name(value.description))
        }
    }

    var json: JSONWriter
    let window: TimeWindow

    mutating func request(version: String, _ writeMetrics: (inout Self) -> Void) {
        object { writer in
            writer.list("resourceMetrics") { writer in
                writer.object { writer in
                    writer.json.key("resource")
                    writer.object { $0.attributes([.init("service.name", Name("evalog"))]) }
                    writer.list("scopeMetrics") { writer in
                        writer.object { writer in
                            writer.json.key("scope")
                            writer.object { writer in
                                writer.json.key("name")
                                writer.json.string("evalog" as StaticString)
                                writer.json.key("version")
                                writer.json.string(version)
                            }
                            writer.list("metrics", writeMetrics)
                        }
                    }
                }
            }
        }
    }

    /// A metric of these rows as points; none where there are no rows.
    mutating func metric<Row>(
        _ name: StaticString, unit: StaticString, _ description: StaticString, _ kind: Kind,
        _ rows: [Row], _ writePoint: (Row, inout Self) -> Void
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
                            writer.wide("startTimeUnixNano", Self.nanoseconds(writer.window.start))
                            writer.wide("timeUnixNano", Self.nanoseconds(writer.window.end))
                            writePoint(row, &writer)
                        }
                    }
                }
            }
        }
    }

    // MARK: Points

    /// Names that are absent have no attribute.
    mutating func attributes(_ attributes: [Attribute]) {
        list("attributes") { writer in
            for attribute in attributes where !attribute.value.isAbsent {
                writer.object { writer in
                    writer.json.key("key")
                    writer.json.string(attribute.key)
                    writer.json.key("value")
                    writer.object { writer in
                        writer.json.key("stringValue")
                        attribute.value.bytes.withUnsafeBytes { writer.json.string($0) }
                    }
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

    /// The format has no times before 1970.
    private static func nanoseconds(_ microseconds: Int64) -> UInt64 {
        UInt64(max(0, microseconds)).multipliedReportingOverflow(by: 1_000).partialValue
    }

    private mutating func wide(_ key: String, _ value: some BinaryInteger) {
        json.key(key)
        json.string(String(value))
    }

    private mutating func object(_ write: (inout Self) -> Void) {
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
