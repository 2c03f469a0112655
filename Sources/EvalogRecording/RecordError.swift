// What can be wrong with an evaluation record. Never holds a byte of it.

package import EvalogText

/// Why a line is no evaluation record.
package enum RecordError: Error, Equatable, Sendable {
    /// Not one JSON object, or too deep, or not UTF-8.
    case notJSON(TextError)
    case missing(Field)
    case badValue(Field)
    /// A key that stands twice has two values: two readers would see two records.
    case duplicateKey(Field)

    /// The members of a record, as schemas/evaluation-record-v1.schema.json names them.
    package enum Field: String, CaseIterable, Sendable {
        case usage, request, instructions, schema, context, items, content, priority
        case outcome, output, reason, detail, error, duration, attempts, decoded
        case errorClass = "error_class"
        case id, time, session, subject, model, os, device, app
    }
}
