// Markers planted wherever something confidential can be, looked for wherever something shows.

import AirshipCore
import ChatModels
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ConfidentialityTests {
    private static let marker = Planted.mark

    private static func options(budget: TimeInterval = 30) -> ChatCompletionsModel.Options {
        var options = ChatCompletionsModel.Options()
        options.headers = ["X-Secret": marker]
        options.responseTimeout = budget
        options.maxAttempts = 1
        return options
    }

    private static let context = AirshipAI.Context(items: [.init(content: marker)])

    private static func model(_ url: URL, budget: TimeInterval = 30) -> ChatCompletionsModel {
        ChatCompletionsModel(
            baseURL: URL(string: url.absoluteString + "?key=" + marker)!, model: "test-model",
            options: options(budget: budget), key: { marker })
    }

    @Test("a model and its options show their model's name at most, before and after use")
    func model() async throws {
        let server = try StubServer(always: .http(200, body: completion("{}")))
        defer { server.stop() }
        let model = Self.model(server.baseURL)
        #expect(!shown(model).contains(Self.marker))
        let record = await record(of: AnyObjectEvaluation(), by: model, context: Self.context)
        #expect(record?.outcome == .completed([:]))
        #expect(!shown(model).contains(Self.marker))
        #expect(shown(model).contains("test-model"))
        #expect(!shown(Self.options()).contains(Self.marker))
    }

    @Test("an exchange of a recording shows what was asked for and how it ended, no answer")
    func exchanges() throws {
        let line = ##"{"usage":"embedded_selection","outcome":"completed","output":"MARK"}"##
        let exchanges = RecordedExchange.read(
            ndjson: Data(line.replacing("MARK", with: Self.marker).utf8))
        let model = RecordedModel(exchanges, seed: 1)
        #expect(exchanges.count == 1)
        for value in [exchanges, exchanges[0], model] as [Any] {
            #expect(!shown(value).contains(Self.marker))
        }
        #expect("\(exchanges[0])" == "RecordedExchange(embedded_selection, answered)")
    }

    private static let replies: [StubReply] = [
        .http(
            400,
            body:
                #"{"error":{"message":"\#(Planted.mark)","type":"\#(Planted.mark)","code":"\#(Planted.mark)"}}"#
        ),
        .http(
            400,
            body:
                #"{"error":{"message":"\#(Planted.mark) context length","param":"\#(Planted.mark)"}}"#
        ),
        .http(
            401, headers: ["WWW-Authenticate": "Basic realm=\(Planted.mark)"], body: Planted.mark),
        .http(429, headers: ["Retry-After": Planted.mark], body: #"{"detail":"\#(Planted.mark)"}"#),
        .http(302, headers: ["Location": "http://\(Planted.mark).invalid/"], body: Planted.mark),
        .http(500, body: Planted.mark),
        .http(503, body: #"[{"error":{"message":"\#(Planted.mark)"}}]"#),
        .http(200, body: Planted.mark), .http(200, body: #"{"error":"\#(Planted.mark)"}"#),
        .http(200, body: completion(Planted.mark)),
        .http(200, body: completion(#"["\#(Planted.mark)"]"#)),
        .http(200, body: completion("```\n\(Planted.mark)\n```")),
        .http(200, body: completion(Planted.mark, finishReason: "length")),
        .http(200, body: completion(Planted.mark, finishReason: "content_filter")),
        .http(200, body: #"{"choices":[{"message":{"refusal":"\#(Planted.mark)"}}]}"#),
        .http(200, body: #"{"choices":[{"message":{"tool_calls":[{"id":"\#(Planted.mark)"}]}}]}"#),
        .bytes(Planted.mark),
        .bytes("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n\(Planted.mark)"),
        .endless(chunk: Planted.mark), .silence,
    ]

    @Test("no error shows a key, a prompt, an address or a server's words", arguments: 0..<20)
    func errors(index: Int) async throws {
        #expect(Self.replies.count == 20)
        let server = try StubServer(always: Self.replies[index])
        defer { server.stop() }
        // Only the silent server uses its budget up.
        let isSilent = index == Self.replies.count - 1
        let record = await record(
            of: AnyObjectEvaluation(),
            by: Self.model(server.baseURL, budget: isSilent ? 0.3 : 30), context: Self.context)
        guard case .failed(let error)? = record?.outcome else {
            Issue.record("reply \(index) did not fail")
            return
        }
        #expect(!shown(error).contains(Self.marker))
        // A silent server's budget may be over before the question has arrived.
        let isSent = server.requests.first?.body.contains(Self.marker)
        #expect(isSent ?? isSilent)
    }

    @Test("what a key provider throws goes no further")
    func keyProvider() async throws {
        struct Leak: Error { let key: String }
        let transport = ScriptedTransport(ScriptedTransport.answer("true"))
        let model = ChatCompletionsModel(transport, key: { throw Leak(key: Self.marker) })
        let error = try #require(await failure(of: model))
        #expect(!shown(error).contains(Self.marker))
    }

    @Test("a recorded model shows how many exchanges it has, and none of them")
    func recorded() {
        let line =
            #"{"usage":"u","outcome":"completed","output":{"word":"\#(Planted.mark)"},"duration":1}"#
        let model = RecordedModel(RecordedExchange.read(ndjson: Data(line.utf8)), seed: 1)
        #expect(!shown(model).contains(Self.marker))
    }
}
