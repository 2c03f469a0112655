// Against a real socket: what only URLSession can get right or wrong.

import AirshipCore
import ChatModels
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct NetworkTests {
    private func model(
        _ server: StubServer, options: ChatCompletionsModel.Options = .init(),
        key: ChatCompletionsModel.KeyProvider? = nil
    ) -> ChatCompletionsModel {
        ChatCompletionsModel(
            baseURL: server.baseURL, model: "test-model", options: options, key: key)
    }

    @Test("a question is one POST with our headers, and no cookie that an answer set")
    func post() async throws {
        let server = try StubServer(
            always: .http(
                200, headers: ["Set-Cookie": "id=1; Path=/", "Cache-Control": "max-age=600"],
                body: completion("true")))
        defer { server.stop() }
        var options = ChatCompletionsModel.Options()
        options.headers = ["X-App": "app"]
        let model = model(server, options: options, key: { "key" })
        for _ in 0..<2 { #expect(try await model.respond(letters("ab")) == true) }
        #expect(server.requests.count == 2)
        for request in server.requests {
            #expect(request.head.hasPrefix("POST /v1/chat/completions HTTP/1.1\r\n"))
            #expect(request.header("Content-Type") == "application/json")
            #expect(request.header("Authorization") == "Bearer key")
            #expect(request.header("X-App") == "app")
            #expect(request.header("Accept-Encoding") == "identity")
            #expect(request.header("Cookie") == nil)
            #expect(request.body.hasSuffix(#""stream":false}"#))
        }
    }

    @Test(
        "a redirect is not followed, and its target not asked",
        arguments: [301, 302, 303, 307, 308])
    func redirect(status: Int) async throws {
        let elsewhere = try StubServer(always: .http(200, body: completion("true")))
        defer { elsewhere.stop() }
        let target = elsewhere.url(host: "localhost").absoluteString
        let server = try StubServer(always: .http(status, headers: ["Location": target]))
        defer { server.stop() }
        #expect(await failure(of: model(server, key: { "key" })) == .redirected)
        #expect(elsewhere.requests.isEmpty && server.requests.count == 1)
    }

    @Test("a deadline in the middle of a redirect does not trap")
    func redirectAtDeadline() async throws {
        let server = try StubServer(always: .http(307, headers: ["Location": "/elsewhere"]))
        defer { server.stop() }
        for step in 0..<100 {
            let request = HTTPRequest(
                url: server.baseURL, headers: [], body: Data(), timeout: .microseconds(200 * step))
            do throws(TransportError) {
                let response = try await URLSessionTransport.shared.send(request)
                #expect(response.status == 307)
            } catch {
                #expect(error == .timedOut, "step \(step)")
            }
        }
        #expect(server.requests.allSatisfy { $0.head.hasPrefix("POST /v1 ") })
    }

    @Test(
        "a challenge is answered by nobody: the status counts",
        arguments: ["Basic realm=x", "Bearer", "Digest realm=x, nonce=y"])
    func challenge(value: String) async throws {
        let server = try StubServer(
            always: .http(401, headers: ["WWW-Authenticate": value], body: "{}"))
        defer { server.stop() }
        #expect(await failure(of: model(server)) == .unauthorized(status: 401))
    }

    @Test("an answer of a wrong content type is read all the same if it is one")
    func contentType() async throws {
        let server = try StubServer { _, number in
            number == 0
                ? .http(200, headers: ["Content-Type": "text/plain"], body: completion("true"))
                : .http(200, headers: ["Content-Type": "application/json"], body: "<html>")
        }
        defer { server.stop() }
        #expect(try await model(server).respond(letters("")) == true)
        #expect(await failure(of: model(server)) == .malformedResponse)
    }

    @Test("an answer over the limit is not read to its end", arguments: [true, false])
    func tooLarge(isEndless: Bool) async throws {
        let chunk = String(repeating: " ", count: 65_536)
        let server = try StubServer(
            always: isEndless
                ? .endless(chunk: chunk)
                : .http(200, body: String(repeating: chunk, count: 17)))
        defer { server.stop() }
        #expect(await failure(of: model(server)) == .responseTooLarge)
        if isEndless { await inTime { await server.hungUp() } }
    }

    @Test("no server there is told apart from one that goes away")
    func connections() async throws {
        let gone = try StubServer(always: .silence)
        let model = model(gone)
        gone.stop()
        // The port is closed by a thread of the server's; until then the connection is just lost.
        var error: ChatModelError?
        await waitUntil {
            error = await failure(of: model)
            return error != .connectionLost
        }
        #expect(error == .cannotConnect)
        for reply in [
            "", "HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n{\"choices\":",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"cho",
        ] {
            let server = try StubServer(always: .bytes(reply))
            defer { server.stop() }
            #expect(await failure(of: self.model(server)) == .connectionLost)
        }
    }

    @Test(
        "what is no HTTP at all does not trap",
        arguments: ["garbage\r\n\r\n", "HTTP/1.1 xyz\r\n\r\n", "\0\0\0"])
    func noHTTP(reply: String) async throws {
        let server = try StubServer(always: .bytes(reply))
        defer { server.stop() }
        #expect(await failure(of: model(server)) != nil)
    }

    @Test("a question to a silent server ends, and the server sees the connection close")
    func timeout() async throws {
        let server = try StubServer(always: .silence)
        defer { server.stop() }
        try await withGrowingBudget(until: server) { options in
            #expect(await failure(of: model(server, options: options)) == .timedOut)
        }
        await inTime { await server.hungUp() }
    }

    @Test("a cancelled question closes its connection")
    func cancellation() async throws {
        let server = try StubServer(always: .silence)
        defer { server.stop() }
        let model = model(server)
        let task = Task { try await model.respond(letters("")) }
        await waitUntil { !server.requests.isEmpty }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        await inTime { await server.hungUp() }
    }

    @Test("a question cancelled before it is asked is not asked")
    func cancelledBefore() async throws {
        let server = try StubServer(always: .http(200, body: completion("true")))
        defer { server.stop() }
        let model = model(server)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await model.respond(letters(""))
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(server.requests.isEmpty)
    }

    @Test("the evaluator's deadline closes the connection")
    func deadline() async throws {
        let server = try StubServer(always: .silence)
        defer { server.stop() }
        try await withGrowingBudget(until: server) { options in
            let model = model(server, options: options)
            let record = await record(of: AnyObjectEvaluation(), by: model)
            #expect(record?.errorClass == .timeout)
            #expect(record?.attempts == 1)
        }
        await inTime { await server.hungUp() }
    }

    /// Repeats with twice the budget until a question has reached the server: on a busy machine a
    /// small budget is over before the connection stands.
    private func withGrowingBudget(
        until server: StubServer, _ body: (ChatCompletionsModel.Options) async throws -> Void
    ) async throws {
        var options = ChatCompletionsModel.Options()
        options.responseTimeout = 0.1
        try await waitUntil {
            try await body(options)
            options.responseTimeout *= 2
            return !server.requests.isEmpty
        }
    }

    @Test("twenty questions at once get twenty answers")
    func concurrent() async throws {
        let server = try StubServer { request, _ in
            .http(200, body: completion(request.body.contains("\"x\"") ? "true" : "false"))
        }
        defer { server.stop() }
        let model = model(server)
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for index in 0..<20 {
                group.addTask {
                    let isX = index % 2 == 0
                    return try await model.respond(letters(isX ? "x" : "y")) == .bool(isX)
                }
            }
            for try await isRight in group { #expect(isRight) }
        }
    }

    @Test("a transport of one's own lets go of its session and delegate")
    func noLeak() async throws {
        let server = try StubServer(always: .http(200, body: completion("true")))
        defer { server.stop() }
        weak var released: URLSessionTransport?
        do {
            let transport = URLSessionTransport()
            released = transport
            let model = ChatCompletionsModel(
                baseURL: server.baseURL, model: "m", transport: transport, time: SystemTime())
            #expect(try await model.respond(letters("")) == true)
        }
        await waitUntil { released == nil }
    }
}
