// Facts as aligned columns for people, coloured by outcome.

import EvalogFacts
import EvalogText

/// One fact in columns: time, what happened, why, usage, subject, duration, attempts, model, system.
struct TailRow {
    let cells: [String]
    /// The last cell runs on over the columns that come then.
    let hasOpenEnd: Bool
    /// The number of a terminal's colour.
    let color: Int

    init(_ fact: Fact) {
        let time = Self.time(fact.time)
        switch fact {
        case .evaluation(let fact):
            let why = [
                fact.reason.map { "\($0.name)" }, fact.detail.map { "\($0.name)" },
                fact.error.map { "\($0.name)" }, fact.isDecoded ? nil : "undecoded",
                fact.isDurationInvalid ? "invalid duration" : nil,
                fact.isTimeAssumed ? "assumed time" : nil,
            ]
            cells = [
                time, "\(fact.outcome.name)", why.compactMap(\.self).joined(separator: " "),
                fact.usage, fact.subject ?? "-", fact.duration.map(Figures.duration) ?? "-",
                fact.attempts <= 1 ? "" : "×\(fact.attempts)", fact.model ?? "-", fact.os ?? "-",
            ]
            color = Self.color(of: fact.outcome)
            hasOpenEnd = false
            return
        case .aiSuppressed(let fact):
            cells = [time, "suppressed", "\(fact.missBehavior.name)", "", fact.subject ?? "-"]
            color = 35
        case .formInference(let fact):
            let values = fact.report.map { "\($0.name)=\($0.value.text)" }
            cells = [
                time, "inference", "\(fact.status.name)", "", fact.subject ?? "-",
                values.joined(separator: " "),
            ]
            color = 36
        case .catalog(let fact):
            let names = fact.report.map(\.name).joined(separator: " ")
            cells = [time, "catalog", "", "", fact.subject ?? "-", names]
            color = 90
        case .gate(let fact):
            cells = [time, "gate", fact.isOnDeviceAIEnabled ? "on" : "off"]
            color = 35
        case .logGap(let fact):
            let count = Figures.counted(fact.refused, "line")
            cells = [
                time, "gap", "\(fact.cause.name)", "", "\(count) of \(fact.stream.name) refused",
            ]
            color = 31
        case .testResult(let fact):
            let why = [fact.task] + [fact.failure].compactMap { $0.map { "\($0.name)" } }
            cells = [
                time, "test", "\(fact.verdict.name)", "", "\(fact.suite)/\(fact.testCase)",
                why.joined(separator: " "),
            ]
            color = fact.verdict == .pass ? 32 : 31
        }
        hasOpenEnd = true
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

/// Columns that only ever grow, up to a width that leaves room for the next one.
struct TailFormat {
    private static let widthMax = 40
    private static let durationColumn = 5

    let hasColor: Bool
    private var widths: [Int] = []

    init(hasColor: Bool) { self.hasColor = hasColor }

    /// Lines in the same columns, without control characters but those of colours.
    mutating func lines(of rows: [TailRow]) -> [String] {
        let printable = rows.map { $0.cells.map(Printable.text) }
        for (row, cells) in zip(rows, printable) {
            for (index, cell) in cells.dropLast(row.hasOpenEnd ? 1 : 0).enumerated() {
                if index >= widths.count { widths.append(0) }
                widths[index] = min(Self.widthMax, max(widths[index], cell.count))
            }
        }
        return zip(rows, printable).map { row, cells in
            let line = line(cells, hasOpenEnd: row.hasOpenEnd)
            return hasColor ? "\u{1B}[\(row.color)m\(line)\u{1B}[0m" : line
        }
    }

    private func line(_ cells: [String], hasOpenEnd: Bool) -> String {
        var line = ""
        for (index, cell) in cells.enumerated() {
            if index > 0 { line += "  " }
            let isOpen = hasOpenEnd && index + 1 == cells.count
            if isOpen || index >= widths.count {
                line += cell
            } else if index == Self.durationColumn {
                line += aligned(cell, to: widths[index])
            } else {
                line += padded(cell, to: widths[index])
            }
        }
        while line.last == " " { line.removeLast() }
        return line
    }
}
