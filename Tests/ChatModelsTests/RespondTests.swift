import AirshipCore
import ChatModels
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct RespondTests {
    @Test("the same question is the same bytes, in a documented order")
    func body() async throws {
        let transport = ScriptedTransport(ScriptedTransport.answer(#"{"answer":true}"#))
        let model = ChatCompletionsModel(transport)
        for _ in 0..<2 { #expect(try await model.respond(letters("ab")) == true) }
        let bodies = transport.requests.map { String(decoding: $0.body, as: UTF8.self) }
        #expect(bodies[0] == bodies[1])
        #expect(
            bodies[0] == """
                {"model":"test-model","messages":[\
                {"role":"system","content":"\(instructions)"},{"role":"user","content":"ab"}],\
                "response_format":{"type":"json_schema","json_schema":{"name":"evaluation",\
                "strict":true,"schema":{"type":"object","properties":{"answer":\
                {"type":"boolean"}},"required":["answer"],"additionalProperties":false}}},\
                "max_tokens":512,"temperature":0,"stream":false}
                """)
    }

    @Test("what a server does not know is left out, and the schema goes into the instructions")
    func plainBody() async throws {
        let transport = ScriptedTransport(ScriptedTransport.answer("true"))
        var options = ChatCompletionsModel.Options()
        options.answerFormat = .plainText
        options.maxTokens = 7
        options.maxTokensName = .maxCompletionTokens
        options.temperature = nil
        let model = ChatCompletionsModel(transport, options: options)
        #expect(try await model.respond(letters("")) == true)
        let body = try AirshipJSON.from(data: transport.requests[0].body)
        #expect(
            Set(body.object?.keys ?? [:].keys)
                == ["model", "messages", "max_completion_tokens", "stream"])
        let told = body["messages"]?[0]?["content"]?.string ?? ""
        #expect(told.hasPrefix(instructions + "\n") && told.contains(#""required""#))
    }

    @Test(
        "the endpoint follows the base URL's path and keeps its query",
        arguments: [
            ("http://127.0.0.1:8089/v1", "http://127.0.0.1:8089/v1/chat/completions"),
            ("https://example.com", "https://example.com/chat/completions"),
            (
                "https://example.com/a/v2/?api-version=1",
                "https://example.com/a/v2/chat/completions?api-version=1"
            ),
        ])
    func endpoint(base: String, endpoint: String) async throws {
        let transport = ScriptedTransport(ScriptedTransport.answer("true"))
        let model = ChatCompletionsModel(
            baseURL: URL(string: base)!, model: "m", transport: transport, time: SteppingTime())
        _ = try await model.respond(letters(""))
        #expect(transport.requests[0].url.absoluteString == endpoint)
    }

    @Test("a wrong base URL, header or temperature fails before anything is sent")
    func invalidConfiguration() async {
        let transport = ScriptedTransport(ScriptedTransport.answer("true"))
        for url in ["file:///etc/passwd", "example.com/v1", "http:///v1"] {
            let model = ChatCompletionsModel(
                baseURL: URL(string: url)!, model: "m", transport: transport, time: SteppingTime())
            #expect(await failure(of: model) == .invalidConfiguration)
        }
        for (name, value) in [("X-A", "1\r\nX-B: 2"), ("X A", "1"), ("", "1"), ("X:", "1")] {
            var options = ChatCompletionsModel.Options()
            options.headers = [name: value]
            let model = ChatCompletionsModel(transport, options: options)
            #expect(await failure(of: model) == .invalidConfiguration)
        }
        var options = ChatCompletionsModel.Options()
        options.temperature = .nan
        let model = ChatCompletionsModel(transport, options: options)
        #expect(await failure(of: model) == .invalidConfiguration)
        #expect(transport.requests.isEmpty)
    }

    @Test("the key is asked for anew for each request, and a bad one is never sent")
    func key() async throws {
        let transport = ScriptedTransport(ScriptedTransport.answer("true"))
        let keys = Locked(["first", "second"])
        let model = ChatCompletionsModel(transport, key: { keys.withLock { $0.removeFirst() } })
        for _ in 0..<2 { _ = try await model.respond(letters("")) }
        let sent = transport.requests.map { $0.headers.first { $0.name == "Authorization" }?.value }
        #expect(sent == ["Bearer first", "Bearer second"])
        for bad in ["", "line\r\nbreak"] {
            #expect(await failure(of: ChatCompletionsModel(transport, key: { bad })) == .noKey)
        }
        let throwing = ChatCompletionsModel(transport, key: { throw CocoaError(.fileNoSuchFile) })
        #expect(await failure(of: throwing) == .noKey)
        #expect(transport.requests.count == 2)
    }

    @Test("transport errors keep their kind")
    func transportErrors() async {
        let errors: [(TransportError, ChatModelError)] = [
            (.cannotConnect, .cannotConnect), (.connectionLost, .connectionLost),
            (.insecureConnection, .insecureConnection), (.timedOut, .timedOut),
            (.responseTooLarge, .responseTooLarge), (.cancelled, .connectionLost),
        ]
        for (error, expected) in errors {
            let model = ChatCompletionsModel(ScriptedTransport(ScriptedTransport.fail(error)))
            #expect(await failure(of: model) == expected)
        }
    }
}
