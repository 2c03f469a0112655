// A table as a list of columns: each has its place in the schema and its cell side by side.

import EvalogMetrics
import EvalogText

/// What a column holds, in the words of a Frictionless table schema.
enum FieldType: String, Sendable {
    case string, integer, number, datetime
}

/// A column of a table with rows of one type.
struct TableColumn<Row> {
    let name: String
    let type: FieldType
    /// The unit of a number that is no count.
    var unit: String?
    let description: String
    /// Whether no cell is ever empty.
    var isRequired = true
    let cell: (Row, inout CSVWriter) -> Void
}

/// A table: its file, what it is about, and its columns in order.
struct TableLayout<Row> {
    let description: String
    let columns: [TableColumn<Row>]
    /// The columns that tell any two rows apart.
    let key: [String]

    /// Writes the header and all rows, at most about 64 KiB at a time.
    func write<Failure: Error>(
        _ rows: some Sequence<Row>,
        to emit: (UnsafeRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        var writer = CSVWriter()
        for column in columns { writer.text(Name(column.name)) }
        writer.endRow()
        for row in rows {
            for column in columns { column.cell(row, &writer) }
            writer.endRow()
            if writer.bytes.count >= 64 << 10 {
                try Self.flush(&writer, to: emit)
            }
        }
        try Self.flush(&writer, to: emit)
    }

    private static func flush<Failure: Error>(
        _ writer: inout CSVWriter, to emit: (UnsafeRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        try writer.bytes.withUnsafeBufferPointer { (bytes) throws(Failure) in
            try emit(UnsafeRawBufferPointer(bytes))
        }
        writer.removeAll()
    }

    /// The table schema as one JSON value.
    func writeSchema(_ json: inout JSONWriter) {
        json.beginObject()
        json.key("fields")
        json.beginArray()
        for column in columns { column.writeField(&json) }
        json.endArray()
        json.key("missingValues")
        json.beginArray()
        json.string("" as StaticString)
        json.endArray()
        json.key("primaryKey")
        json.beginArray()
        for name in key { json.string(name) }
        json.endArray()
        json.endObject()
    }
}

extension CSVWriter {
    /// A name of the log.
    mutating func text(_ name: Name) {
        name.bytes.withUnsafeBytes { text($0) }
    }
}

extension TableColumn {
    fileprivate func writeField(_ json: inout JSONWriter) {
        json.beginObject()
        json.key("name")
        json.string(name)
        json.key("type")
        json.string(type.rawValue)
        if type == .datetime {
            json.key("format")
            json.string("%Y-%m-%dT%H:%M:%SZ" as StaticString)
        }
        if let unit {
            json.key("unit")
            json.string(unit)
        }
        json.key("description")
        json.string(description)
        let isNumber = type == .integer || type == .number
        if isRequired || isNumber {
            json.key("constraints")
            json.beginObject()
            if isRequired {
                json.key("required")
                json.bool(true)
            }
            if isNumber {
                json.key("minimum")
                json.integer(0)
            }
            json.endObject()
        }
        json.endObject()
    }
}
