// Two versions of a table, row by row: what is only in one of them, and which cells differ.

import EvalogText

/// A row of a table that is not the same on both sides.
package struct RowDifference: Sendable {
    /// A cell: the name of its column, its bytes as written without quotes, and whether these are a
    /// number.
    package struct Cell: Sendable {
        package var column: String
        package var bytes: [UInt8]
        package var isNumber: Bool

        /// For people; a byte that is no UTF-8 becomes U+FFFD.
        package var text: String { String(decoding: bytes, as: UTF8.self) }
    }

    package var file: CSVFile
    /// The cells that name the row; missing values are left out, here as below.
    package var key: [Cell]
    /// The other cells, only those that differ where the row is on both sides; nil where it is not
    /// on this side.
    package var before: [Cell]?
    package var after: [Cell]?

    /// Whether the row is about the files of a log and not about what its facts say: a copy of a log
    /// may differ in it.
    package var isAboutFiles: Bool {
        file == .quality && key.first?.text.hasPrefix("log_") == true
    }
}

/// A table's bytes, piece by piece; nil at the end.
package typealias CSVPieces = () throws -> [UInt8]?

/// Walks through two versions of a table at once.
///
/// Holds a row of each; only the table without an order, `quality.csv`, is held whole.
package struct TableComparison {
    private let file: CSVFile
    private let fields: [CSVField]
    private let keyPlaces: [Int]
    private var before: Side
    private var after: Side

    /// - Parameters:
    ///   - table: What both sides are versions of: says which columns there are.
    ///   - before: The bytes of one version.
    ///   - after: Those of the other.
    /// - Throws: ``CSVError``, and what the pieces throw.
    package init(
        _ file: CSVFile, _ table: any CSVTable, before: @escaping CSVPieces,
        after: @escaping CSVPieces
    ) throws {
        self.file = file
        fields = table.fields
        keyPlaces = fields.indices.filter { [fields] in fields[$0].isKey }
        self.before = try Side(before, fields, keyPlaces, isSorted: file != .quality)
        self.after = try Side(after, fields, keyPlaces, isSorted: file != .quality)
    }

    /// The next row that differs; nil when there are no more.
    package mutating func next() throws -> RowDifference? {
        while true {
            guard let old = before.row else {
                guard let new = after.row else { return nil }
                try after.advance()
                return difference(nil, new)
            }
            guard let new = after.row, !precedes(old, new) else {
                try before.advance()
                return difference(old, nil)
            }
            try after.advance()
            if precedes(new, old) { return difference(nil, new) }
            try before.advance()
            if old != new { return difference(old, new) }
        }
    }

    private func precedes(_ left: [[UInt8]], _ right: [[UInt8]]) -> Bool {
        Self.precedes(left, right, keyPlaces, fields)
    }

    fileprivate static func precedes(
        _ left: [[UInt8]], _ right: [[UInt8]], _ keyPlaces: [Int], _ fields: [CSVField]
    ) -> Bool {
        for place in keyPlaces where left[place] != right[place] {
            let (a, b) = (fields[place].value(left[place]), fields[place].value(right[place]))
            // Digits without leading zeros: the longer number is the greater one.
            if fields[place].type == .integer, a.count != b.count { return a.count < b.count }
            return a.lexicographicallyPrecedes(b)
        }
        return false
    }

    private func difference(_ old: [[UInt8]]?, _ new: [[UInt8]]?) -> RowDifference {
        let others = fields.indices.filter { place in
            !fields[place].isKey && fields[place].name != "window_end"
                && (old == nil || new == nil || old?[place] != new?[place])
        }
        return RowDifference(
            file: file, key: cells(old ?? new ?? [], keyPlaces),
            before: old.map { cells($0, others) }, after: new.map { cells($0, others) })
    }

    private func cells(_ row: [[UInt8]], _ places: [Int]) -> [RowDifference.Cell] {
        places.filter { !row[$0].isEmpty }.map { place in
            RowDifference.Cell(
                column: fields[place].name, bytes: Array(fields[place].value(row[place])),
                isNumber: fields[place].type == .integer || fields[place].type == .number)
        }
    }
}

/// The rows of one side.
private struct Side {
    private(set) var row: [[UInt8]]?
    private var reader: CSVReader
    private let fields: [CSVField]
    private let keyPlaces: [Int]
    /// What is left of a table that had to be sorted, the next row last.
    private var sorted: [[[UInt8]]]?

    init(
        _ pieces: @escaping CSVPieces, _ fields: [CSVField], _ keyPlaces: [Int], isSorted: Bool
    ) throws {
        reader = CSVReader(pieces)
        self.fields = fields
        self.keyPlaces = keyPlaces
        let header = try reader.nextRow()
        guard header == fields.map({ Array($0.name.utf8) }) else { throw CSVError.otherColumns }
        if !isSorted { sorted = try allRows() }
        try advance()
    }

    mutating func advance() throws {
        if sorted != nil {
            row = sorted?.popLast()
            return
        }
        let line = reader.line
        let next = try readRow()
        if let row, let next,
            !TableComparison.precedes(row, next, keyPlaces, fields)
        {
            throw CSVError.unsorted(line: line)
        }
        row = next
    }

    private mutating func readRow() throws -> [[UInt8]]? {
        let line = reader.line
        guard let row = try reader.nextRow() else { return nil }
        guard row.count == fields.count else { throw CSVError.malformed(line: line) }
        return row
    }

    private mutating func allRows() throws -> [[[UInt8]]] {
        var rows: [[[UInt8]]] = []
        while let row = try readRow() { rows.append(row) }
        return rows.sorted { TableComparison.precedes($1, $0, keyPlaces, fields) }
    }
}
