// A span for each evaluation. That real readers accept them: tools/interop.

import EvalogFacts
import EvalogMetrics
import Foundation
import OTLPSink
import Testing

@Suite("Spans") struct OTLPSpansTests {
    private static func line(
        _ id: Int, time: String = "2026-11-29T10:15:30.123456Z", _ more: String = ""
    ) -> String {
        #"{"v":1,"type":"evaluation","id":"0193f0a0-0000-7000-8000-00000000000\#(id)","time":"\#(time)","usage":"mood","#
            + #""session":"6f1c2a7e-9b3d-4c55-8a1b-2c3d4e5f6071","model":"system/m","outcome":"failed","#
            + #""error":"timeout","duration_us":1500000,"attempts":2\#(more)}"#
    }

    /// Each span of the lines, read on two threads.
    private static func spans(_ lines: [String], _ rules: MetricsRules = .init()) throws
        -> [NSDictionary]
    {
        let collectors = [OTLPSpans(), OTLPSpans()]
        var decoder = FactDecoder()
        for (number, line) in lines.enumerated() {
            try Array(line.utf8).withUnsafeBytes {
                collectors[number % 2].add(try decoder.decode($0), line: $0)
            }
        }
        collectors[0].absorb(collectors[1])
        var bytes: [UInt8] = []
        collectors[0].write(rules, version: "1") { bytes += $0 }
        return try bytes.split(separator: UInt8(ascii: "\n")).flatMap { line in
            let request = try #require(
                try JSONSerialization.jsonObject(with: Data(line)) as? NSDictionary)
            let resources = try #require(request["resourceSpans"] as? [NSDictionary])
            let scopes = try #require(resources[0]["scopeSpans"] as? [NSDictionary])
            return try #require(scopes[0]["spans"] as? [NSDictionary])
        }
    }

    @Test("has the id, times, status and fields of its evaluation, and 64-bit numbers as text")
    func fields() throws {
        let span = try #require(try Self.spans([Self.line(1)]).first)
        #expect(span["traceId"] as? String == "0193f0a0000070008000000000000001")
        #expect(span["spanId"] as? String == "8000000000000001")
        #expect(span["startTimeUnixNano"] as? String == "1795947330123456000")
        #expect(span["endTimeUnixNano"] as? String == "1795947331623456000")
        #expect(span["name"] as? String == "chat system/m")
        #expect((span["status"] as? NSDictionary)?["code"] as? Int == 2)
        let attributes = try #require(span["attributes"] as? [NSDictionary])
        let values = Dictionary(
            uniqueKeysWithValues: attributes.map {
                ($0["key"] as? String, ($0["value"] as? NSDictionary)?["stringValue"] as? String)
            })
        #expect(values["gen_ai.provider.name"] == "system" && values["error.type"] == "timeout")
        #expect(values["session.id"] == "6f1c2a7e-9b3d-4c55-8a1b-2c3d4e5f6071")
        #expect(values["evalog.usage"] == "mood")
        let attempts = try #require(
            attributes.first { $0["key"] as? String == "evalog.attempts" }?["value"])
        #expect(attempts as? NSDictionary == ["intValue": "2"])
    }

    @Test("what came to no request is no operation of a model")
    func skipped() throws {
        let line = Self.line(1).replacing(#""attempts":2"#, with: #""attempts":0"#)
        let span = try #require(try Self.spans([line]).first)
        #expect(span["name"] as? String == "evaluation system/m")
        let keys = try #require(span["attributes"] as? [NSDictionary]).map { $0["key"] as? String }
        #expect(keys.contains("evalog.outcome") && !keys.contains("gen_ai.operation.name"))
    }

    @Test("times that the format cannot hold stand at its ends")
    func times() throws {
        let early = try #require(try Self.spans([Self.line(1, time: "1969-12-31T23:59:59Z")]).first)
        #expect(early["startTimeUnixNano"] as? String == "0")
        let late = try #require(try Self.spans([Self.line(1, time: "9999-12-31T23:59:58Z")]).first)
        #expect(late["startTimeUnixNano"] as? String == "18446744073709551615")
    }

    @Test("of several lines of one id the one that stays, whichever thread read it")
    func staying() throws {
        let lines = [
            Self.line(1, time: "2026-11-29T10:00:01Z"), Self.line(1, time: "2026-11-29T10:00:00Z"),
            Self.line(2), Self.line(1, time: "2026-11-29T10:00:02Z"),
        ]
        for order in [lines, lines.reversed()] {
            let spans = try Self.spans(order)
            #expect(
                spans.compactMap { $0["startTimeUnixNano"] as? String }
                    == ["1795946400000000000", "1795947330123456000"])
        }
    }

    @Test("only what is in the range and passes the filters")
    func filters() throws {
        var rules = MetricsRules()
        rules.since = 1_795_947_000_000_000
        let early = Self.line(1, time: "2026-11-29T10:00:00Z")
        #expect(try Self.spans([early, Self.line(2)], rules).count == 1)
        rules.filters.models = ["another"]
        #expect(try Self.spans([Self.line(2)], rules).isEmpty)
        rules.filters.models = ["system/m"]
        rules.filters.outcomes = [.completed]
        #expect(try Self.spans([Self.line(2)], rules).isEmpty)
    }
}
