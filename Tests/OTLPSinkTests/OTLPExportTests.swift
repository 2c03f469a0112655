// The lines for the Collector's file receiver. That real readers accept them: tools/interop.

import EvalogFacts
import EvalogMetrics
import Foundation
import OTLPSink
import Testing

@Suite("OTLP") struct OTLPExportTests {
    private static let hour = TimeWindow(start: 1_795_946_400_000_000, end: 1_795_950_000_000_000)
    private static let later = TimeWindow(start: 1_795_950_000_000_000, end: 1_795_953_600_000_000)

    private static func tables(_ windows: [TimeWindow]) -> MetricsTables {
        var durations = Histogram()
        for value: UInt64 in [0, 5_000, 15_000, 100_000_000] { durations.add(value) }
        var outcomes = OutcomeCounts()
        outcomes.completed = 4
        var tables = MetricsTables(
            rules: MetricsRules(),
            groups: [[Name("embedded_selection"), Name("system/afm"), .absent]], evaluations: [],
            impressions: [], outcomes: [], inferences: [], inferenceValues: [], quality: [],
            timeRange: nil, refused: 0)
        for window in windows {
            tables.evaluations.append(
                EvaluationRow(
                    window: window, group: 0, outcomes: outcomes, retried: 0, attempts: 4,
                    durations: durations, latest: window.start))
            tables.outcomes.append(
                OutcomeRow(
                    window: window, group: 0,
                    outcomeClass: OutcomeClass(.failed, error: .timeout), evaluations: 2))
            tables.impressions.append(
                ImpressionRow(
                    window: window, group: 0, outcomes: outcomes, reEvaluations: 0,
                    suppression: nil))
        }
        return tables
    }

    private static func lines(_ tables: MetricsTables) throws -> [NSDictionary] {
        var bytes: [UInt8] = []
        OTLPExport(tables, version: "1").write { bytes += $0 }
        #expect(bytes.isEmpty || bytes.last == UInt8(ascii: "\n"))
        return try bytes.split(separator: UInt8(ascii: "\n")).map {
            try #require(try JSONSerialization.jsonObject(with: Data($0)) as? NSDictionary)
        }
    }

    /// The only point of a metric in a line.
    private static func point(_ line: NSDictionary, _ name: String, _ kind: String) throws
        -> NSDictionary
    {
        let resources = try #require(line["resourceMetrics"] as? [NSDictionary])
        let scopes = try #require(resources[0]["scopeMetrics"] as? [NSDictionary])
        let metrics = try #require(scopes[0]["metrics"] as? [NSDictionary])
        let metric = try #require(metrics.first { $0["name"] as? String == name })
        let data = try #require(metric[kind] as? NSDictionary)
        #expect(data["aggregationTemporality"] as? Int == 1)
        return try #require((data["dataPoints"] as? [NSDictionary])?.first)
    }

    private static func attributes(_ point: NSDictionary) -> [String: String] {
        var found: [String: String] = [:]
        for attribute in point["attributes"] as? [NSDictionary] ?? [] {
            let value = attribute["value"] as? NSDictionary
            found[attribute["key"] as? String ?? ""] = value?["stringValue"] as? String
        }
        return found
    }

    @Test("each window is a line, in the order of time, with its span in nanoseconds as text")
    func windows() throws {
        let lines = try Self.lines(Self.tables([Self.later, Self.hour]))
        #expect(lines.count == 2)
        let points = try lines.map { try Self.point($0, "evalog.evaluations", "sum") }
        #expect(points[0]["startTimeUnixNano"] as? String == "1795946400000000000")
        #expect(points[0]["timeUnixNano"] as? String == "1795950000000000000")
        #expect(points[1]["startTimeUnixNano"] as? String == "1795950000000000000")
    }

    @Test("the convention's histogram has its edges and attributes, and counts everything once")
    func histogram() throws {
        let point = try Self.point(
            try Self.lines(Self.tables([Self.hour]))[0], "gen_ai.client.operation.duration",
            "histogram")
        #expect(
            point["explicitBounds"] as? [Double] == [
                0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96,
                81.92,
            ])
        let counts = try #require(point["bucketCounts"] as? [String])
        #expect(counts == ["2", "1"] + Array(repeating: "0", count: 12) + ["1"])
        #expect(point["count"] as? String == "4")
        #expect(point["sum"] as? Double == 100.02)
        #expect(point["max"] as? Double == 100)
        #expect(
            Self.attributes(point) == [
                "evalog.usage": "embedded_selection", "gen_ai.request.model": "system/afm",
                "gen_ai.operation.name": "chat", "gen_ai.provider.name": "system",
            ])
    }

    @Test("the exponential histogram has the zeros apart")
    func exponential() throws {
        let point = try Self.point(
            try Self.lines(Self.tables([Self.hour]))[0], "evalog.evaluation.duration",
            "exponentialHistogram")
        #expect(point["zeroCount"] as? String == "1" && point["scale"] as? Int == 5)
        let positive = try #require(point["positive"] as? NSDictionary)
        let counts = try #require(positive["bucketCounts"] as? [String])
        #expect(counts.compactMap(Int.init).reduce(0, +) == 3)
        // 5 ms are between 2^(-245/32) and 2^(-244/32) seconds.
        #expect(positive["offset"] as? Int == -245)
    }

    @Test("counts say how evaluations ended")
    func outcomes() throws {
        let line = try Self.lines(Self.tables([Self.hour]))[0]
        let point = try Self.point(line, "evalog.evaluations", "sum")
        #expect(point["asInt"] as? String == "2")
        #expect(Self.attributes(point)["evalog.outcome"] == "failed")
        #expect(Self.attributes(point)["error.type"] == "timeout")
        let impressions = try Self.point(line, "evalog.impressions", "sum")
        #expect(impressions["asInt"] as? String == "4")
    }

    @Test("nothing is no line")
    func nothing() throws {
        #expect(try Self.lines(Self.tables([])).isEmpty)
    }
}
