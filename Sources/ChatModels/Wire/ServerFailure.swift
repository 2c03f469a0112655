// An error response to one closed error: servers agree on neither statuses nor body shapes, so
// codes count first, then the status, and known sentences only to tell an overflow.

package import AirshipCore
package import Foundation

/// Why a response is no answer, and how long its server wants to be left alone.
package struct ServerFailure: Error, Hashable, Sendable {
    package let error: ChatModelError

    /// Only where asking again later makes sense.
    package let retryAfter: Duration?

    init(_ error: ChatModelError, retryAfter: Duration? = nil) {
        self.error = error
        self.retryAfter = retryAfter
    }

    /// Classifies a response whose status, or whose body, says that it failed.
    ///
    /// - Parameter now: The wall clock, for a `Retry-After` that is a date.
    package init(_ response: HTTPResponse, body: AirshipJSON?, now: Date) {
        let body = ErrorBody(body)
        // Gateways answer 200 and put the upstream's status into the body.
        let status = response.status == 200 ? body.status ?? 500 : response.status
        error = Self.classify(status: status, body: body)
        switch error {
        case .rateLimited, .unavailable, .serverFailed:
            retryAfter = RetryAfter.delay(in: response, now: now)
        default: retryAfter = nil
        }
    }

    private static func classify(status: Int, body: ErrorBody) -> ChatModelError {
        if body.isOverflow(status: status) { return .contextOverflow }
        if body.isQuota { return .quotaExhausted }
        if body.isFilter { return .filtered }
        if body.isKey { return .unauthorized(status: status) }
        return switch status {
        case 300..<400: .redirected
        case 401, 403: .unauthorized(status: status)
        case 402: .quotaExhausted
        case 408, 504, 524: .timedOut
        case 429: .rateLimited
        case 503, 529: .unavailable(status: status)
        case 500...: .serverFailed(status: status)
        case 400..<500: .rejected(status: status)
        default: .malformedResponse
        }
    }
}

/// What error bodies have in common, read from whichever place a server puts it.
///
/// Seen: `{"error": {"code", "type", "status", "message"}}` with a string, a number or null as
/// code; the same in an array; `{"error": "text"}`; `{"message"}`; `{"detail"}`; an upstream's
/// text within `metadata`.
private struct ErrorBody {
    private static let overflowCodes: Set = [
        "context_length_exceeded", "exceed_context_size_error", "string_above_max_length",
        "request_too_large",
    ]
    private static let overflowPhrases = [
        "context length", "context window", "context size", "maximum context",
        "prompt is too long", "input is too long", "request too large", "too large for model",
        "reduce the length", "input token count",
    ]
    private static let quotaCodes: Set = [
        "insufficient_quota", "billing_hard_limit_reached", "billing_error",
        "insufficient_balance", "payment_required",
    ]
    private static let filterCodes: Set = [
        "content_filter", "content_policy_violation", "responsibleaipolicyviolation",
    ]
    private static let keyCodes: Set = [
        "invalid_api_key", "authentication_error", "permission_error", "unauthenticated",
        "permission_denied",
    ]

    /// The HTTP status that the body gives as its code.
    let status: Int?

    // Lowercased codes, types and states.
    private let codes: Set<String>
    // Lowercased texts; they never leave this type.
    private let messages: [String]

    init(_ json: AirshipJSON?) {
        let outer = json?[0] ?? json
        let inner = outer?["error"] ?? outer
        let nodes = [inner, inner?["innererror"], outer]
        codes = Set(
            nodes.flatMap { node in ["code", "type", "status"].compactMap { node?[$0]?.string } }
                .map { $0.lowercased() })
        messages = [
            inner?.string, inner?["message"]?.string, outer?["message"]?.string,
            outer?["detail"]?.string, inner?["metadata"]?["raw"]?.string,
        ].compactMap { $0?.prefix(ChatLimits.errorMessageCharacterMax).lowercased() }
        status = inner?["code"]?.int.flatMap { (400..<600).contains($0) ? $0 : nil }
    }

    var isQuota: Bool { !codes.isDisjoint(with: Self.quotaCodes) }
    var isFilter: Bool { !codes.isDisjoint(with: Self.filterCodes) }
    var isKey: Bool { !codes.isDisjoint(with: Self.keyCodes) }

    func isOverflow(status: Int) -> Bool {
        if status == 413 || !codes.isDisjoint(with: Self.overflowCodes) { return true }
        guard [400, 422, 429, 500].contains(status) else { return false }
        return messages.contains { message in Self.overflowPhrases.contains(where: message.contains)
        }
    }
}
