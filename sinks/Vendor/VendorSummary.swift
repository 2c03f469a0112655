// `summary.csv`: how many events of each kind a window had.

import EvalogFacts
import EvalogText

/// A span of time, its end excluded, in microseconds since 1970.
package struct ReportWindow: Hashable, Sendable {
    package var start: Int64
    package var end: Int64

    package init(start: Int64, end: Int64) {
        self.start = start
        self.end = end
    }
}

/// What one row counts.
enum SummaryCell: Hashable, Sendable {
    case suppression(message: Identifier, MissAction)
    case inference(FormField, ResultName)
    /// Successes of the field that report this value.
    case value(FormField, ListedValue)
}

/// The rows of a summary.
package struct VendorSummary: Sendable {
    /// Events of a row and the sessions that they came from.
    struct Count: Sendable {
        var events = 0
        var sessions: Set<RandomID> = []

        mutating func add(_ session: RandomID) {
            events += 1
            sessions.insert(session)
        }
    }

    private(set) var rows: [ReportWindow: [SummaryCell: Count]] = [:]

    /// Counts events.
    ///
    /// - Parameter events: Each with the window that it counts in.
    package init(_ events: some Sequence<(window: ReportWindow, event: VendorEvent)>) {
        for (window, event) in events {
            for cell in SummaryCell.counting(event) {
                rows[window, default: [:]][cell, default: Count()].add(event.session)
            }
        }
    }

    package var rowCount: Int { rows.values.reduce(0) { $0 + $1.count } }

    /// Messages, fields and values of them that have a row.
    var listed: ReviewedCatalog {
        rows.values.flatMap(\.keys).reduce(into: ReviewedCatalog()) { catalog, cell in
            switch cell {
            case .suppression(let message, _): catalog.add(message)
            case .inference(let field, _): catalog.add(field, [])
            case .value(let field, let value): catalog.add(field, [value])
            }
        }
    }

    /// Takes rows away.
    ///
    /// - Returns: How many there were of them.
    mutating func hide(_ isHidden: (SummaryCell, Count) -> Bool, in window: ReportWindow) -> Int {
        guard let cells = rows[window] else { return 0 }
        let shown = cells.filter { !isHidden($0.key, $0.value) }
        rows[window] = shown
        return cells.count - shown.count
    }

    /// The file: RFC 4180, rows sorted by window and then by their texts as bytes.
    package var bytes: [UInt8] {
        var csv = CSVWriter()
        for column in SummaryColumn.allCases { csv.text(column.path) }
        csv.endRow()
        let windows = rows.sorted { ($0.key.start, $0.key.end) < ($1.key.start, $1.key.end) }
        for (window, cells) in windows {
            for (cell, count) in cells.sorted(by: { SummaryCell.precedes($0.key, $1.key) }) {
                csv.time(window.start)
                csv.time(window.end)
                for text in cell.texts {
                    text.withUnsafeBytes { $0.isEmpty ? csv.empty() : csv.text($0) }
                }
                csv.integer(count.events)
                csv.endRow()
            }
        }
        return csv.bytes
    }
}

extension SummaryCell {
    /// The rows that an event counts in.
    static func counting(_ event: VendorEvent) -> [Self] {
        switch event.body {
        case .suppression(let message, let action): [.suppression(message: message, action)]
        case .inference(let field, .failed): [.inference(field, .failed)]
        case .inference(let field, .success(let values)):
            [.inference(field, .success)] + values.map { .value(field, $0) }
        }
    }

    /// The text cells, between the window and the count; an empty one is missing.
    fileprivate var texts: [[UInt8]] {
        switch self {
        case .suppression(let message, let action):
            [bytes(EventType.inAppResolution), bytes(message), bytes(action), [], [], [], [], []]
        case .inference(let field, let result): inference(field, result) + [[], []]
        case .value(let field, let value):
            inference(field, .success) + [bytes(value.property), value.text]
        }
    }

    private func inference(_ field: FormField, _ result: ResultName) -> [[UInt8]] {
        [bytes(EventType.inAppFormResult), [], [], bytes(field.form), bytes(field.field)]
            + [bytes(result)]
    }

    private func bytes(_ name: some ClosedList) -> [UInt8] { Array("\(name.name)".utf8) }

    private func bytes(_ identifier: Identifier) -> [UInt8] {
        var bytes: [UInt8] = []
        identifier.withText { bytes += $0 }
        return bytes
    }

    static func precedes(_ left: Self, _ right: Self) -> Bool {
        for (left, right) in zip(left.texts, right.texts) where left != right {
            return left.lexicographicallyPrecedes(right)
        }
        return false
    }
}
