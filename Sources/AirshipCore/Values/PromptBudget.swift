// How much a model is sent at once.

/// The greatest length of what is sent: instructions, schema and prompt together. Leave room for
/// the answer where the window is shared.
public enum PromptBudget: Hashable, Sendable {
    /// Nothing is given up before a model asks for it.
    case unlimited

    /// Unicode scalars.
    case characters(Int)

    /// Tokens, estimated at four UTF-8 bytes each: about right for English, too few for many other
    /// languages. What was estimated too low is given up when the model says so.
    case tokens(Int)
}

extension PromptBudget {
    /// In what ``length(of:)`` counts; nil where there is none.
    package var limit: Int? {
        switch self {
        case .unlimited: nil
        case .characters(let limit), .tokens(let limit): limit
        }
    }

    /// Zero where there is no limit.
    package func length(of text: String) -> Int {
        switch self {
        case .unlimited: 0
        case .characters: text.unicodeScalars.count
        case .tokens:
            (text.utf8.count + CoreLimits.bytesPerToken - 1) / CoreLimits.bytesPerToken
        }
    }
}
