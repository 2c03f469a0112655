// `manifest.json`: what the files of a report can hold, written by the code that fills them.

import EvalogFacts
import EvalogText

/// The files of a report.
package enum ReportFile: String, CaseIterable, Sendable {
    case events = "events.ndjson"
    case summary = "summary.csv"
    case manifest = "manifest.json"
}

/// What a report is made with, and says of itself.
package struct Manifest: Sendable {
    /// With events: how they are cut. Without: rows of fewer sessions are hidden.
    package enum Content: Sendable {
        case events(limits: BatchLimits, batches: [EventBatch])
        case summary(sessionCountMin: Int)
    }

    private let content: Content

    package init(_ content: Content) {
        self.content = content
    }

    /// The file: indented JSON, without a date or anything of the log.
    package var bytes: [UInt8] {
        var compact: [UInt8] = []
        JSONWriter.append(to: &compact) { json in
            json.beginObject()
            json.key("v")
            json.integer(1)
            json.key("report")
            switch content {
            case .events(let limits, let batches):
                json.string("events" as StaticString)
                json.key("batch_limits")
                json.beginObject()
                json.count("events", limits.eventCountMax)
                json.count("bytes", limits.byteCountMax)
                json.endObject()
                json.key("batches")
                json.beginArray()
                for batch in batches { json.batch(batch) }
                json.endArray()
            case .summary(let sessionCountMin):
                json.string("summary" as StaticString)
                json.count("min_sessions", sessionCountMin)
            }
            json.key("files")
            json.beginArray()
            if case .events = content { json.file(.events, EventField.self) }
            json.file(.summary, SummaryColumn.self)
            json.endArray()
            json.endObject()
        }
        return IndentedJSON.bytes(compact)
    }
}

extension JSONWriter {
    fileprivate mutating func count(_ name: StaticString, _ value: Int) {
        key(name)
        integer(Int64(value))
    }

    fileprivate mutating func batch(_ batch: EventBatch) {
        beginObject()
        count("first_line", batch.firstLine)
        count("events", batch.eventCount)
        count("bytes", batch.byteCount)
        endObject()
    }

    fileprivate mutating func file<Field: ReportField>(_ file: ReportFile, _ fields: Field.Type) {
        beginObject()
        key("name")
        string(file.rawValue)
        key("fields")
        beginArray()
        for field in fields.allCases {
            beginObject()
            key("field")
            string(field.path)
            form(field.form)
            key("always")
            bool(field.isAlwaysThere)
            key("why")
            string(field.why)
            endObject()
        }
        endArray()
        endObject()
    }

    private mutating func form(_ form: FieldForm) {
        key("type")
        string(form.typeName)
        if case .choice(let values) = form {
            key("values")
            beginArray()
            for value in values { string(value) }
            endArray()
        }
        if let pattern = form.pattern {
            key("pattern")
            string(pattern)
        }
        if case .listed = form {
            key("values_from")
            string("catalog" as StaticString)
        }
    }
}

extension FieldForm {
    package var typeName: StaticString {
        switch self {
        case .choice, .randomID, .identifier, .seconds: "string"
        case .object: "object"
        case .listed: "closed set"
        case .date: "datetime"
        case .count: "integer"
        }
    }

    package var pattern: StaticString? {
        switch self {
        case .randomID: "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"
        case .identifier: Identifier.pattern
        case .seconds: "^[0-9]+[.][0-9]{2}$"
        case .choice, .object, .listed, .date, .count: nil
        }
    }
}
