// Rows that differ, for a person or a program.

import CSVSink
import EvalogText

/// Writes one line for each row that differs, and counts them.
final class DiffView {
    private let console: Console
    private let isJSON: Bool
    private var lastFile: CSVFile?
    private var changedCount = 0
    private var addedCount = 0
    private var removedCount = 0

    init(_ console: Console, isJSON: Bool) {
        self.console = console
        self.isJSON = isJSON
    }

    var count: Int { changedCount + addedCount + removedCount }

    func show(_ difference: RowDifference) throws {
        switch (difference.before, difference.after) {
        case (nil, _): addedCount += 1
        case (_, nil): removedCount += 1
        default: changedCount += 1
        }
        if isJSON {
            try console.output.write(json: Self.json(difference))
        } else {
            if lastFile != difference.file {
                try console.output.write("\(difference.file.name)\n")
                lastFile = difference.file
            }
            try console.output.write(text(difference))
        }
    }

    /// Says how many there were.
    func end() throws {
        guard count > 0 else { return console.note("no row differs") }
        guard !isJSON else { return }
        try console.output.write(
            "\(Figures.counted(count, "row")) \(count == 1 ? "differs" : "differ"):"
                + " \(Figures.count(changedCount)) changed, \(Figures.count(addedCount)) added,"
                + " \(Figures.count(removedCount)) removed\n")
    }

    // MARK: For a person

    private func text(_ difference: RowDifference) -> String {
        let (mark, color, cells) =
            switch (difference.before, difference.after) {
            case (nil, let after): ("+", 32, Self.list(after ?? []))
            case (let before, nil): ("-", 31, Self.list(before ?? []))
            case (let before?, let after?): ("~", 33, Self.changes(before, after))
            }
        let key = difference.key.map(\.text).joined(separator: "  ")
        let line = Printable.text("\(mark) \(key):  \(cells)")
        return console.hasColor ? "\u{1B}[\(color)m\(line)\u{1B}[0m\n" : line + "\n"
    }

    private static func list(_ cells: [RowDifference.Cell]) -> String {
        cells.map { "\($0.column) \($0.text)" }.joined(separator: ", ")
    }

    private static func changes(
        _ before: [RowDifference.Cell], _ after: [RowDifference.Cell]
    ) -> String {
        func text(_ column: String, _ cells: [RowDifference.Cell]) -> String {
            cells.first { $0.column == column }?.text ?? "nothing"
        }
        let gone = before.map(\.column).filter { column in
            !after.contains { $0.column == column }
        }
        return (after.map(\.column) + gone)
            .map { "\($0) \(text($0, before)) → \(text($0, after))" }.joined(separator: ", ")
    }

    // MARK: For a program

    private static func json(_ difference: RowDifference) -> [UInt8] {
        var bytes: [UInt8] = []
        JSONWriter.append(to: &bytes) { json in
            json.beginObject()
            json.key("table")
            json.string(difference.file.rawValue)
            json.key("key")
            write(difference.key, &json)
            if let before = difference.before {
                json.key("before")
                write(before, &json)
            }
            if let after = difference.after {
                json.key("after")
                write(after, &json)
            }
            json.endObject()
        }
        return bytes + [0x0A]
    }

    private static func write(_ cells: [RowDifference.Cell], _ json: inout JSONWriter) {
        json.beginObject()
        for cell in cells {
            json.key(cell.column)
            if cell.isNumber, let number = try? RawJSON(cell.bytes), isNumber(number) {
                json.raw(number)
            } else {
                json.string(cell.text)
            }
        }
        json.endObject()
    }

    /// Whether a cell that should be a number is one, in a file that anybody may have edited.
    private static func isNumber(_ value: RawJSON) -> Bool {
        value.bytes.first.map { (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-") } ?? false
    }
}
