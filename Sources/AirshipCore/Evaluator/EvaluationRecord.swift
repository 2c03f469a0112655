// What one evaluation was asked and how it turned out: the observer's and the recorder's view.

public import Foundation

extension AirshipAI {
    /// One finished evaluation; exactly one exists for each, whatever happened.
    public struct EvaluationRecord: Sendable {
        /// How it ended; output is raw, as the model gave it.
        public enum Outcome: Sendable {
            /// A valid answer, also when the feature could not decode it.
            case completed(AirshipJSON)
            case skipped(reason: String)
            case failed(any Error)
        }

        /// A time-ordered UUID (version 7) that feature events refer to.
        public let id: UUID

        /// When the evaluation was asked for, by the wall clock.
        public let startedAt: Date

        /// The app session in which it was asked for.
        public let sessionID: UUID?

        /// What it was about: a message, a field, an embedded id.
        public let subjectID: String?

        /// Which feature asked.
        public let usage: AnyUsage

        /// What was offered, untrimmed. When ``skipCause`` is ``SkipCause/aiDisabled``, consent was
        /// withdrawn: nothing of it may be kept.
        public let request: Request

        /// The label of the model that was resolved, if it has one.
        public let model: String?

        /// How it ended.
        public let outcome: Outcome

        /// Why it was skipped, as a closed list; nil unless it was.
        public let skipCause: SkipCause?

        /// False only where a valid answer was not what the feature could decode.
        public let isDecoded: Bool

        /// Seconds over all attempts; 0 when no model was called.
        public let duration: TimeInterval

        /// Calls of the model, one cut off included; 0 when none was called.
        public let attempts: Int

        /// Whether it was cancelled, by its caller or by the model; that is no failure.
        public var isCancelled: Bool {
            guard case .failed(let error) = outcome else { return false }
            return error is CancellationError
        }

        package init(
            id: UUID, startedAt: Date, sessionID: UUID?, subjectID: String?, usage: AnyUsage,
            request: Request, model: String?, outcome: Outcome, skipCause: SkipCause?,
            isDecoded: Bool, duration: TimeInterval, attempts: Int
        ) {
            self.id = id
            self.startedAt = startedAt
            self.sessionID = sessionID
            self.subjectID = subjectID
            self.usage = usage
            self.request = request
            self.model = model
            self.outcome = outcome
            self.skipCause = skipCause
            self.isDecoded = isDecoded
            self.duration = duration
            self.attempts = attempts
        }
    }

    /// Why an evaluation did not reach, or may not use, a model.
    public enum SkipCause: Hashable, Sendable {
        /// `onDeviceAI` is off, or went off before an answer was used.
        case aiDisabled
        case noModel
        case noContext
        case modelUnavailable(UnavailableReason)

        /// The sentence that features see.
        public var reason: String {
            switch self {
            case .aiDisabled: "AI disabled by privacy manager"
            case .noModel: "No model configured"
            case .noContext: "No context to personalize on"
            case .modelUnavailable: "Model unavailable"
            }
        }
    }
}

extension AirshipAI.EvaluationRecord.Outcome: Equatable {
    /// Compares by value; two failures are equal when their errors are; errors that
    /// cannot be compared, when they have one domain and code.
    public static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.completed(let left), .completed(let right)): left == right
        case (.skipped(let left), .skipped(let right)): left == right
        case (.failed(let left), .failed(let right)): areEqual(left, right)
        default: false
        }
    }
}
