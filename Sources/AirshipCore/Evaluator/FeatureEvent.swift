// What features report beside evaluations: closed values only, nothing that a user typed.

public import Foundation

extension AirshipAI {
    /// One event of a feature, or a change of the privacy gate.
    public struct FeatureEvent: Hashable, Sendable {
        /// What happened. Evaluations are named by ``EvaluationRecord/id``.
        public enum Kind: Hashable, Sendable {
            /// A message was not shown because of a completed evaluation.
            case aiSuppressed(evaluation: UUID, message: String, missBehavior: MissBehavior)

            /// A form was submitted with a field that has an inference; once per field.
            case formInference(
                evaluation: UUID?, field: String, status: InferenceStatus,
                report: [String: ReportValue])

            /// All that an inference of this field may ever report.
            case catalog(field: String, report: [String: [ReportValue]])

            /// `onDeviceAI` was switched.
            case gate(onDeviceAI: Bool)
        }

        /// Random (version 4), so that it may leave the device.
        public let id: UUID
        /// When it was reported, by the wall clock.
        public let time: Date
        /// The app session in which it happened.
        public let sessionID: UUID?
        public let kind: Kind

        package init(id: UUID, time: Date, sessionID: UUID?, kind: Kind) {
            self.id = id
            self.time = time
            self.sessionID = sessionID
            self.kind = kind
        }
    }

    /// What a suppressed message does to its schedule.
    public enum MissBehavior: String, CaseIterable, Sendable {
        /// Removes the schedule.
        case cancel
        /// Back to waiting, as if it had not been triggered.
        case skip
        /// Back to waiting, counted as an execution.
        case penalize
    }

    /// Whether a submitted field had an answer.
    public enum InferenceStatus: String, CaseIterable, Sendable {
        case success, failure
    }

    /// A member of a closed set: a choice of a string, or a boolean.
    public enum ReportValue: Hashable, Sendable {
        case text(String)
        case flag(Bool)
    }
}
