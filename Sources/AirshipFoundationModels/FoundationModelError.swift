// What goes wrong with a model of Apple's framework, without the framework and without its texts:
// its errors carry transcripts and explanations.

public import AirshipCore

/// Why a Foundation Models backend gave no answer.
public enum FoundationModelError: Error, Hashable, Sendable {
    /// The prompt does not fit, and all context has been given up.
    case contextOverflow

    /// A safety guardrail stopped the question or the answer.
    case guardrail

    /// The model declined to answer.
    case refused

    case unsupportedLanguage

    /// The backend cannot be held to a schema, or not to this one.
    case unsupportedSchema

    /// What was generated is not what the schema promised.
    case undecodable

    /// The system asks to be left alone, or a session was asked twice at once.
    case rateLimited

    /// The person's or the app's requests for today are used up.
    case quotaReached

    /// The model's assets, or the service, are not there now.
    case unavailable

    case network
    case timedOut

    /// Anything else.
    case other
}

extension FoundationModelError: AirshipAI.ClassifiedError {
    public var errorClass: AirshipAI.ErrorClass {
        switch self {
        case .contextOverflow: .contextOverflow
        case .guardrail, .refused: .refused
        case .unsupportedLanguage: .unsupportedLanguage
        case .unsupportedSchema: .clientError
        case .undecodable: .badResponse
        case .rateLimited: .rateLimited
        case .quotaReached: .quota
        case .unavailable: .unavailable
        case .network: .transport
        case .timedOut: .timeout
        case .other: .modelError
        }
    }
}
