// The state of evalog top as a value: keys, facts and the time go in, lines of text come out.

import EvalogFacts
import EvalogMetrics

/// A live table, and how a person looks at it.
struct TopScreen: Sendable {
    /// What a key asks for.
    enum Action: Equatable, Sendable { case redraw, quit, nothing }

    enum Sort: String, CaseIterable, Sendable { case rate, failures, p95, name }

    /// Columns and rows of a terminal.
    struct Size: Equatable, Sendable {
        var width: Int
        var height: Int
    }

    static let windows: [(name: String, length: Int64)] = [
        ("1m", 60_000_000), ("5m", 300_000_000), ("15m", 900_000_000), ("1h", 3_600_000_000),
        ("6h", 21_600_000_000), ("24h", 86_400_000_000),
    ]

    var table: LiveTable
    /// Whether something in the log is damaged.
    var isDamaged = false
    private let log: String
    private var window: Int
    private(set) var sort = Sort.rate

    /// - Parameters:
    ///   - log: The log's path, for the heading.
    ///   - window: An index of ``windows``.
    init(log: String, filters: FactFilters, window: Int = 2) {
        self.log = log
        self.window = window
        table = LiveTable(filters)
    }

    var windowName: String { Self.windows[window].name }

    /// Keys of either case go forward and back.
    mutating func press(_ key: Character) -> Action {
        let count = Self.windows.count
        switch key {
        case "q", "Q": return .quit
        case "w": window = (window + 1) % count
        case "W": window = (window + count - 1) % count
        case "s": move(1)
        case "S": move(Sort.allCases.count - 1)
        default: return .nothing
        }
        return .redraw
    }

    private mutating func move(_ steps: Int) {
        let all = Sort.allCases
        sort = all[((all.firstIndex(of: sort) ?? 0) + steps) % all.count]
    }

    // MARK: Text

    /// The screen: at most as many lines as the terminal has rows, none wider than it, none with a
    /// control character.
    func lines(fitting size: Size, now: Int64) -> [String] {
        let summary = summary(now: now)
        var lines = headings(summary, now: now) + [""]
        let keys = "q quit   s sort (\(sort.rawValue))   w window (\(windowName))"
        let room = max(0, size.height - lines.count - 1)
        lines += rows(summary, now: now, width: size.width, count: room)
        while lines.count < size.height - 1 { lines.append("") }
        return (lines.prefix(max(0, size.height - 1)) + [keys]).prefix(size.height).map {
            String(Printable.text($0).prefix(size.width))
        }
    }

    /// The same without a terminal: all rows, nothing about keys.
    func text(now: Int64) -> String {
        let summary = summary(now: now)
        let lines =
            headings(summary, now: now) + [""]
            + rows(summary, now: now, width: nil, count: .max)
        return lines.map(Printable.text).joined(separator: "\n") + "\n"
    }

    func summary(now: Int64) -> LiveSummary {
        table.summary(last: Self.windows[window].length, now: now)
    }

    private func headings(_ summary: LiveSummary, now: Int64) -> [String] {
        let outcomes = summary.outcomes
        var notes: [String] = []
        if table.lateCount > 0 { notes.append("\(Figures.count(table.lateCount)) late") }
        if table.aheadCount > 0 { notes.append("\(Figures.count(table.aheadCount)) ahead of time") }
        if table.unreadableCount > 0 {
            notes.append("\(Figures.counted(table.unreadableCount, "line")) unreadable")
        }
        if isDamaged { notes.append("damaged: evalog verify says where") }
        let newest = table.newest.map { "newest \(Figures.age(max(0, now - $0))) ago" }
        return [
            "evalog top  \(log)  \(Figures.time(now)) UTC  last \(windowName), since"
                + " \(Figures.time(summary.start))",
            ([
                "\(Figures.rate(Double(outcomes.total) / summary.seconds))/s",
                Figures.counted(outcomes.total, "evaluation"),
                "\(Figures.count(outcomes.failed)) failed", newest ?? "none in the last 24 h",
            ] + notes).joined(separator: "  "),
        ]
    }

    private func rows(
        _ summary: LiveSummary, now: Int64, width: Int?, count: Int
    ) -> [String] {
        guard !summary.rows.isEmpty else { return ["No evaluations in the last \(windowName)."] }
        var table = TextTable([
            .init(title: "usage", isNumber: false), .init(title: "model", isNumber: false),
            .init(title: "rate/s"), .init(title: "evaluations", rank: 6),
            .init(title: "completed", rank: 7), .init(title: "skipped", rank: 4),
            .init(title: "failed", rank: 2), .init(title: "cancelled", rank: 9),
            .init(title: "failure rate"), .init(title: "95 % interval", rank: 8),
            .init(title: "p50", rank: 5), .init(title: "p95", rank: 1),
            .init(title: "p99", rank: 10),
            .init(title: "retried", rank: 11), .init(title: "newest", rank: 3),
            .init(title: "newest failures", isNumber: false, rank: 12),
        ])
        for row in sorted(summary.rows) { table.add(cells(row, summary.seconds, now: now)) }
        var lines = table.lines(fitting: width)
        if lines.count > count {
            let hidden = lines.count - max(count - 1, 0)
            lines = Array(lines.prefix(max(count - 1, 0))) + ["… \(Figures.count(hidden)) more"]
        }
        return lines
    }

    /// In the order that a person chose.
    func sorted(_ rows: [LiveRow]) -> [LiveRow] {
        let rank: (LiveRow) -> Int64 =
            switch sort {
            case .rate: { Int64($0.outcomes.total) }
            case .failures: { Int64($0.failureRate?.rate ?? -1) }
            case .p95: { Int64(clamping: $0.durations.percentiles([95]).first ?? 0) }
            case .name: { _ in 0 }
            }
        return rows.map { ($0, rank($0)) }.sorted { left, right in
            left.1 != right.1 ? left.1 > right.1 : left.0.group < right.0.group
        }.map(\.0)
    }

    private func cells(_ row: LiveRow, _ seconds: Double, now: Int64) -> [String] {
        let percentiles = row.durations.percentiles([50, 95, 99]).map {
            Figures.duration(Int64(clamping: $0))
        }
        let failures = row.failures.prefix(3).map { failure in
            "\(failure.error.map { "\($0.name)" } ?? "failed") \(Figures.count(failure.count))"
        }
        return [
            row.group.usage, row.group.model.isEmpty ? "-" : row.group.model,
            Figures.rate(Double(row.outcomes.total) / seconds), Figures.count(row.outcomes.total),
            Figures.count(row.outcomes.completed), Figures.count(row.outcomes.skipped),
            Figures.count(row.outcomes.failed), Figures.count(row.outcomes.cancelled),
            row.failureRate.map { Figures.percent(Int64($0.rate)) } ?? "",
            row.failureRate.map(\.interval) ?? "",
        ] + (0..<3).map { $0 < percentiles.count ? percentiles[$0] : "" } + [
            Figures.count(row.retried), Figures.age(max(0, now - row.latest)),
            failures.joined(separator: ", "),
        ]
    }
}
