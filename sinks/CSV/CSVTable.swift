// A table ready to be written, whatever its rows are.

package import EvalogText

/// A layout with its rows.
package protocol CSVTable {
    /// One sentence on what the rows are.
    var description: String { get }

    /// The columns in their order.
    var fields: [CSVField] { get }

    /// Appends the table schema as one JSON value.
    func writeSchema(_ json: inout JSONWriter)

    /// The bytes of the file: a call gives the next piece, nil at the end.
    func pieces() -> () -> [UInt8]?
}

/// A column of a table, without its cells.
package struct CSVField: Sendable {
    /// The heading.
    package var name: String
    /// How its cells are written, and compared.
    package var type: FieldType
    /// Whether it is one of those that tell any two rows apart.
    package var isKey: Bool

    /// A cell without the `'` that keeps spreadsheets from taking it for a formula.
    func value(_ cell: [UInt8]) -> ArraySlice<UInt8> {
        type == .string && cell.first == UInt8(ascii: "'") ? cell.dropFirst() : cell[...]
    }
}

extension CSVTable {
    /// Hands the bytes of the file to `emit`, piece by piece; a piece is valid during the call only.
    ///
    /// - Throws: What `emit` throws; nothing more is emitted then.
    package func write<Failure: Error>(
        to emit: (UnsafeRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        let next = pieces()
        while let piece = next() {
            try piece.withUnsafeBufferPointer { (bytes) throws(Failure) in
                try emit(UnsafeRawBufferPointer(bytes))
            }
        }
    }

    /// The table schema, with these tables' groups, as indented JSON.
    package var schema: [UInt8] {
        var bytes: [UInt8] = []
        JSONWriter.append(to: &bytes) { writeSchema(&$0) }
        return IndentedJSON.bytes(bytes)
    }
}

struct TableContent<Rows: Sequence>: CSVTable {
    let layout: TableLayout<Rows.Element>
    let rows: Rows

    var description: String { layout.description }

    var fields: [CSVField] { layout.fields }

    func writeSchema(_ json: inout JSONWriter) { layout.writeSchema(&json) }

    func pieces() -> () -> [UInt8]? { layout.pieces(rows) }
}
