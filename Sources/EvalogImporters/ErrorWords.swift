// How an error of another tool is classed, by the words that clients and servers use for it.

/// Error classes by words, most telling first.
enum ErrorWords {
    /// What a message tells better than the kind: servers call the first a bad request and the second,
    /// with 429, too many of them.
    private static let told: [(name: String, words: [String])] = [
        (
            "context_overflow",
            [
                "context_length", "context size", "context length", "maximum context",
                "exceed_context", "too many tokens",
            ]
        ), ("quota", ["insufficient_quota", "exceeded your current quota"]),
    ]
    private static let cancellation = ["cancel", "abort"]
    private static let classes: [(name: String, words: [String])] = [
        ("rate_limited", ["ratelimit", "rate_limit", "rate limit", "429", "too many requests"]),
        ("quota", ["quota", "402"]),
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
    static func outcome(kind: String?, message: String?) -> TracedOutcome {
        let said = message?.lowercased() ?? ""
        if let found = told.first(where: { $0.words.contains(where: said.contains) }) {
            return .failed(class: found.name, message: message)
        }
        for text in [kind?.lowercased() ?? "", said] where !text.isEmpty {
            if let found = classes.first(where: { $0.words.contains { holds(text, $0) } }) {
                return .failed(class: found.name, message: message)
            }
            if cancellation.contains(where: text.contains) { return .cancelled }
        }
        return .failed(class: "model_error", message: message)
    }

    /// Whether the text has the word; a number only where no digit stands beside it.
    private static func holds(_ text: String, _ word: String) -> Bool {
        guard word.utf8.allSatisfy(isDigit) else { return text.contains(word) }
        return text.utf8.split(omittingEmptySubsequences: true) { !isDigit($0) }
            .contains { $0.elementsEqual(word.utf8) }
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
