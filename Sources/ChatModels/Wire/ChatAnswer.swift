// A chat completion to the JSON that was asked for, or to what it is instead.

package import AirshipCore
package import Foundation

/// Reads responses of chat completions servers.
package enum ChatAnswer {
    /// The answer in a response.
    ///
    /// The content type is not looked at: what parses and has the members of a completion is one,
    /// and a portal's HTML does not parse.
    ///
    /// - Parameter now: The wall clock, for a `Retry-After` that is a date.
    package static func read(
        _ response: HTTPResponse, now: Date
    ) throws(ServerFailure) -> AirshipJSON {
        let body = try? AirshipJSON.from(data: response.body)
        guard response.status == 200 else {
            throw ServerFailure(response, body: body, now: now)
        }
        guard let body else { throw ServerFailure(.malformedResponse) }
        let choice = body["choices"]?[0]
        if hasError(body) { throw ServerFailure(response, body: body, now: now) }
        if let choice, hasError(choice) { throw ServerFailure(response, body: choice, now: now) }
        guard let choice, let message = choice["message"], message.isObject else {
            throw ServerFailure(.malformedResponse)
        }
        do throws(ChatModelError) {
            return try read(message, finishReason: choice["finish_reason"]?.string)
        } catch {
            throw ServerFailure(error)
        }
    }

    private static func hasError(_ json: AirshipJSON) -> Bool {
        json["error"]?.isNull == false
    }

    private static func read(
        _ message: AirshipJSON, finishReason: String?
    ) throws(ChatModelError) -> AirshipJSON {
        if let refusal = message["refusal"]?.string, !refusal.isEmpty { throw .refused }
        let text = text(of: message["content"])
        if text.allSatisfy(\.isWhitespace), message["tool_calls"]?.array?.isEmpty == false {
            throw .toolCall
        }
        return try json(in: text, finishReason: finishReason)
    }

    /// Content is a text, or a list of parts of which some are text and others are reasoning.
    private static func text(of content: AirshipJSON?) -> String {
        if let text = content?.string { return text }
        let parts = content?.array ?? []
        return parts.filter { $0["type"]?.string == "text" }.compactMap { $0["text"]?.string }
            .joined()
    }

    /// The JSON in a model's text: bare, in a code fence, or after its thoughts.
    ///
    /// - Parameter finishReason: Why the model stopped. A text that was cut is never read, even
    ///   if it happens to be JSON: 12 may have been 120.
    package static func json(
        in text: String, finishReason: String?
    ) throws(ChatModelError) -> AirshipJSON {
        switch finishReason {
        case "length", "max_tokens", "model_length": throw .truncated
        case "content_filter", "safety": throw .filtered
        case "refusal": throw .refused
        case "tool_calls", "function_call": throw .toolCall
        default: break
        }
        let text = withoutThoughts(text)
        if text.allSatisfy(\.isWhitespace) { throw .emptyAnswer }
        if let json = try? AirshipJSON.from(json: text) { return json }
        guard let fenced = fenced(text), let json = try? AirshipJSON.from(json: fenced) else {
            throw .notJSON
        }
        return json
    }

    /// Reasoning models served without a parser put their thoughts before the answer.
    private static func withoutThoughts(_ text: String) -> String {
        let trimmed = text.drop(while: \.isWhitespace)
        guard trimmed.hasPrefix("<think>") else { return text }
        guard let end = trimmed.firstRange(of: "</think>") else { return "" }
        return String(trimmed[end.upperBound...])
    }

    /// What is between the first fence's line and the next fence.
    private static func fenced(_ text: String) -> String? {
        guard let open = text.firstRange(of: "```"),
            let line = text[open.upperBound...].firstIndex(where: \.isNewline),
            let close = text[line...].firstRange(of: "```")
        else { return nil }
        return String(text[line..<close.lowerBound])
    }
}
