// Lines of the log as a person, or the next program, reads them.

import EvalogContent
import EvalogFacts
import EvalogLog
import EvalogText

/// Writes the lines that pass a filter; collects what went wrong and says it at the end.
final class TailView {
    private let filter: LineFilter
    private let isJSON: Bool
    private let console: Console
    private let revealer: Revealer?
    private var decoder = FactDecoder()
    private var format: TailFormat
    /// Lines that wait for others, so that all of them stand in the same columns.
    private var rows: [TailRow] = []
    private static let rowCountMax = 1_000
    private var unreadableCount = 0

    init(
        _ directory: LogDirectory, _ filter: LineFilter, isJSON: Bool, isRevealing: Bool,
        _ console: Console
    ) {
        self.filter = filter
        self.isJSON = isJSON
        self.console = console
        revealer = isRevealing ? Revealer(directory, isJSON: isJSON, console) : nil
        format = TailFormat(hasColor: console.hasColor)
    }

    /// Writes out what was added, and the content that belongs to it.
    func flush() throws {
        try showRows()
        try revealer?.catchUp()
        for damage in revealer?.takeDamages() ?? [] { console.warn(of: damage) }
        try console.output.flush()
    }

    func end() {
        if unreadableCount > 0 {
            console.warn(
                "\(Figures.count(unreadableCount)) lines could not be read and are not shown")
        }
        if let shortfall = revealer?.shortfall { console.warn(shortfall) }
    }

    /// Writes a line if it passes.
    func add(_ line: UnsafeRawBufferPointer) throws {
        guard let view = try? decoder.decode(line) else {
            unreadableCount += 1
            return
        }
        if view.isErased { return }
        guard let fact = Fact(view) else {
            // A later version's type: kept in the log, shown only as it is.
            if isJSON, filter.passesAll { try console.output.write(line: line) }
            return
        }
        guard filter.passes(fact) else { return }
        if isJSON {
            try console.output.write(line: line)
        } else {
            rows.append(TailRow(fact))
            if revealer != nil || rows.count == Self.rowCountMax { try showRows() }
        }
        try revealer?.expect(fact)
    }

    private func showRows() throws {
        for line in format.lines(of: rows) { try console.output.write(line + "\n") }
        rows = []
    }
}
