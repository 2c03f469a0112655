// One evaluation as somebody saw it: nothing shaped, nothing reduced yet.

import EvalogText

/// An evaluation before the closed shapes: free text is allowed here, and stays out of the fact.
///
/// Names of closed lists are given as text and looked up when the fact is made; a name that is
/// not listed becomes `other`. The lists are in schemas/fact-v1.schema.json.
public struct ObservedEvaluation: Equatable, Sendable {
    /// How the evaluation ended.
    public enum Ending: Equatable, Sendable {
        /// The model's answer as JSON text, if it is to be kept. Other text is kept as a string.
        case completed(output: String?)
        /// A reason in words or as a name of the list, such as `no_model`; for an unavailable
        /// model the detail, such as `not_enabled`.
        case skipped(reason: String, detail: String? = nil)
        /// The error's words, which only content keeps, and the name of its class, such as
        /// `timeout`, where somebody who knew the error told it.
        case failed(error: String, class: String? = nil)
        /// By its caller or because a newer question took its place; no failure.
        case cancelled
    }

    /// What the evaluation asked, as it was offered to the model. Only content keeps it.
    public struct Request: Equatable, Sendable {
        /// Without a subject, a keyed digest of these tells apart what was asked about.
        public var instructions: String?
        /// A JSON Schema as text.
        public var schema: String?
        /// In the order of presentation.
        public var context: [ContextItem] = []

        public init() {}
    }

    /// One line of context.
    public struct ContextItem: Equatable, Sendable {
        public var content: String
        /// Lower is more important.
        public var priority: Double

        public init(content: String, priority: Double = 0) {
            self.content = content
            self.priority = priority
        }
    }

    /// Any text; one that is no UUID is digested into one. Nil: the recorder draws one.
    public var id: String?
    /// The start, in microseconds since 1970. Nil: a recorder takes now less the duration, an
    /// import the time of the import.
    public var time: Int64?
    /// The name of the kind of question, such as `embedded_selection`.
    public var usage: String
    /// What it was about: a message, a field, an embedded id.
    public var subject: String?
    /// The app session, a UUID.
    public var session: String?
    /// The label of the model.
    public var model: String?
    /// Nil: the recorder takes the device's own, as for ``device`` and ``app``.
    public var os: String?
    public var device: String?
    public var app: String?
    public var request = Request()
    public var ending: Ending
    public var duration: ObservedDuration = .absent
    /// Calls of the model; 0 where none was asked.
    public var attempts: Int
    /// False if the feature could not decode an answer that fits the schema.
    public var isDecoded = true

    public init(usage: String, ending: Ending, attempts: Int) {
        self.usage = usage
        self.ending = ending
        self.attempts = attempts
    }
}

/// How long an evaluation took, or that what was said of it cannot be.
public enum ObservedDuration: Equatable, Sendable {
    case absent
    /// Negative, not finite, or above 24 hours: the fact says so and has no duration.
    case invalid
    case microseconds(Int64)

    /// A measured duration, by way of the shortest decimal text that means it: 1.005 is 1,005,000
    /// microseconds.
    public static func seconds(_ seconds: Double) -> Self {
        Decimal.microseconds(seconds: seconds).map { .microseconds($0) } ?? .invalid
    }
}
