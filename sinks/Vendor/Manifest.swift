// `manifest.json`: what the files of a report can hold, written by the code that fills them.

import EvalogFacts
import EvalogText

/// The files of a report.
package enum ReportFile: String, CaseIterable, Sendable {
    case events = "events.ndjson"
    case summary = "summary.csv"
    case manifest = "manifest.json"
}

/// What the opted-in values of a report, and with a review its messages and fields, are members of:
/// of what is listed only that which the report shows. The rest of a list would tell of hidden rows, and
/// whoever can write into the log can write a catalog.
package enum ClosedSets: Sendable {
    /// Of what a person lets leave.
    case reviewed(ReviewedCatalog)
    /// Of what the log's catalogs list.
    case catalogs(ReviewedCatalog)

    package init(of screened: Screened, in summary: VendorSummary) {
        self = screened.isReviewed ? .reviewed(summary.listed) : .catalogs(summary.listed)
    }

    fileprivate func write(to json: inout JSONWriter) {
        json.key("closed_sets")
        json.beginObject()
        json.key("from")
        switch self {
        case .reviewed(let catalog):
            json.string("reviewed" as StaticString)
            catalog.writeMessages(to: &json)
            catalog.writeFields(to: &json)
        case .catalogs(let catalog):
            json.string("catalogs" as StaticString)
            catalog.writeFields(to: &json)
        }
        json.endObject()
    }
}

/// What a report is made with, and says of itself.
package struct Manifest: Sendable {
    /// With events: how they are cut. Without: rows of fewer sessions are hidden.
    package enum Content: Sendable {
        case events(limits: BatchLimits, batches: [EventBatch])
        case summary(sessionCountMin: Int)
    }

    private let content: Content
    private let closedSets: ClosedSets
    /// The other files of the report, by their names.
    private let files: [ReportFile: [UInt8]]

    package init(_ content: Content, _ closedSets: ClosedSets, files: [ReportFile: [UInt8]]) {
        self.content = content
        self.closedSets = closedSets
        self.files = files
    }

    /// The file: indented JSON without a date.
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
                json.count("min_count", sessionCountMin)
            }
            closedSets.write(to: &json)
            json.key("files")
            json.beginArray()
            if let events = files[.events] { json.file(.events, events, EventField.self) }
            if let summary = files[.summary] { json.file(.summary, summary, SummaryColumn.self) }
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

    fileprivate mutating func file<Field: ReportField>(
        _ file: ReportFile, _ bytes: [UInt8], _ fields: Field.Type
    ) {
        beginObject()
        key("name")
        string(file.rawValue)
        count("bytes", bytes.count)
        key("sha256")
        string(SHA256.text(of: bytes))
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
            string("closed_sets" as StaticString)
        }
    }
}

extension FieldForm {
    package var typeName: StaticString {
        switch self {
        case .choice, .randomID, .identifier, .property, .seconds: "string"
        case .object: "object"
        case .listed: "closed set"
        case .date: "datetime"
        case .count: "integer"
        }
    }

    package var pattern: StaticString? {
        switch self {
        case .randomID: RandomID.pattern
        case .identifier: Identifier.pattern
        case .property: ListedValue.propertyPattern
        case .seconds: "^[0-9]+[.][0-9]{2}$"
        case .choice, .object, .listed, .date, .count: nil
        }
    }
}
