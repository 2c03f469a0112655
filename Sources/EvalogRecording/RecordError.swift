// The members of an evaluation record, and what can be wrong with one. Never holds a byte of it.

package import EvalogFacts

/// The keys of a record, as schemas/evaluation-record-v1.schema.json names them.
package enum RecordField: UInt8, ClosedList {
    case usage, request, outcome, output, reason, detail, error, errorClass
    case duration, attempts, decoded
    case id, time, session, subject, model, os, device, app
    /// The mark of a fact line, which is no record.
    case type

    package static let names = NameTable(
        "usage", "request", "outcome", "output", "reason", "detail", "error", "error_class",
        "duration", "attempts", "decoded", "id", "time", "session", "subject", "model", "os",
        "device", "app", "type")
}

/// The keys of a record's `request`, of its `context`, and of the items in it.
enum RequestField: UInt8, ClosedList {
    case instructions, schema, context, items, content, priority

    static let names = NameTable(
        "instructions", "schema", "context", "items", "content", "priority")
}

/// Why a line is no evaluation record.
package typealias RecordError = LineError<RecordField>
