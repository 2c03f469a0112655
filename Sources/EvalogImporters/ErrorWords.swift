// Which class an error of another tool belongs to, by the words that clients and servers use for it.

/// Error classes by words, most telling first.
enum ErrorWords {
    private static let classes: [(name: String, words: [String])] = [
        (
            "context_overflow",
            [
                "context_length", "context size", "context length", "maximum context",
                "exceed_context", "too many tokens",
            ]
        ),
        ("rate_limited", ["ratelimit", "rate_limit", "rate limit", "429", "too many requests"]),
        ("quota", ["insufficient_quota", "quota", "402"]),
        ("timeout", ["timeout", "timed out", "deadline"]),
        ("auth", ["authentication", "permissiondenied", "unauthorized", "401", "403", "api key"]),
        ("refused", ["content_filter", "contentfilter", "content policy", "refusal"]),
        ("transport", ["apiconnection", "connection", "connect", "network", "dns", "socket"]),
        ("server_error", ["internalserver", "server_error", "overloaded", "500", "502", "503"]),
        (
            "client_error",
            ["badrequest", "bad request", "notfound", "unprocessable", "invalid_request", "400"]
        ),
    ]

    /// - Parameters:
    ///   - kind: A type or a code, which tells more than words.
    ///   - message: Of a person or a server.
    static func errorClass(kind: String?, message: String?) -> String {
        let message = message?.lowercased() ?? ""
        // A server calls it a bad request when the context is too long.
        if classes[0].words.contains(where: message.contains) { return classes[0].name }
        for text in [kind?.lowercased() ?? "", message] where !text.isEmpty {
            if let found = classes.first(where: { $0.words.contains(where: text.contains) }) {
                return found.name
            }
        }
        return "model_error"
    }
}
