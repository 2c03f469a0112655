// The bytes of an export → rows of cells, piece by piece: the way back from CSVWriter.

/// What a file cannot be if `evalog export` wrote it.
package enum CSVError: Error, Equatable {
    /// A row that RFC 4180 does not allow, by the line that it begins in, from 1.
    case malformed(line: Int)
    /// Other columns than the table has.
    case otherColumns
    /// A row that does not come after the one before it.
    case unsorted(line: Int)
}

/// Reads rows from bytes that come in pieces; a piece may end anywhere. Holds a piece and a row.
struct CSVReader {
    private let nextPiece: () throws -> [UInt8]?
    private var piece: [UInt8] = []
    private var offset = 0
    /// The line that the next row begins in, from 1.
    private(set) var line = 1
    private var rowLine = 1

    init(_ nextPiece: @escaping () throws -> [UInt8]?) {
        self.nextPiece = nextPiece
    }

    /// The cells of the next row, quotes taken away; nil at the end.
    ///
    /// - Throws: ``CSVError/malformed(line:)``, and what the pieces throw.
    mutating func nextRow() throws -> [[UInt8]]? {
        rowLine = line
        guard try peek() != nil else { return nil }
        var cells: [[UInt8]] = []
        while true {
            cells.append(try nextCell())
            switch try take() {
            case UInt8(ascii: ","): continue
            case 0x0D where try take() == 0x0A:
                line += 1
                return cells
            default: throw CSVError.malformed(line: rowLine)
            }
        }
    }

    private mutating func nextCell() throws -> [UInt8] {
        var cell: [UInt8] = []
        guard try peek() == UInt8(ascii: "\"") else {
            while let byte = try peek(), byte != UInt8(ascii: ","), byte != 0x0D {
                guard byte != UInt8(ascii: "\""), byte != 0x0A else {
                    throw CSVError.malformed(line: rowLine)
                }
                cell.append(byte)
                offset += 1
            }
            return cell
        }
        offset += 1
        while let byte = try take() {
            if byte == UInt8(ascii: "\"") {
                guard try peek() == UInt8(ascii: "\"") else { return cell }
                offset += 1
            }
            if byte == 0x0A { line += 1 }
            cell.append(byte)
        }
        throw CSVError.malformed(line: rowLine)
    }

    private mutating func take() throws -> UInt8? {
        defer { offset += 1 }
        return try peek()
    }

    private mutating func peek() throws -> UInt8? {
        while offset >= piece.count {
            guard let next = try nextPiece() else { return nil }
            piece = next
            offset = 0
        }
        return piece[offset]
    }
}
