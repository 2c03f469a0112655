// Markers planted wherever something confidential can be, looked for wherever something shows.

import AirshipCore
import ChatModels
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
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

    /// Everything that prints, dumps and mirrors of a value show.
    private static func shown(_ value: Any) -> String {
        var text = "\(value)" + String(reflecting: value)
        dump(value, to: &text)
        func walk(_ value: Any, depth: Int) {
            guard depth > 0 else { return }
            for child in Mirror(reflecting: value).children {
                text += "\(child.label ?? "") \(child.value)"
                walk(child.value, depth: depth - 1)
            }
        }
        walk(value, depth: 8)
        if let error = value as? any Error {
            let bridged = error as NSError
            text += bridged.localizedDescription + "\(bridged)" + "\(bridged.userInfo)"
        }
        return text
    }

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
        #expect(!Self.shown(model).contains(Self.marker))
        let record = await record(of: AnyObjectEvaluation(), by: model, context: Self.context)
        #expect(record?.outcome == .completed([:]))
        #expect(!Self.shown(model).contains(Self.marker))
        #expect(Self.shown(model).contains("test-model"))
        #expect(!Self.shown(Self.options()).contains(Self.marker))
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
        #expect(!Self.shown(error).contains(Self.marker))
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
        #expect(!Self.shown(error).contains(Self.marker))
    }

    @Test("a recorded model shows how many exchanges it has, and none of them")
    func recorded() {
        let line =
            #"{"usage":"u","outcome":"completed","output":{"word":"\#(Planted.mark)"},"duration":1}"#
        let model = RecordedModel(RecordedExchange.read(ndjson: Data(line.utf8)), seed: 1)
        #expect(!Self.shown(model).contains(Self.marker))
    }
}
