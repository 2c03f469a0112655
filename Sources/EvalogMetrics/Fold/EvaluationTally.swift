// Evaluations counted per window and group. Tallies of parts merge into that of the whole.

import EvalogFacts
import EvalogText

/// What the rows of one cell in `evaluations.csv`, `outcomes.csv` and `durations.csv` need.
struct EvaluationCell {
    /// How often each code of an outcome came; few of them occur in one cell.
    private(set) var classes: [PackedCount] = []
    var retried = 0
    var attempts: UInt128 = 0
    var durations = Histogram()
    /// The greatest time.
    var latest = Int64.min

    @inline(__always)
    mutating func add(_ code: RecordCode, at time: Int64, attempts: Int, duration: UInt64?) {
        count(Int(code.rawValue), 1)
        latest = max(latest, time)
        if attempts > 1 { retried += 1 }
        self.attempts += UInt128(attempts)
        if let duration, attempts >= 1, code.outcome != .cancelled { durations.add(duration) }
    }

    mutating func merge(_ other: Self) {
        for counted in other.classes { count(counted.key, counted.count) }
        retried += other.retried
        attempts += other.attempts
        durations.merge(other.durations)
        latest = max(latest, other.latest)
    }

    @inline(__always)
    private mutating func count(_ code: Int, _ number: Int) {
        for place in classes.indices where classes[place].key == code {
            classes[place].add(number)
            return
        }
        classes.append(PackedCount(key: code, count: number))
    }
}

/// Evaluations by cell.
struct EvaluationTally {
    private var index: CellIndex
    private var cells: [EvaluationCell] = []

    init(groupCount: Int) {
        index = CellIndex(groupCount: groupCount)
    }

    /// All evaluations, counted by so many threads.
    ///
    /// Every thread goes through all rows but counts only its share of the cells: so no cell is
    /// there twice, and the histograms take the memory that they need once. To pass over a row
    /// costs a fifth of counting it. Shares of rows would save that, and lose more by merging
    /// their histograms, which takes as long as counting and grows with the threads.
    init(
        _ collector: FactCollector, _ rules: MetricsRules, _ plan: DimensionPlan,
        _ grid: WindowGrid, groupNumbers: [Int], groupCount: Int, threads: Int
    ) {
        var shares = inParallel(threads) { number in
            var tally = EvaluationTally(groupCount: groupCount)
            tally.count(
                collector, rules, plan, grid, groupNumbers, share: number, of: threads)
            return tally
        }
        // Nothing else may hold a tally while it is merged, or it would be copied.
        self = shares.removeFirst()
        while let share = shares.popLast() { merge(share) }
    }

    private mutating func count(
        _ collector: FactCollector, _ rules: MetricsRules, _ plan: DimensionPlan,
        _ grid: WindowGrid, _ groupNumbers: [Int], share: Int, of shareCount: Int
    ) {
        var grid = grid
        // Windows take turns, so that every share has some of the busiest group.
        var turn = (window: Int64.min, offset: 0)
        let records = collector.records
        let (bits, times, dimensions) = (records.bits, records.times, records.dimensions)
        for row in 0..<records.count {
            let found = bits[row]
            guard found.code.isEvaluation else { continue }
            let dimension = Int(dimensions[row])
            let time = times[row]
            guard plan.passes[dimension], plan.passes(found.code.outcome), rules.covers(time)
            else { continue }
            let window = grid.window(of: time)
            let group = groupNumbers[dimension]
            if window.start != turn.window { turn = (window.start, Self.turn(window)) }
            guard (group + turn.offset) % shareCount == share else { continue }
            let cell = index.number(window, group)
            if cell == cells.count { cells.append(EvaluationCell()) }
            cells[cell].add(
                found.code, at: time, attempts: collector.attempts(of: row, found),
                duration: found.duration)
        }
    }

    /// Shifts the shares of a window's cells against those of other windows.
    private static func turn(_ window: TimeWindow) -> Int {
        let hash = ByteHash.hash(high: UInt64(bitPattern: window.start), low: 0, salt: 0)
        return Int(hash & 0xFFFF)
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
            for counted in cell.classes {
                outcomes.add(RecordCode(counted).outcome, counted.count)
            }
            return EvaluationRow(
                window: index.cells[number].window, group: index.cells[number].group,
                outcomes: outcomes, retried: cell.retried, attempts: cell.attempts,
                durations: cell.durations, latest: cell.latest)
        }
    }

    var outcomeRows: [OutcomeRow] {
        index.sorted.flatMap { number in
            let (window, group) = index.cells[number]
            return cells[number].classes.sorted {
                Self.ranks[$0.key] < Self.ranks[$1.key]
            }.map {
                OutcomeRow(
                    window: window, group: group, outcomeClass: RecordCode($0).outcomeClass,
                    evaluations: $0.count)
            }
        }
    }

    /// The place of each code of an outcome in the order of the columns that it fills.
    private static let ranks: [Int] = {
        let columns = (0..<RecordCode.outcomeClassCount).map {
            RecordCode(rawValue: UInt8($0)).outcomeClass.columns
        }
        var ranks = [Int](repeating: 0, count: columns.count)
        let order = columns.indices.sorted {
            columns[$0].lexicographicallyPrecedes(columns[$1])
        }
        for (rank, code) in order.enumerated() { ranks[code] = rank }
        return ranks
    }()
}

extension RecordCode {
    /// The code that was counted.
    fileprivate init(_ counted: PackedCount) {
        self.init(rawValue: UInt8(counted.key))
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
