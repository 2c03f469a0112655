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
            try console.output.write(format.line(of: fact) + "\n")
        }
        if case .evaluation(let evaluation) = fact { try revealer?.expect(evaluation) }
    }
}

/// Facts as aligned columns, coloured by outcome.
struct TailFormat {
    let hasColor: Bool
    private var widths: [Int] = []

    init(hasColor: Bool) {
        self.hasColor = hasColor
    }

    mutating func line(of fact: Fact) -> String {
        let (cells, color) = Self.cells(of: fact)
        var line = ""
        for (index, cell) in cells.enumerated() {
            let text = Printable.text(cell)
            if index >= widths.count { widths.append(0) }
            // Columns only ever grow, up to a width that leaves room for the next one.
            widths[index] = min(40, max(widths[index], text.count))
            line += index + 1 == cells.count ? text : padded(text, to: widths[index]) + "  "
        }
        while line.last == " " { line.removeLast() }
        return hasColor ? "\u{1B}[\(color)m\(line)\u{1B}[0m" : line
    }

    private static func cells(of fact: Fact) -> (cells: [String], color: Int) {
        let time = Self.time(fact.time)
        switch fact {
        case .evaluation(let fact):
            let why = [
                fact.reason.map { "\($0.name)" }, fact.detail.map { "\($0.name)" },
                fact.error.map { "\($0.name)" },
            ]
            let notes =
                why.compactMap { $0 } + (fact.isDecoded ? [] : ["undecoded"])
                + (fact.isDurationInvalid ? ["duration invalid"] : [])
            return (
                [
                    time, "\(fact.outcome.name)", fact.usage, fact.model ?? "-", fact.os ?? "-",
                    fact.duration.map(Figures.duration) ?? "-",
                    fact.attempts == 1 ? "" : "×\(fact.attempts)", fact.subject ?? "-",
                    notes.joined(separator: " "),
                ], color(of: fact.outcome)
            )
        case .aiSuppressed(let fact):
            return ([time, "suppressed", "\(fact.missBehavior.name)", fact.subject ?? "-"], 35)
        case .formInference(let fact):
            let values = fact.report.map { "\($0.name)=\($0.value.text)" }
            return (
                [
                    time, "inference", "\(fact.status.name)", fact.subject ?? "-",
                    values.joined(separator: " "),
                ], 36
            )
        case .catalog(let fact):
            return (
                [
                    time, "catalog", fact.subject ?? "-",
                    fact.report.map(\.name).joined(separator: " "),
                ], 90
            )
        case .gate(let fact):
            return ([time, "gate", fact.isOnDeviceAIEnabled ? "on" : "off"], 35)
        case .logGap(let fact):
            return (
                [
                    time, "gap",
                    "\(Figures.count(fact.refused)) lines of \(fact.stream.name) refused",
                    "\(fact.cause.name)",
                ], 31
            )
        }
    }

    private static func time(_ microseconds: Int64) -> String {
        var bytes: [UInt8] = []
        Timestamp.append(microseconds, to: &bytes)
        // Milliseconds are enough for the eye: drop three digits and the Z.
        return String(decoding: bytes.dropLast(4), as: UTF8.self).replacing("T", with: " ")
    }

    private static func color(of outcome: Outcome) -> Int {
        switch outcome {
        case .completed: 32
        case .skipped: 33
        case .failed: 31
        case .cancelled: 90
        }
    }
}
