// Every closed list of schemas/fact-v1.schema.json. What is not listed cannot be logged.

/// The kinds of fact line; a type that this version does not know is `unknown`: kept, not counted.
package enum FactKind: UInt8, ClosedList {
    case evaluation, aiSuppressed, formInference, catalog, gate, logGap, testResult, unknown

    package static let names = NameTable(
        "evaluation", "ai_suppressed", "form_inference", "catalog", "gate", "log_gap",
        "test_result", "")
    package static let fallback: Self? = .unknown
}

/// How an evaluation ended; a superseded or cancelled ask is no failure.
package enum Outcome: UInt8, ClosedList {
    case completed, skipped, failed, cancelled

    package static let names = NameTable("completed", "skipped", "failed", "cancelled")
}

/// Why no model was asked.
package enum SkipReason: UInt8, ClosedList {
    case aiDisabled, noModel, noContext, modelUnavailable, other

    package static let names = NameTable(
        "ai_disabled", "no_model", "no_context", "model_unavailable", "other")
    package static let fallback: Self? = .other
}

/// Why a model was unavailable.
package enum SkipDetail: UInt8, ClosedList {
    case deviceNotEligible, missingModel, notEnabled, other

    package static let names = NameTable(
        "device_not_eligible", "missing_model", "not_enabled", "other")
    package static let fallback: Self? = .other
}

/// What made an evaluation fail, without the error's text.
package enum ErrorClass: UInt8, ClosedList {
    case timeout, schemaMismatch, contextOverflow, truncated, refused, badResponse, transport
    case rateLimited, quota, auth, clientError, serverError, unsupportedLanguage, unavailable
    case modelError, other

    package static let names = NameTable(
        "timeout", "schema_mismatch", "context_overflow", "truncated", "refused", "bad_response",
        "transport", "rate_limited", "quota", "auth", "client_error", "server_error",
        "unsupported_language", "unavailable", "model_error", "other")
    package static let fallback: Self? = .other
}

/// Whether a submitted field came with an inference.
package enum InferenceStatus: UInt8, ClosedList {
    case success, failure

    package static let names = NameTable("success", "failure")
}

/// What the schedule of a suppressed message does.
package enum MissBehavior: UInt8, ClosedList {
    case cancel, skip, penalize, other

    package static let names = NameTable("cancel", "skip", "penalize", "other")
    package static let fallback: Self? = .other
}

/// Why a writer refused lines.
package enum GapCause: UInt8, ClosedList {
    case noSpace, ioError, bufferFull, tooLong, protected, other

    package static let names = NameTable(
        "no_space", "io_error", "buffer_full", "too_long", "protected", "other")
    package static let fallback: Self? = .other
}

/// The stream of a log that a gap is in.
package enum GapStream: UInt8, ClosedList {
    case facts, content

    package static let names = NameTable("facts", "content")
}

/// What came of a case of a test set.
package enum Verdict: UInt8, ClosedList {
    /// `error`: there was no answer to judge.
    case pass, fail, error

    package static let names = NameTable("pass", "fail", "error")
}

/// What was wrong with an answer of a test set, without the answer.
package enum TestFailure: UInt8, ClosedList {
    /// `invalid`: it broke its schema, was cut off or refused, in every attempt.
    case invalid, different, wrongClass, missingFact, forbiddenFact, other

    package static let names = NameTable(
        "invalid", "different", "wrong_class", "missing_fact", "forbidden_fact", "other")
    package static let fallback: Self? = .other
}
