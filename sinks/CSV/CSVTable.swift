// A table ready to be written, whatever its rows are.

package import EvalogText

/// A layout with its rows.
package protocol CSVTable {
    /// One sentence on what the rows are.
    var description: String { get }

    /// Appends the table schema as one JSON value.
    func writeSchema(_ json: inout JSONWriter)

    /// Hands the bytes of the file to `emit`, piece by piece; a piece is valid during the call only.
    ///
    /// - Throws: What `emit` throws; nothing more is emitted then.
    func write<Failure: Error>(
        to emit: (UnsafeRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure)
}

extension CSVTable {
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

    func writeSchema(_ json: inout JSONWriter) { layout.writeSchema(&json) }

    func write<Failure: Error>(
        to emit: (UnsafeRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        try layout.write(rows, to: emit)
    }
}
