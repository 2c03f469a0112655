// What did not leave, by why: counts for the person who reports, never for the vendor.

package import EvalogFacts
import EvalogText

/// Why something of the log is not in a report.
package enum WithheldReason: UInt8, ClosedList {
    case unreadableLines, repeatedLines, repeatedEvents, gateOff, otherUsage
    case lostEvaluation
    case eventID, sessionID, time, messageID, formField, missBehavior
    case unreviewedMessage, unreviewedField
    case catalogField, unknownTypes, unknownKeys, malformedValue, malformedReport
    case noCatalog, unlistedValue, unreviewedValue, valueOfFailure
    case smallCells, incompleteWindow, forgottenWindow

    package static let names = NameTable(
        "unreadable_lines", "repeated_lines", "repeated_events", "gate_off", "other_usage",
        "lost_evaluation",
        "event_id", "session_id", "time", "message_id", "form_field", "miss_behavior",
        "unreviewed_message", "unreviewed_field", "catalog_field", "unknown_types", "unknown_keys",
        "malformed_value", "malformed_report", "no_catalog", "unlisted_value", "unreviewed_value",
        "value_of_failure", "small_cells", "incomplete_window", "forgotten_window")

    /// What is counted, in words.
    package var words: StaticString {
        switch self {
        case .unreadableLines: "lines that could not be read"
        case .repeatedLines: "further lines of an event or a catalog"
        case .repeatedEvents: "further events of one suppression or submission"
        case .gateOff: "events while on-device AI was off, or nobody told"
        case .otherUsage: "events that name an evaluation of another usage"
        case .lostEvaluation: "events that name an evaluation that may be lost"
        case .eventID: "events whose id is not random"
        case .sessionID: "events without a session that is a random UUID"
        case .time: "events from before 1970"
        case .messageID: "suppressions without a message id of the allowed form"
        case .formField: "inferences without a form and field of the allowed form"
        case .missBehavior: "suppressions with an unknown miss behavior"
        case .unreviewedMessage: "suppressions of messages that nobody reviewed"
        case .unreviewedField: "inferences of fields that nobody reviewed"
        case .unknownTypes: "lines of an unknown type"
        case .unknownKeys: "keys that a line of its kind does not have"
        case .catalogField: "catalogs without a form and field of the allowed form"
        case .malformedValue: "values of no allowed form in facts that are not reported"
        case .malformedReport: "reports with a member of no allowed form"
        case .noCatalog: "values of a field without a catalog at the time"
        case .unlistedValue: "values that the field's catalog does not list"
        case .unreviewedValue: "values that nobody reviewed"
        case .valueOfFailure: "values of an inference that failed"
        case .smallCells: "rows of few sessions, or beside such rows"
        case .incompleteWindow: "events of windows that are not over"
        case .forgottenWindow: "events so old that nobody knows whether they were told"
        }
    }
}

/// How much was withheld, by why.
package struct Withheld: Hashable, Sendable {
    private var counts = [Int](repeating: 0, count: WithheldReason.allCases.count)

    package init() {}

    package subscript(reason: WithheldReason) -> Int { counts[Int(reason.rawValue)] }

    /// Reasons that occurred, with their counts.
    package var occurring: [(reason: WithheldReason, count: Int)] {
        WithheldReason.allCases.map { ($0, self[$0]) }.filter { $0.1 > 0 }
    }

    package mutating func add(_ reason: WithheldReason, _ count: Int = 1) {
        counts[Int(reason.rawValue)] += count
    }

    /// What a line about a summary has, and no other.
    package static let summaryMark = #""report":"summary""#

    /// The line about a report in the log's journal of what was withheld, without its line feed.
    ///
    /// - Parameters:
    ///   - time: When the report was made, µs since 1970.
    ///   - number: Of a summary, among the log's; nil for another report.
    ///   - eventCount: Events that the report tells or counts.
    package func journalLine(
        time: Int64, summary number: Int64?, eventCount: Int
    ) -> [UInt8] {
        var line: [UInt8] = []
        JSONWriter.append(to: &line) { json in
            json.beginObject()
            json.key("v")
            json.integer(1)
            json.key("time")
            json.time(time)
            json.key("report")
            json.string(number == nil ? "events" as StaticString : "summary")
            if let number {
                json.key("number")
                json.integer(number)
            }
            json.key("events")
            json.integer(Int64(eventCount))
            json.key("withheld")
            json.beginObject()
            for (reason, count) in occurring {
                json.key(reason.name)
                json.integer(Int64(count))
            }
            json.endObject()
            json.endObject()
        }
        return line
    }
}
