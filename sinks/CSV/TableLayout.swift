// A table as a list of columns: each has its place in the schema and its cell side by side.

import EvalogMetrics
import EvalogText

/// What a column holds, in the words of a Frictionless table schema.
package enum FieldType: String, Sendable {
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
    /// Whether a number can be below 0.
    var isSigned = false
    let cell: (Row, inout CSVWriter) -> Void
}

/// A table: its file, what it is about, and its columns in order.
struct TableLayout<Row> {
    let description: String
    let columns: [TableColumn<Row>]
    /// The columns that tell any two rows apart.
    let key: [String]

    private static var pieceByteCount: Int { 64 << 10 }

    var fields: [CSVField] {
        columns.map { CSVField(name: $0.name, type: $0.type, isKey: key.contains($0.name)) }
    }

    /// The header and all rows, about 64 KiB at a time.
    func pieces(_ rows: some Sequence<Row>) -> () -> [UInt8]? {
        var iterator = rows.makeIterator()
        var writer = CSVWriter()
        for column in columns { writer.text(Name(column.name)) }
        writer.endRow()
        return {
            while writer.bytes.count < Self.pieceByteCount, let row = iterator.next() {
                for column in columns { column.cell(row, &writer) }
                writer.endRow()
            }
            let piece = writer.bytes
            writer.removeAll()
            return piece.isEmpty ? nil : piece
        }
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
        if isRequired || (isNumber && !isSigned) {
            json.key("constraints")
            json.beginObject()
            if isRequired {
                json.key("required")
                json.bool(true)
            }
            if isNumber && !isSigned {
                json.key("minimum")
                json.integer(0)
            }
            json.endObject()
        }
        json.endObject()
    }
}
