// What features tell beside evaluations, before the closed shapes.

/// One event of a feature, a list of what a field may report, or a change of the privacy gate.
public struct FeatureReport: Equatable, Sendable {
    /// What happened. Evaluations are named by ``ObservedEvaluation/id``.
    public enum Kind: Equatable, Sendable {
        /// A message was not shown because of an evaluation. The miss behavior is `cancel`, `skip`
        /// or `penalize`; any other text becomes `other`.
        case suppressed(evaluation: String, message: String, missBehavior: String)

        /// A form was submitted with a field that has an inference. Of the values those are kept
        /// that the field's last catalog lists; without one, none.
        case formInference(
            evaluation: String?, field: String, isSuccess: Bool, values: [String: ReportedValue])

        /// Everything that inferences of this field may ever report: closed sets that the form's
        /// author wrote down, by the property's path. In facts `topic.needsReply` is
        /// `topic_needs_reply`; of two paths with one name there neither is kept. Comes before the
        /// first inference of the field.
        case catalog(field: String, values: [String: [ReportedValue]])

        /// On-device AI was switched. While it is off no content is kept, and what was not yet given
        /// to the disk is not written.
        case gate(isOnDeviceAIEnabled: Bool)
    }

    /// Random, so that it may leave the device; nil: the recorder draws one.
    public var id: String?
    /// Microseconds since 1970; nil: now.
    public var time: Int64?
    /// The app session, a UUID.
    public var session: String?
    public var kind: Kind

    public init(_ kind: Kind) {
        self.kind = kind
    }
}

/// A member of a closed set.
public enum ReportedValue: Hashable, Sendable {
    /// A choice of at most 64 bytes.
    case text(String)
    case flag(Bool)
}
