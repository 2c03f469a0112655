// One evaluation as somebody saw it: nothing shaped, nothing reduced yet.

package import EvalogFacts
package import EvalogText

/// An evaluation before the closed shapes: free text is allowed here, and stays out of the fact.
package struct Observation: Equatable, Sendable {
    /// How the evaluation ended.
    package enum Ending: Equatable, Sendable {
        /// The model's answer as it came, if the observer kept it.
        case completed(output: RawJSON?)
        /// A reason in words or as a name of the closed list.
        case skipped(reason: String, detail: String?)
        /// The error's words; the class where somebody who knew the error told it.
        case failed(error: String, class: ErrorClass?)
        case cancelled
    }

    /// What the evaluation asked, as it was offered to the model.
    package struct Request: Equatable, Sendable {
        package var instructions: String?
        package var schema: RawJSON?
        package var context: [ContextItem] = []

        package init() {}
    }

    package struct ContextItem: Equatable, Sendable {
        package var content: String
        /// Lower is more important.
        package var priority: Double

        package init(content: String, priority: Double = 0) {
            self.content = content
            self.priority = priority
        }
    }

    /// Any text; one that is no UUID is digested into one.
    package var id: String?
    /// Microseconds since 1970.
    package var time: Int64?
    package var usage: String
    package var subject: String?
    package var session: String?
    package var model: String?
    package var os: String?
    package var device: String?
    package var app: String?
    package var request = Request()
    package var ending: Ending
    package var duration: ObservedDuration = .absent
    package var attempts: Int32
    /// False if the feature could not decode an answer that fits the schema.
    package var isDecoded = true

    package init(usage: String, ending: Ending, attempts: Int32) {
        self.usage = usage
        self.ending = ending
        self.attempts = attempts
    }
}

/// How long an evaluation took, or that what was said of it cannot be.
package enum ObservedDuration: Equatable, Sendable {
    case absent
    /// Negative, not finite, or above ``Decimal/durationMax``.
    case invalid
    case microseconds(Int64)
}
