// Evaluations counted per window and group. Tallies of parts merge into that of the whole.

import EvalogFacts

/// What the rows of one cell in `evaluations.csv`, `outcomes.csv` and `durations.csv` need.
struct EvaluationCell {
    /// How often each code of an outcome came; few of them occur in one cell.
    private(set) var classes: [(code: UInt8, count: Int)] = []
    var retried = 0
    var attempts: UInt128 = 0
    var durations = Histogram()

    @inline(__always)
    mutating func add(_ code: RecordCode, attempts: Int, duration: UInt64?) {
        count(code.rawValue, 1)
        if attempts > 1 { retried += 1 }
        self.attempts += UInt128(attempts)
        if let duration, attempts >= 1, code.outcome != .cancelled { durations.add(duration) }
    }

    mutating func merge(_ other: Self) {
        for (code, number) in other.classes { count(code, number) }
        retried += other.retried
        attempts += other.attempts
        durations.merge(other.durations)
    }

    @inline(__always)
    private mutating func count(_ code: UInt8, _ number: Int) {
        for place in classes.indices where classes[place].code == code {
            classes[place].count += number
            return
        }
        classes.append((code, number))
    }
}

/// Evaluations of some rows, by cell.
struct EvaluationTally {
    private var index: CellIndex
    private var cells: [EvaluationCell] = []

    init(groupCount: Int) {
        index = CellIndex(groupCount: groupCount)
    }

    @inline(__always)
    mutating func add(
        _ window: TimeWindow, _ group: Int, _ code: RecordCode, attempts: Int, duration: UInt64?
    ) {
        let cell = index.number(window, group)
        if cell == cells.count { cells.append(EvaluationCell()) }
        cells[cell].add(code, attempts: attempts, duration: duration)
    }

    /// Adds what `other` counted; both number their groups alike.
    mutating func merge(_ other: Self) {
        for (place, cell) in zip(other.index.cells, other.cells) {
            let number = index.number(place.window, place.group)
            if number == cells.count {
                cells.append(cell)
            } else {
                cells[number].merge(cell)
            }
        }
    }

    var evaluationRows: [EvaluationRow] {
        index.sorted.map { number in
            let cell = cells[number]
            var outcomes = OutcomeCounts()
            for (code, count) in cell.classes {
                outcomes.add(RecordCode(rawValue: code).outcome, count)
            }
            return EvaluationRow(
                window: index.cells[number].window, group: index.cells[number].group,
                outcomes: outcomes, retried: cell.retried, attempts: cell.attempts,
                durations: cell.durations)
        }
    }

    var outcomeRows: [OutcomeRow] {
        index.sorted.flatMap { number in
            let (window, group) = index.cells[number]
            let counted = cells[number].classes.map {
                (found: RecordCode(rawValue: $0.code).outcomeClass, count: $0.count)
            }
            return counted.sorted { $0.found.columns.lexicographicallyPrecedes($1.found.columns) }
                .map {
                    OutcomeRow(
                        window: window, group: group, outcomeClass: $0.found,
                        evaluations: $0.count)
                }
        }
    }
}

extension OutcomeClass {
    /// The columns `outcome`, `reason` and `detail`; the reason is a skip's reason or a failure's
    /// error class.
    package var columns: [Name] {
        [
            Name(outcome.name.description),
            Name((reason?.name ?? error?.name)?.description ?? ""),
            Name(detail?.name.description ?? ""),
        ]
    }
}
