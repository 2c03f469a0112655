// How much may be sent, and giving up context until it fits.

package import AirshipCore

/// The greatest length of what is sent: instructions, schema and prompt together. Leave room for
/// the answer where the window is shared.
public enum PromptBudget: Hashable, Sendable {
    /// Nothing is given up before a server asks for it.
    case unlimited

    /// Unicode scalars.
    case characters(Int)

    /// Tokens, estimated at four UTF-8 bytes each: about right for English, too few for many other
    /// languages. What was estimated too low is given up when the server says so.
    case tokens(Int)
}

extension PromptBudget {
    /// Gives up context, least important first, until the request fits.
    ///
    /// - Throws: ``ChatModelError/contextOverflow`` when it does not fit without any context.
    /// - Complexity: O(log items) renderings of the prompt.
    package func trim(
        _ request: inout AirshipAI.Request, schema: StrictSchema
    ) async throws(ChatModelError) {
        guard let limit else { return }
        let fixed = length(of: request.instructions) + length(of: schema.text)
        let fits = await request.dropContext { fixed + length(of: $0.prompt()) <= limit }
        guard fits else { throw .contextOverflow }
    }

    private var limit: Int? {
        switch self {
        case .unlimited: nil
        case .characters(let limit), .tokens(let limit): limit
        }
    }

    private func length(of text: String) -> Int {
        switch self {
        case .unlimited: 0
        case .characters: text.unicodeScalars.count
        case .tokens:
            (text.utf8.count + ChatLimits.bytesPerToken - 1) / ChatLimits.bytesPerToken
        }
    }
}
