// Columns for people.

/// Rows of text, aligned under their headings.
struct TextTable {
    struct Column {
        let title: String
        var isNumber = true
    }

    let columns: [Column]
    private var rows: [[String]] = []

    init(_ columns: [Column]) {
        self.columns = columns
    }

    var isEmpty: Bool { rows.isEmpty }

    mutating func add(_ cells: [String]) {
        precondition(cells.count == columns.count, "a row has a cell for every column")
        rows.append(cells.map(Printable.text))
    }

    /// The lines, headings first, two spaces between columns.
    func lines() -> [String] {
        let widths = columns.indices.map { index in
            max(columns[index].title.count, rows.map { $0[index].count }.max() ?? 0)
        }
        return ([columns.map(\.title)] + rows).map { cells in
            let filled = cells.indices.map { index in
                columns[index].isNumber
                    ? aligned(cells[index], to: widths[index])
                    : padded(cells[index], to: widths[index])
            }
            let line = filled.joined(separator: "  ")
            return String(line.reversed().drop { $0 == " " }.reversed())
        }
    }
}
