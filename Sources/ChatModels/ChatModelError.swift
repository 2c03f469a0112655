// Everything that goes wrong between a question and its answer. No case can hold text of a
// server's or a model's, a key or an address.

public import AirshipCore

/// Why a chat model gave no answer.
public enum ChatModelError: Error, Hashable, Sendable {
    /// The base URL is no http(s) URL, or a header cannot be sent as it is. Nothing was sent.
    case invalidConfiguration

    /// The key provider threw, or gave something that cannot be sent. Nothing was sent.
    case noKey

    /// The prompt does not fit, and all context has been given up.
    case contextOverflow

    /// The answer was cut at its length limit.
    case truncated

    /// The model declined to answer.
    case refused

    /// The provider's content filter stopped the question or the answer.
    case filtered

    /// An answer without text.
    case emptyAnswer

    /// A call of a tool instead of an answer; no tools were offered.
    case toolCall

    /// The answer's text is not JSON.
    case notJSON

    /// The response is not that of a chat completions server.
    case malformedResponse

    /// The response is longer than ``ChatLimits`` allows.
    case responseTooLarge

    /// The server points elsewhere; keys and context are not sent where nobody configured it.
    case redirected

    /// No answer in time, by this side's clock or by a gateway's.
    case timedOut

    /// No server there, or no network.
    case cannotConnect

    /// The connection broke before the answer was complete.
    case connectionLost

    /// No secure connection to that server.
    case insecureConnection

    case unauthorized(status: Int)
    case rateLimited
    case quotaExhausted

    /// The server is overloaded or its model is not loaded.
    case unavailable(status: Int)
    case serverFailed(status: Int)
    case rejected(status: Int)
}

extension ChatModelError: AirshipAI.ClassifiedError {
    public var errorClass: AirshipAI.ErrorClass {
        switch self {
        case .contextOverflow: .contextOverflow
        case .truncated: .truncated
        case .refused, .filtered: .refused
        case .emptyAnswer, .toolCall, .notJSON, .malformedResponse, .responseTooLarge,
            .redirected:
            .badResponse
        case .timedOut: .timeout
        case .cannotConnect, .connectionLost, .insecureConnection: .transport
        case .noKey, .unauthorized: .auth
        case .rateLimited: .rateLimited
        case .quotaExhausted: .quota
        case .unavailable: .unavailable
        case .serverFailed: .serverError
        case .invalidConfiguration, .rejected: .clientError
        }
    }
}
