// The confidential half of an evaluation: what was asked, with what, and what came back.

package import EvalogFacts
package import EvalogText

/// What an evaluation said and heard; it shares its id with the fact.
///
/// Any member but id and time may be missing: the app chose what is kept.
package struct ContentRecord: Hashable, Sendable {
    package var id: UniqueID
    /// The start, in microseconds since 1970.
    package var time: Int64
    package var session: SessionID?
    package var subject: String?
    package var instructions: String?
    /// The JSON Schema that the answer had to meet.
    package var schema: RawJSON?
    /// In the order in which the model was given them; none if no model was asked.
    package var context: [Item] = []
    /// Nil for a cancelled evaluation.
    package var answer: Answer?
    /// Of a result of a test set: what the answer should have been.
    package var expected: RawJSON?
    /// Of a result of a test set: why the answer was judged as it was, in words.
    package var finding: String?

    /// A piece of what the model was told about the user.
    package struct Item: Hashable, Sendable {
        package var content: String
        /// Finite; an infinite one is written as the greatest finite number, NaN as 0.
        package var priority: Double

        package init(content: String, priority: Double) {
            self.content = content
            self.priority = priority
        }
    }

    /// What came back, by outcome.
    package enum Answer: Hashable, Sendable {
        /// What the model answered; ``RawJSON/init(string:)`` if it was no JSON.
        case output(RawJSON)
        /// Why no model was asked.
        case reason(String)
        /// What went wrong.
        case error(String)
    }

    package init(id: UniqueID, time: Int64) {
        self.id = id
        self.time = time
    }
}

/// Limits of the content stream.
package enum ContentLimits {
    /// Longer lines are refused by the log and unreadable here.
    package static let lineByteCountMax = 16 << 20
}

/// One line of the content stream.
package enum ContentLine: Hashable, Sendable {
    case record(ContentRecord)
    /// What is left of a line that was erased; without id if it could not be read.
    case erased(id: UniqueID?)
}

/// The keys of content lines, in the order in which they are written.
package enum ContentField: UInt8, ClosedList {
    case version, id, time, session, subject, instructions, schema, context
    case output, reason, error, expected, finding, erased

    package static let names = NameTable(
        "v", "id", "time", "session", "subject", "instructions", "schema", "context", "output",
        "reason", "error", "expected", "finding", "erased")
}

/// Why a content line cannot be read.
package typealias ContentError = LineError<ContentField>
