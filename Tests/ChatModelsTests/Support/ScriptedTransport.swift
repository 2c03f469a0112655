// A network without a network: what is sent is kept, what comes back is scripted.

import AirshipCore
import ChatModels
import Foundation

final class ScriptedTransport: HTTPTransport {
    typealias Step = @Sendable (HTTPRequest) async throws(TransportError) -> HTTPResponse

    private let steps: [Step]
    private let sent = Locked<[HTTPRequest]>([])

    /// - Parameter steps: One a request; the last one repeats.
    init(_ steps: Step...) {
        self.steps = steps
    }

    var requests: [HTTPRequest] { sent.withLock { $0 } }

    /// The prompts that were sent, in order.
    var prompts: [String] {
        requests.map { request in
            let body = try? AirshipJSON.from(data: request.body)
            return body?["messages"]?[1]?["content"]?.string ?? "?"
        }
    }

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        let number = sent.withLock { sent in
            sent.append(request)
            return sent.count
        }
        return try await steps[min(number, steps.count) - 1](request)
    }
}

extension ScriptedTransport {
    /// A response with that body.
    static func reply(_ status: Int, _ body: String, headers: [String: String] = [:]) -> Step {
        { _ throws(TransportError) in
            HTTPResponse(status: status, headers: headers, body: Data(body.utf8))
        }
    }

    /// A completion whose content is that text.
    static func answer(_ content: String) -> Step { reply(200, completion(content)) }

    static func fail(_ error: TransportError) -> Step {
        { _ throws(TransportError) in throw error }
    }

    /// As llama.cpp's server reports a prompt that does not fit.
    static let overflow = reply(
        400,
        #"{"error":{"code":400,"message":"request (6031 tokens) exceeds the available context size (2048 tokens), try increasing it","type":"exceed_context_size_error","n_prompt_tokens":6031,"n_ctx":2048}}"#
    )
}

/// A chat completions response with that content.
func completion(_ content: String, finishReason: String = "stop") -> String {
    let message: AirshipJSON = [
        "choices": [
            [
                "finish_reason": .string(finishReason),
                "message": ["role": "assistant", "content": .string(content)],
            ]
        ]
    ]
    return (try? message.toString()) ?? ""
}
