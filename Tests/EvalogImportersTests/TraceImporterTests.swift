// Traces of other tools: what becomes an evaluation, with which values, and what is passed over.

import EvalogImporters
import EvalogText
import Foundation
import TestSupport
import Testing

/// Lines of traces and what the importer makes of them.
private struct Imported {
    var records: [NSDictionary] = []
    var unmapped = Unmapped()

    init(_ format: TraceFormat, _ lines: [String]) throws {
        var importer = TraceImporter(format)
        for line in lines {
            let bytes = Array(line.utf8)
            let found = bytes.withUnsafeBytes { text in
                Result { () throws(TextError) in try importer.records(of: text) }
            }
            for record in try found.get() {
                let object = try JSONSerialization.jsonObject(with: Data(record))
                records.append(try #require(object as? NSDictionary))
            }
        }
        unmapped = importer.unmapped
    }
}

@Suite("Spans of generative AI") struct OTLPTracesTests {
    private static func attribute(_ name: String, _ value: String) -> String {
        #"{"key":"\#(name)","value":\#(value)}"#
    }

    private static func text(_ value: String) -> String { #"{"stringValue":"\#(value)"}"# }

    private static func span(
        _ id: String, parent: String = "", operation: String? = "chat",
        start: String = "\"1796016742886787783\"",
        end: String = "\"1796016744005867711\"", status: String = "{}", _ more: [String] = []
    ) -> String {
        let own = operation.map { [attribute("gen_ai.operation.name", text($0))] } ?? []
        return
            #"{"traceId":"t","spanId":"\#(id)","parentSpanId":"\#(parent)","startTimeUnixNano":\#(start),"#
            + #""endTimeUnixNano":\#(end),"attributes":[\#((own + more).joined(separator: ","))],"status":\#(status)}"#
    }

    private static func line(_ spans: [String]) -> String {
        #"{"resourceSpans":[{"resource":{"attributes":[\#(attribute("service.version", text("1.2")))]},"#
            + #""scopeSpans":[{"spans":[\#(spans.joined(separator: ","))]}]}]}"#
    }

    @Test("a request is an evaluation: time, duration, model, version, an id of its own")
    func request() throws {
        let model = Self.attribute("gen_ai.request.model", Self.text("m-1"))
        let found = try Imported(.otlp, [Self.line([Self.span("a", [model])])])
        let record = try #require(found.records.first)
        #expect(found.records.count == 1 && found.unmapped.isEmpty)
        #expect(record["id"] as? String == "t/a")
        #expect(record["time"] as? String == "2026-11-30T05:32:22.886787Z")
        #expect(record["duration"] as? Double == 1.11908)
        #expect(record["usage"] as? String == "chat" && record["model"] as? String == "m-1")
        #expect(record["app"] as? String == "1.2" && record["attempts"] as? Int == 1)
        #expect(record["outcome"] as? String == "completed")
    }

    @Test("64-bit numbers may be numbers, and an end before the start gives a negative duration")
    func numbers() throws {
        let span = Self.span("a", start: "1796016742000001000", end: "1796016742000000000")
        let record = try #require(try Imported(.otlp, [Self.line([span])]).records.first)
        #expect(record["duration"] as? Double == -0.000001)
    }

    @Test("requests below a span with ai.usage are the attempts of one evaluation")
    func attempts() throws {
        let frame = Self.span(
            "f", operation: nil, end: "\"1796016746886787783\"",
            [Self.attribute("ai.usage", Self.text("scene_text_input"))])
        let failed = Self.span("a", parent: "f", status: #"{"code":2,"message":"boom"}"#)
        let completed = Self.span("b", parent: "f", end: "\"1796016745005867711\"")
        let found = try Imported(.otlp, [Self.line([completed, failed, frame, Self.span("c")])])
        #expect(found.records.count == 2 && found.unmapped.isEmpty)
        #expect(found.records[0]["usage"] as? String == "scene_text_input")
        #expect(found.records[0]["attempts"] as? Int == 2)
        #expect(found.records[0]["duration"] as? Double == 4)
        #expect(found.records[0]["outcome"] as? String == "completed")
        #expect(found.records[1]["id"] as? String == "t/c")
    }

    @Test("a span between them, or another resource, does not hide whose attempt a request is")
    func deepAttempts() throws {
        let frame = Self.span(
            "f", operation: nil, [Self.attribute("ai.usage", Self.text("scene_text_input"))])
        let agent = Self.span("g", parent: "f", operation: "invoke_agent")
        let lines = [frame + "," + agent, Self.span("a", parent: "g")].map {
            #"{"resource":{"attributes":[]},"scopeSpans":[{"spans":[\#($0)]}]}"#
        }
        let found = try Imported(
            .otlp, [#"{"resourceSpans":[\#(lines.joined(separator: ","))]}"#])
        #expect(found.records.map { $0["id"] as? String } == ["t/f"])
        #expect(found.unmapped.parts == ["spans of invoke_agent": 1])
        // Below itself there is no evaluation.
        let ring = Self.line([Self.span("x", parent: "y"), Self.span("y", parent: "x")])
        #expect(try Imported(.otlp, [ring]).records.count == 2)
    }

    @Test("what goes wrong after the last answer is the evaluation's end")
    func frameStatus() throws {
        func outcome(of frame: String, _ request: String) throws -> NSDictionary {
            let frame = Self.span(
                "f", operation: nil, status: frame,
                [Self.attribute("ai.usage", Self.text("scene_text_input"))])
            let spans = [frame, Self.span("a", parent: "f", status: request)]
            return try #require(try Imported(.otlp, [Self.line(spans)]).records.first)
        }
        let late = try outcome(of: #"{"code":2,"message":"deadline exceeded"}"#, "{}")
        #expect(late["outcome"] as? String == "failed")
        #expect(late["error_class"] as? String == "timeout")
        let both = try outcome(
            of: #"{"code":2,"message":"gave up"}"#, #"{"code":2,"message":"HTTP 503"}"#)
        #expect(both["error_class"] as? String == "server_error")
    }

    @Test(
        "what was cancelled did not fail",
        arguments: ["asyncio.CancelledError", "AbortError", "context canceled"])
    func cancelled(type: String) throws {
        let span = Self.span("a", [Self.attribute("error.type", Self.text(type))])
        let record = try #require(try Imported(.otlp, [Self.line([span])]).records.first)
        #expect(record["outcome"] as? String == "cancelled" && record["error"] == nil)
    }

    @Test("a client that repeats a request within one span says how often")
    func resends() throws {
        let resent = Self.attribute("http.request.resend_count", #"{"intValue":"2"}"#)
        let record = try #require(
            try Imported(.otlp, [Self.line([Self.span("a", [resent])])]).records.first)
        #expect(record["attempts"] as? Int == 3)
        let absurd = Self.attribute(
            "http.request.resend_count", #"{"intValue":"9223372036854775807"}"#)
        let bounded = try Imported(.otlp, [Self.line([Self.span("a", [absurd])])]).records
        #expect(bounded.first?["attempts"] as? Int == 1_000_000)
    }

    @Test("a model is the one that was asked for, which failures know as well")
    func model() throws {
        let names = ["request", "response"].map {
            Self.attribute("gen_ai.\($0).model", Self.text("\($0)ed"))
        }
        let record = try #require(
            try Imported(.otlp, [Self.line([Self.span("a", names)])]).records.first)
        #expect(record["model"] as? String == "requested")
    }

    @Test("spans without ids cannot be told apart, and are counted")
    func noIDs() throws {
        let found = try Imported(.otlp, [Self.line([Self.span(""), Self.span("")])])
        #expect(found.records.isEmpty && found.unmapped.parts == ["spans without ids": 2])
    }

    @Test(
        "errors get a class by what clients and servers call them",
        arguments: [
            ("openai.APITimeoutError", "Request timed out.", "timeout"),
            ("openai.RateLimitError", "slow down", "rate_limited"),
            (
                "openai.BadRequestError", "request exceeds the available context size",
                "context_overflow"
            ),
            ("openai.BadRequestError", "bad schema", "client_error"),
            ("openai.AuthenticationError", "", "auth"), ("500", "", "server_error"),
            ("openai.RateLimitError", "insufficient_quota: see your plan", "quota"),
            ("", "took 14290 ms in 5003", "model_error"), ("", "status=429.", "rate_limited"),
            ("Strange", "nobody knows", "model_error"),
        ])
    func errors(type: String, message: String, expected: String) throws {
        let span = Self.span(
            "a", status: #"{"code":2,"message":"\#(message)"}"#,
            [Self.attribute("error.type", Self.text(type))])
        let record = try #require(try Imported(.otlp, [Self.line([span])]).records.first)
        #expect(record["outcome"] as? String == "failed")
        #expect(record["error_class"] as? String == expected)
    }

    @Test(
        "an answer cut off is truncated, one that was filtered refused",
        arguments: [
            ("length", "truncated"), ("content_filter", "refused"),
        ])
    func finish(reason: String, expected: String) throws {
        let reasons = Self.attribute(
            "gen_ai.response.finish_reasons",
            #"{"arrayValue":{"values":[{"stringValue":"\#(reason)"}]}}"#)
        let record = try #require(
            try Imported(.otlp, [Self.line([Self.span("a", [reasons])])]).records.first)
        #expect(record["error_class"] as? String == expected)
    }

    @Test("messages are content: system texts instructions, others context, the answer JSON")
    func messages() throws {
        let input =
            #"[{\"role\":\"system\",\"parts\":[{\"type\":\"text\",\"content\":\"Decide.\"}]},{\"role\":\"user\",\"content\":\"Hi\"}]"#
        let output =
            #"[{\"role\":\"assistant\",\"parts\":[{\"type\":\"text\",\"content\":\"{\\\"allow\\\": true}\"}]}]"#
        let span = Self.span(
            "a",
            [
                Self.attribute("gen_ai.input.messages", Self.text(input)),
                Self.attribute("gen_ai.output.messages", Self.text(output)),
            ])
        let record = try #require(try Imported(.otlp, [Self.line([span])]).records.first)
        let request = try #require(record["request"] as? NSDictionary)
        #expect(request["instructions"] as? String == "Decide.")
        let context = try #require(request["context"] as? NSDictionary)
        #expect(context["items"] as? [[String: String]] == [["content": "Hi"]])
        #expect(record["output"] as? NSDictionary == ["allow": true])
    }

    @Test("what is no evaluation is counted by why, and no name of it is free text")
    func unmapped() throws {
        let found = try Imported(
            .otlp,
            [
                Self.line([
                    Self.span("a", operation: "execute_tool"),
                    Self.span("b", operation: "my secret"),
                    Self.span("c", operation: nil), Self.span("d", start: "\"soon\""),
                    Self.span(
                        "e",
                        [
                            Self.attribute("gen_ai.usage.input_tokens", #"{"intValue":"5"}"#),
                            Self.attribute("secret name", Self.text("x")),
                            Self.attribute("gen_ai.SECRET", Self.text("x")),
                        ]),
                ])
            ])
        #expect(found.records.count == 1)
        #expect(
            found.unmapped.parts == [
                "spans of execute_tool": 1, "spans of other operations": 1,
                "spans without gen_ai.operation.name": 1,
                "spans without a time that can be told": 1,
            ])
        #expect(
            found.unmapped.attributes == ["gen_ai.usage.input_tokens": 1, "others": 2])
    }

    @Test(
        "a line that is cut, or no request of traces, is refused",
        arguments: [
            "{\"resourceSpans\":[{", "[]", "{\"traceEvents\":[]}", "",
        ])
    func bad(line: String) {
        #expect(throws: TextError.self) { try Imported(.otlp, [line]) }
    }
}

@Suite("Langfuse's generations") struct LangfuseTracesTests {
    private static func line(_ observations: String) -> String {
        #"{"trace":{"id":"t","sessionId":"s-1","release":"4.2"},"observations":[\#(observations)]}"#
    }

    private static func generation(_ id: String, _ more: String = "") -> String {
        #"{"id":"\#(id)","type":"GENERATION","startTime":"2026-03-01T10:00:00.250Z","#
            + #""endTime":"2026-03-01T10:00:01.500Z","latency":1250,"model":"m"\#(more)}"#
    }

    @Test("a generation is an evaluation; its length is from its times, not from latency")
    func generation() throws {
        let found = try Imported(.langfuse, [Self.line(Self.generation("a"))])
        let record = try #require(found.records.first)
        #expect(record["duration"] as? Double == 1.25)
        #expect(record["time"] as? String == "2026-03-01T10:00:00.250000Z")
        #expect(record["session"] as? String == "s-1" && record["app"] as? String == "4.2")
        #expect(record["usage"] as? String == "generation" && record["id"] as? String == "t/a")
    }

    @Test("of generations inside of each other, and in a ring, none counts twice")
    func nested() throws {
        let span = #"{"id":"b","type":"SPAN","parentObservationId":"a"}"#
        let inner = Self.generation("c", #","parentObservationId":"b""#)
        let found = try Imported(
            .langfuse,
            [
                Self.line([inner, span, Self.generation("a")].joined(separator: ","))
            ])
        #expect(found.records.map { $0["id"] as? String } == ["t/a"])
        #expect(
            found.unmapped.parts
                == ["generations inside of another one": 1, "observations of type SPAN": 1])
        let ring = Self.line(
            #"{"id":"x","type":"SPAN","parentObservationId":"y"},{"id":"y","type":"SPAN","parentObservationId":"x"},"#
                + Self.generation("z", #","parentObservationId":"x""#))
        #expect(try Imported(.langfuse, [ring]).records.count == 1)
    }

    @Test("what has no place is named by the members of the format")
    func unplaced() throws {
        let more = #","usageDetails":{"input":5},"costDetails":{},"my secret":1"#
        let found = try Imported(.langfuse, [Self.line(Self.generation("a", more))])
        #expect(found.unmapped.attributes == ["costDetails": 1, "usageDetails": 1])
    }

    @Test("an error has a class, an answer that is JSON in a string is JSON")
    func outcomes() throws {
        let found = try Imported(
            .langfuse,
            [
                Self.line(
                    Self.generation(
                        "a", #","level":"ERROR","statusMessage":"429 Too Many Requests""#)
                        + ","
                        + Self.generation(
                            "b",
                            #","output":"{\"a\":1}","input":"[{\"role\":\"system\",\"content\":\"Be brief.\"}]""#
                        ))
            ])
        #expect(found.records[0]["error_class"] as? String == "rate_limited")
        #expect(found.records[1]["output"] as? NSDictionary == ["a": 1])
        let request = try #require(found.records[1]["request"] as? NSDictionary)
        #expect(request["instructions"] as? String == "Be brief.")
    }

    @Test("a line without a trace is refused", arguments: ["{}", "{\"observations\":[]}", "7"])
    func bad(line: String) {
        #expect(throws: TextError.self) { try Imported(.langfuse, [line]) }
    }
}
