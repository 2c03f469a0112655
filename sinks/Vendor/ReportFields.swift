// Everything that can leave, as data: the encoders take their keys from here, and so does the manifest.

import EvalogFacts

/// What a value of the report can be.
package enum FieldForm: Sendable {
    /// One of these.
    case choice([StaticString])
    /// A random UUID in lowercase.
    case randomID
    /// A text of the form of an ``Identifier``.
    case identifier
    /// The name of a member of a report.
    case property
    /// Seconds since 1970 with two decimals, as a text.
    case seconds
    /// The members that follow it.
    case object
    /// Any of the properties and values that the field's catalog lists.
    case listed
    /// `2026-11-29T10:00:00Z`.
    case date
    case count

    fileprivate static func names<List: ClosedList>(of list: List.Type) -> Self {
        .choice(list.allCases.map(\.name))
    }
}

/// A field of a file of the report.
package protocol ReportField: CaseIterable, Sendable {
    /// Where it stands: its key, behind a dot after that of the object that holds it.
    var path: StaticString { get }
    var form: FieldForm { get }
    /// Whether it stands in every line or row.
    var isAlwaysThere: Bool { get }
    /// Why the vendor is told.
    var why: StaticString { get }
}

/// The fields of `events.ndjson`, in the order in which they are written.
package enum EventField: ReportField {
    case type, eventID, time, sessionID
    case messageID, missBehavior, resolution, resolutionType, displayTime
    case form, field, inference, result, output

    var key: StaticString {
        switch self {
        case .resolutionType: "type"
        case .displayTime: "display_time"
        case .result: "result"
        case .output: "output"
        default: path
        }
    }

    package var path: StaticString {
        switch self {
        case .type: "type"
        case .eventID: "event_id"
        case .time: "time"
        case .sessionID: "session_id"
        case .messageID: "message_id"
        case .missBehavior: "miss_behavior"
        case .resolution: "resolution"
        case .resolutionType: "resolution.type"
        case .displayTime: "resolution.display_time"
        case .form: "form"
        case .field: "field"
        case .inference: "ai_inference"
        case .result: "ai_inference.result"
        case .output: "ai_inference.output"
        }
    }

    package var form: FieldForm {
        switch self {
        case .type: .names(of: EventType.self)
        case .eventID, .sessionID: .randomID
        case .time: .seconds
        case .messageID, .form, .field: .identifier
        case .missBehavior: .names(of: MissAction.self)
        case .resolution, .inference: .object
        case .resolutionType: .names(of: Resolution.self)
        case .displayTime: .choice([Resolution.displayTime])
        case .result: .names(of: ResultName.self)
        case .output: .listed
        }
    }

    package var isAlwaysThere: Bool {
        switch self {
        case .type, .eventID, .time, .sessionID: true
        default: false
        }
    }

    package var why: StaticString {
        switch self {
        case .type: "Tells the two kinds of event apart."
        case .eventID:
            "Lets the vendor drop an event that is sent twice. It is random and names nothing else."
        case .time: "When it happened, no finer than a hundredth of a second."
        case .sessionID: "Joins the event to the app session that the vendor knows already."
        case .messageID: "The message that was not shown, by the id that the vendor gave it."
        case .missBehavior: "What the message's schedule does next, as its author configured it."
        case .resolution: "How the message ended."
        case .resolutionType: "That an evaluation held it back, and nothing of why."
        case .displayTime: "It was never on screen."
        case .form: "The form that was submitted."
        case .field: "The field of the form."
        case .inference: "What came of the inference on the submitted field."
        case .result: "Whether there was an answer, and nothing of why not."
        case .output:
            "The categories that the form's author opted in to, as the field's catalog lists them. Absent where there are none."
        }
    }
}

/// The columns of `summary.csv`, in their order.
package enum SummaryColumn: ReportField {
    case windowStart, windowEnd, type, messageID, missBehavior, form, field, result
    case property, value, events

    package var path: StaticString {
        switch self {
        case .windowStart: "window_start"
        case .windowEnd: "window_end"
        case .type: "type"
        case .messageID: "message_id"
        case .missBehavior: "miss_behavior"
        case .form: "form"
        case .field: "field"
        case .result: "result"
        case .property: "property"
        case .value: "value"
        case .events: "events"
        }
    }

    package var form: FieldForm {
        switch self {
        case .windowStart, .windowEnd: .date
        case .type: .names(of: EventType.self)
        case .messageID, .form, .field: .identifier
        case .property: .property
        case .missBehavior: .names(of: MissAction.self)
        case .result: .names(of: ResultName.self)
        case .value: .listed
        case .events: .count
        }
    }

    package var isAlwaysThere: Bool {
        switch self {
        case .windowStart, .windowEnd, .type, .events: true
        default: false
        }
    }

    package var why: StaticString {
        switch self {
        case .windowStart: "Where the window begins, in UTC."
        case .windowEnd: "Where the window ends, in UTC; not part of it."
        case .type: "Tells the two kinds of event apart."
        case .messageID: "The message that was not shown; empty for forms."
        case .missBehavior: "What the message's schedule does next; empty for forms."
        case .form: "The form that was submitted; empty for messages."
        case .field: "The field of the form; empty for messages."
        case .result: "Whether there was an answer; empty for messages."
        case .property:
            "The opted-in property that the row counts; empty where it counts all of the result."
        case .value:
            "The property's value, one that the field's catalog lists; flags are true and false."
        case .events: "Events of this row in the window."
        }
    }
}
