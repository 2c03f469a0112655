// Impressions counted per window and group of their first evaluation.

import EvalogFacts

/// One impression, as it stands once all its evaluations are known.
struct Impression {
    var evaluationCount: Int
    var outcome: Outcome
    /// Whether every evaluation is named by an `ai_suppressed`; nil outside the suppression usage.
    var isSuppressed: Bool?
}

/// Impressions of some rows, by cell.
struct ImpressionTally {
    private struct Cell {
        var outcomes = OutcomeCounts()
        var reEvaluations = 0
        var suppression: SuppressionCounts?
    }

    private var index: CellIndex
    private var cells: [Cell] = []

    init(groupCount: Int) {
        index = CellIndex(groupCount: groupCount)
    }

    mutating func add(_ window: TimeWindow, _ group: Int, _ impression: Impression) {
        let cell = index.number(window, group)
        if cell == cells.count { cells.append(Cell()) }
        cells[cell].outcomes.add(impression.outcome)
        cells[cell].reEvaluations += impression.evaluationCount - 1
        if let isSuppressed = impression.isSuppressed {
            var counts = cells[cell].suppression ?? SuppressionCounts()
            counts.suppressed += isSuppressed ? 1 : 0
            counts.notSuppressed += isSuppressed ? 0 : 1
            cells[cell].suppression = counts
        }
    }

    /// Adds what `other` counted; both number their groups alike.
    mutating func merge(_ other: Self) {
        for (place, cell) in zip(other.index.cells, other.cells) {
            let number = index.number(place.window, place.group)
            if number == cells.count {
                cells.append(cell)
                continue
            }
            cells[number].outcomes.add(cell.outcomes)
            cells[number].reEvaluations += cell.reEvaluations
            guard let added = cell.suppression else { continue }
            var counts = cells[number].suppression ?? SuppressionCounts()
            counts.suppressed += added.suppressed
            counts.notSuppressed += added.notSuppressed
            cells[number].suppression = counts
        }
    }

    var rows: [ImpressionRow] {
        index.sorted.map { number in
            let cell = cells[number]
            return ImpressionRow(
                window: index.cells[number].window, group: index.cells[number].group,
                outcomes: cell.outcomes, reEvaluations: cell.reEvaluations,
                suppression: cell.suppression)
        }
    }
}
