import AirshipCore
import ChatModels
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct RecordedModelTests {
    private static let usage = AirshipAI.AnyUsage(AirshipAI.Usage<String>(rawValue: "u"))

    /// One exchange a line, as the recordings have them.
    private static let lines = #"""
        {"task":"u","model":"m","response_text":"{\"word\":\"yes\"}","latency_ms":1500,"http_status":200,"error":null,"schema_errors":[],"finish_reason":"stop"}
        {"task":"u","response_text":"{\"word\":7}","latency_ms":10,"http_status":200,"error":{"kind":"schema_violation"},"schema_errors":["word"],"finish_reason":"stop"}
        {"task":"u","response_text":"{\"wo","latency_ms":10,"http_status":200,"error":{"kind":"truncated"},"schema_errors":["x"],"finish_reason":"length"}
        {"task":"u","response_text":"no","latency_ms":10,"http_status":200,"error":{"kind":"not_json"},"schema_errors":["x"],"finish_reason":"stop"}
        {"task":"u","response_text":null,"latency_ms":5,"http_status":400,"error":{"kind":"http_error"},"http_body":"{\"error\":{\"type\":\"exceed_context_size_error\"}}"}
        {"task":"u","response_text":null,"latency_ms":5,"http_status":503,"error":{"kind":"http_error"},"http_body":"{}"}
        {"task":"u","response_text":null,"latency_ms":80,"http_status":null,"error":{"kind":"timeout"}}
        {"task":"u","response_text":null,"latency_ms":1,"http_status":null,"error":{"kind":"connection_refused"}}
        {"task":"u","response_text":null,"latency_ms":1,"http_status":null,"error":{"kind":"connection_lost"}}
        {"usage":"v","outcome":"completed","output":{"word":"yes"},"duration":3,"attempts":2,"model":"n"}
        {"usage":"v","outcome":"failed","error_class":"auth","duration":0.001,"attempts":1}
        {"usage":"v","outcome":"failed","error_class":"schema_mismatch","duration":1,"attempts":1}
        {"usage":"v","outcome":"skipped","reason":"ai_disabled","duration":0,"attempts":0}
        {"type":"ai_suppressed"}
        not JSON
        """#

    private static let exchanges = RecordedExchange.read(ndjson: Data(lines.utf8))

    private static let question = letters(
        "", schema: .object(properties: ["word": .string()], required: ["word"]))

    @Test("recordings of both kinds are read, and lines of other kinds left out")
    func read() {
        let classes = Self.exchanges.map(\.errorClass)
        #expect(
            classes == [
                nil, .schemaMismatch, .truncated, .badResponse, .contextOverflow, .unavailable,
                .timeout, .transport, .transport, nil, .auth, .schemaMismatch,
            ])
        #expect(Self.exchanges.map(\.usage) == Array(repeating: "u", count: 9) + ["v", "v", "v"])
        #expect(Self.exchanges[0].latency == .milliseconds(1_500))
        #expect(Self.exchanges[9].latency == .milliseconds(1_500))
        #expect(Self.exchanges[9].model == "n")
    }

    @Test("each recorded ending comes out of an evaluation in its class", arguments: 0..<12)
    func endings(index: Int) async {
        let exchange = Self.exchanges[index]
        let model = RecordedModel([exchange], seed: 1, latencyScale: 0, maxAttempts: 1)
        let record = await record(of: AnyWordEvaluation(), by: model)
        #expect(record?.errorClass == exchange.errorClass)
        if exchange.isValidAnswer { #expect(record?.outcome == .completed(["word": "yes"])) }
    }

    private func played(seed: UInt64) async -> [String] {
        let model = RecordedModel(Self.exchanges, usage: Self.usage, seed: seed, latencyScale: 0)
        var played: [String] = []
        for _ in 0..<40 {
            do {
                played.append(try await model.respond(Self.question).toString())
            } catch {
                played.append(AirshipAI.ErrorClass(classifying: error).rawValue)
            }
        }
        return played
    }

    @Test(
        "the same seed plays the same, and another seed another order",
        arguments: [1, 7, .max] as [UInt64])
    func seeds(seed: UInt64) async {
        let first = await played(seed: seed)
        #expect(await played(seed: seed) == first)
        #expect(await played(seed: seed &+ 1) != first)
        #expect(Set(first).count > 4)
        #expect(!first.contains("auth"), "exchanges of another usage are not played")
    }

    @Test(
        "latencies are scaled, and 0 and nonsense do not wait",
        arguments: [
            (1, .milliseconds(1_500)), (2, .seconds(3)), (0.5, .milliseconds(750)), (0, nil),
            (-1, nil), (.nan, nil), (.infinity, nil), (1e300, .seconds(1_500)),
        ] as [(Double, Duration?)])
    func latency(scale: Double, expected: Duration?) async throws {
        let time = SteppingTime()
        let model = RecordedModel(
            [Self.exchanges[0]], seed: 1, latencyScale: scale, time: time)
        _ = try await model.respond(Self.question)
        #expect(time.sleeps.first == expected)
    }

    @Test("without a recording for its usage the model is missing, with one the app decides")
    func availability() {
        let other = AirshipAI.AnyUsage(AirshipAI.Usage<String>(rawValue: "other"))
        let missing = RecordedModel(Self.exchanges, usage: other, seed: 1)
        #expect(missing.availability == .unavailable(reason: .missingModel))
        let off = RecordedModel(
            Self.exchanges, seed: 1, availability: { .unavailable(reason: .notEnabled) })
        #expect(off.availability == .unavailable(reason: .notEnabled))
        #expect(off.label == "m")
    }

    @Test("a recorded ranking ranks today's banners, as many as there are")
    func fitting() async throws {
        let line = #"""
            {"task":"embedded_banner_ranking","http_status":200,"finish_reason":"stop","schema_errors":[],"response_text":"{\"scores\":[{\"id\":\"b1\",\"score\":0.4},{\"id\":\"x\",\"score\":9.6},{\"id\":\"b3\",\"score\":2}]}"}
            """#
        let exchanges = RecordedExchange.read(ndjson: Data(line.utf8))
        #expect(exchanges[0].usage == "embedded_selection")
        let schema = AirshipJSONSchema.object(
            properties: [
                "scores": .array(
                    items: .object(
                        properties: ["id": .string(choices: ["x", "y"]), "score": .integer()],
                        required: ["id", "score"])), "reason": .string(), "note": .string(),
            ], required: ["scores", "reason"])
        let answer = try await RecordedModel(exchanges, seed: 1, latencyScale: 0)
            .respond(letters("", schema: schema))
        #expect(
            answer == [
                "scores": [["id": "y", "score": 0], ["id": "x", "score": 10]], "reason": "",
            ])
    }

    private static let realData = SharedFolder.data("real-model/recorded.ndjson")

    @Test(
        "every valid exchange of the real recording fits the question that was asked",
        .enabled(if: Self.realData != nil))
    func realRecording() async throws {
        let data = try #require(Self.realData)
        let exchanges = RecordedExchange.read(ndjson: data)
        #expect(exchanges.count == data.split(separator: UInt8(ascii: "\n")).count)
        let schemas: [String: AirshipJSONSchema] = [
            "in_app_message_suppression": .object(
                properties: ["allow": .boolean(), "reason": .string()],
                required: ["allow", "reason"]),
            "scene_text_input": .object(
                properties: ["category": .string(choices: ["a", "b"]), "urgent": .boolean()],
                required: ["category", "urgent"]),
            "embedded_selection": .object(
                properties: [
                    "scores": .array(
                        items: .object(
                            properties: ["id": .string(choices: ["1", "2"]), "score": .integer()],
                            required: ["id", "score"]))
                ], required: ["scores"]),
        ]
        #expect(Set(exchanges.map(\.usage)) == Set(schemas.keys))
        for exchange in exchanges where exchange.isValidAnswer {
            let schema = try #require(schemas[exchange.usage])
            let answer = try await RecordedModel([exchange], seed: 1, latencyScale: 0)
                .respond(letters("", schema: schema))
            try schema.validate(answer)
        }
        #expect(exchanges.count { $0.isValidAnswer } == 42)
        let classes = Dictionary(grouping: exchanges.compactMap(\.errorClass)) { $0 }
        #expect(
            classes.mapValues(\.count) == [
                .schemaMismatch: 7, .badResponse: 2, .truncated: 12, .contextOverflow: 4,
                .clientError: 2, .auth: 1, .unavailable: 1, .timeout: 3, .transport: 3,
            ])
    }
}

/// A question that takes a word.
private struct AnyWordEvaluation: AirshipAI.Evaluation {
    typealias Output = AirshipJSON

    let usage = AirshipAI.Usage<String>(rawValue: "u")
    let subject = "subject"
    let schema = AirshipJSONSchema.object(properties: ["word": .string()], required: ["word"])

    func instructions() -> String { "Instructions" }
    func prompt(context: AirshipAI.Context) -> String { "Prompt" }
    func decode(_ output: AirshipJSON) throws -> AirshipJSON { output }
}
