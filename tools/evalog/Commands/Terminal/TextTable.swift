// Columns for people.

/// Rows of text, aligned under their headings.
struct TextTable {
    struct Column {
        let title: String
        var isNumber = true
        /// Columns of a higher rank are left out first where a terminal is narrow; 0 never.
        var rank = 0
    }

    let columns: [Column]
    private var rows: [[String]] = []
    private static let gap = 2

    init(_ columns: [Column]) {
        self.columns = columns
    }

    mutating func add(_ cells: [String]) {
        precondition(cells.count == columns.count, "a row has a cell for every column")
        rows.append(cells.map(Printable.text))
    }

    /// The lines, headings first.
    ///
    /// - Parameter width: Columns are left out by their rank until they fit; nil keeps all.
    func lines(fitting width: Int? = nil) -> [String] {
        let widths = columns.indices.map { index in
            max(columns[index].title.count, rows.map { $0[index].count }.max() ?? 0)
        }
        let shown = shownColumns(widths, fitting: width)
        return ([columns.map(\.title)] + rows).map { cells in
            var line = ""
            for index in shown {
                if !line.isEmpty { line += spaces(Self.gap) }
                line +=
                    columns[index].isNumber
                    ? aligned(cells[index], to: widths[index])
                    : padded(cells[index], to: widths[index])
            }
            while line.last == " " { line.removeLast() }
            return line
        }
    }

    private func shownColumns(_ widths: [Int], fitting width: Int?) -> [Int] {
        var shown = Array(columns.indices)
        guard let width else { return shown }
        while shown.reduce(-Self.gap, { $0 + widths[$1] + Self.gap }) > width,
            let last = shown.filter({ columns[$0].rank > 0 })
                .max(by: { columns[$0].rank < columns[$1].rank })
        {
            shown.removeAll { $0 == last }
        }
        return shown
    }
}
