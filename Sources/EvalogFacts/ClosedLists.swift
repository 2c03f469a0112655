// Every closed list of section "facts" of schemas/fact-v1.schema.json. What is not listed cannot be logged.

/// The kinds of fact line; a type that this version does not know is `unknown`: kept, not counted.
package enum FactKind: UInt8, Sendable {
    case evaluation, aiSuppressed, formInference, catalog, gate, logGap, unknown
}

package enum Outcome: UInt8, CaseIterable, Sendable {
    case completed, skipped, failed, cancelled
}

package enum SkipReason: UInt8, CaseIterable, Sendable {
    case aiDisabled, noModel, noContext, modelUnavailable, other
}

/// Why a model was unavailable.
package enum SkipDetail: UInt8, CaseIterable, Sendable {
    case deviceNotEligible, missingModel, notEnabled, other
}

package enum ErrorClass: UInt8, CaseIterable, Sendable {
    case timeout, schemaMismatch, contextOverflow, truncated, refused, badResponse, transport
    case rateLimited, quota, auth, clientError, serverError, unsupportedLanguage, unavailable
    case modelError, other
}

package enum InferenceStatus: UInt8, CaseIterable, Sendable {
    case success, failure
}

package enum MissBehavior: UInt8, CaseIterable, Sendable {
    case cancel, skip, penalize, other
}

/// Why a writer refused lines.
package enum GapCause: UInt8, CaseIterable, Sendable {
    case noSpace, ioError, bufferFull, tooLong, protected, other
}
