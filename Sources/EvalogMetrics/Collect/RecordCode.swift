// Six bits that say what a row is: the kind of an event, or an evaluation's outcome with its why.

package import EvalogFacts

/// What became of an evaluation and why, as `outcomes.csv` tells it apart.
///
/// A reason belongs to a skipped evaluation, and a detail to its reason; an error class belongs to
/// a failed one. Members of a line that do not belong to its outcome are left aside.
package struct OutcomeClass: Hashable, Sendable {
    /// What became of it; decides which of the others can be set.
    package var outcome: Outcome
    /// Nil unless skipped.
    package var reason: SkipReason?
    /// Nil unless skipped.
    package var detail: SkipDetail?
    /// Nil unless failed.
    package var error: ErrorClass?

    /// Drops the members that do not belong to the outcome.
    package init(
        _ outcome: Outcome, reason: SkipReason? = nil, detail: SkipDetail? = nil,
        error: ErrorClass? = nil
    ) {
        self.outcome = outcome
        self.reason = outcome == .skipped ? reason : nil
        self.detail = outcome == .skipped ? detail : nil
        self.error = outcome == .failed ? error : nil
    }
}

/// A small number for every ``OutcomeClass`` and every kind of event, and one for no row at all.
struct RecordCode: RawRepresentable, Equatable, BitwiseCopyable {
    let rawValue: UInt8

    private static let reasonCount = UInt8(SkipReason.allCases.count) + 1
    private static let detailCount = UInt8(SkipDetail.allCases.count) + 1
    private static let errorCount = UInt8(ErrorClass.allCases.count) + 1
    private static let firstSkipped: UInt8 = 2
    private static let firstFailed = firstSkipped + reasonCount * detailCount
    /// Codes below this are outcomes.
    static let outcomeClassCount = Int(firstFailed + errorCount)

    private static let firstEvent = UInt8(outcomeClassCount)
    static let suppression = Self(rawValue: firstEvent)
    static let inferenceSuccess = Self(rawValue: firstEvent + 1)
    static let inferenceFailure = Self(rawValue: firstEvent + 2)
    static let catalog = Self(rawValue: firstEvent + 3)
    static let gate = Self(rawValue: firstEvent + 4)
    static let logGap = Self(rawValue: firstEvent + 5)
    static let testResult = Self(rawValue: firstEvent + 6)
    /// A row that does not count: the end of a joined chunk, or the copy of a row elsewhere.
    static let hole = Self(rawValue: 63)

    init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    init(_ found: OutcomeClass) {
        switch found.outcome {
        case .completed: rawValue = 0
        case .cancelled: rawValue = 1
        case .skipped:
            let reason = found.reason.map { $0.rawValue + 1 } ?? 0
            let detail = found.detail.map { $0.rawValue + 1 } ?? 0
            rawValue = Self.firstSkipped + reason * Self.detailCount + detail
        case .failed: rawValue = Self.firstFailed + (found.error.map { $0.rawValue + 1 } ?? 0)
        }
    }

    /// The code of a fact; `hole` for one of an unknown type.
    init(_ view: borrowing FactView) {
        switch view.kind {
        case .evaluation:
            self.init(
                OutcomeClass(
                    view.outcome, reason: view.reason, detail: view.detail, error: view.error))
        case .aiSuppressed: self = .suppression
        case .formInference:
            self = view.status == .success ? .inferenceSuccess : .inferenceFailure
        case .catalog: self = .catalog
        case .gate: self = .gate
        case .logGap: self = .logGap
        case .testResult: self = .testResult
        case .unknown: self = .hole
        }
    }

    @inline(__always)
    var isEvaluation: Bool { rawValue < Self.firstEvent }

    var isInference: Bool { self == .inferenceSuccess || self == .inferenceFailure }

    /// Whether the row has an ``EventPayload``.
    @inline(__always)
    var hasPayload: Bool { rawValue >= Self.firstEvent && self != .hole }

    /// Equal for two codes of one fact type; ids are unique within a type only.
    @inline(__always)
    var kind: UInt8 {
        if isEvaluation { return 0 }
        return self == .inferenceFailure ? Self.inferenceSuccess.rawValue : rawValue
    }

    /// What the code of an evaluation stands for.
    var outcomeClass: OutcomeClass {
        if rawValue == 0 { return OutcomeClass(.completed) }
        if rawValue == 1 { return OutcomeClass(.cancelled) }
        if rawValue >= Self.firstFailed {
            let error = rawValue - Self.firstFailed
            return OutcomeClass(
                .failed, error: error == 0 ? nil : ErrorClass(rawValue: error - 1))
        }
        let (reason, detail) = (rawValue - Self.firstSkipped).quotientAndRemainder(
            dividingBy: Self.detailCount)
        return OutcomeClass(
            .skipped, reason: reason == 0 ? nil : SkipReason(rawValue: reason - 1),
            detail: detail == 0 ? nil : SkipDetail(rawValue: detail - 1))
    }

    @inline(__always)
    var outcome: Outcome {
        switch rawValue {
        case 0: .completed
        case 1: .cancelled
        case ..<Self.firstFailed: .skipped
        default: .failed
        }
    }
}
