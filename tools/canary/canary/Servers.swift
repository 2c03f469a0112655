// Chat completions servers that say markers in all that a server can say.

import AirshipCore
import ChatModels
import Foundation

/// A network without a network: answers what it was made with.
struct CannedTransport: HTTPTransport {
    let answer: @Sendable () throws(TransportError) -> HTTPResponse
    let ledger: Ledger

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        ledger.saw(request.url.absoluteString)
        for header in request.headers { ledger.saw(header.value) }
        return try answer()
    }
}

extension Planter {
    /// A model behind a server of which the answer is known.
    mutating func cannedServer(_ answer: AirshipJSON, ledger: Ledger) -> ChatCompletionsModel {
        let body: String
        let status: Int
        (status, body) = reply(answer)
        let response = HTTPResponse(
            status: status,
            headers: [
                "Retry-After": mark(.serverHeader),
                "Location": "http://\(mark(.serverHeader)).invalid/",
                "X-Request-ID": text(.serverHeader),
            ], body: Data(body.utf8))
        let isLost = oneIn(20)
        ledger.saw(body, response.header("x-request-id") ?? "", response.header("location") ?? "")
        ledger.saw(response.header("retry-after") ?? "")
        return server(
            at: "http://canary.invalid/v1?key=\(mark(.address))",
            transport: CannedTransport(
                answer: { () throws(TransportError) in
                    if isLost { throw .connectionLost }
                    return response
                }, ledger: ledger))
    }

    /// A model behind a server that wants another key.
    mutating func refusingServer(ledger: Ledger) -> ChatCompletionsModel {
        let body = text(.serverBody)
        ledger.saw(body)
        return server(
            at: "http://canary.invalid/v1?key=\(mark(.address))",
            transport: CannedTransport(
                answer: { () throws(TransportError) in
                    HTTPResponse(status: 401, body: Data(body.utf8))
                }, ledger: ledger))
    }

    /// A model behind a server that somebody started; its answers are its own.
    mutating func realServer(at address: String) -> ChatCompletionsModel {
        var options = options()
        options.responseTimeout = 20
        let key = mark(.key)
        return ChatCompletionsModel(
            baseURL: URL(string: "\(address)?key=\(mark(.address))") ?? URL(fileURLWithPath: "/"),
            model: "canary-model", options: options, key: { key })
    }

    private mutating func server(
        at address: String, transport: CannedTransport
    ) -> ChatCompletionsModel {
        let key = mark(.key)
        let (throwsKey, keyError) = (oneIn(30), text(.key))
        return ChatCompletionsModel(
            baseURL: URL(string: address) ?? URL(fileURLWithPath: "/"), model: "canary-model",
            options: options(),
            key: {
                if throwsKey { throw NestedError(text: keyError, inner: nil) }
                return key
            },
            transport: transport, time: HurriedTime())
    }

    private mutating func options() -> ChatCompletionsModel.Options {
        var options = ChatCompletionsModel.Options()
        options.headers = ["X-Secret": mark(.requestHeader)]
        options.answerFormat = pick([.jsonSchema, .jsonObject, .plainText])
        options.maxAttempts = 1 + roll(2)
        return options
    }

    /// A status and a body: an answer, or one of the ways of having none.
    private mutating func reply(_ answer: AirshipJSON) -> (Int, String) {
        let words = text(.serverBody)
        let error = json(["error": ["message": .string(words), "type": .string(mark(.serverBody))]])
        switch roll(16) {
        case 0: return (400, error)
        case 1: return (400, json(["error": ["message": .string("context length \(words)")]]))
        case 2: return (401, words)
        case 3: return (429, json(["detail": .string(words)]))
        case 4: return (302, words)
        case 5: return (500, error)
        case 6: return (503, "[" + error + "]")
        case 7: return (200, words)
        case 8: return (200, completion(words, "stop"))
        case 9: return (200, completion(words, "length"))
        case 10: return (200, completion(words, "content_filter"))
        case 11: return (200, json(["choices": [["message": ["refusal": .string(words)]]]]))
        case 12: return (200, completion("<think>\(words)</think>" + json(answer), "stop"))
        default: return (200, completion(json(answer), "stop"))
        }
    }

    private func completion(_ text: String, _ reason: String) -> String {
        json([
            "choices": [
                ["message": ["content": .string(text)], "finish_reason": .string(reason)]
            ]
        ])
    }

    private func json(_ value: AirshipJSON) -> String { (try? value.toString()) ?? "null" }
}
