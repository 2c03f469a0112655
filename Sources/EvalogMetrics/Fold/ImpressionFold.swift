// Folds evaluations into impressions: section "impressions" of docs/metrics.md.

import EvalogFacts

/// All that is needed to fold any part of the sessions; only read while it runs.
struct ImpressionFold {
    let collector: FactCollector
    let rules: MetricsRules
    let plan: DimensionPlan
    let groupNumbers: [Int]
    /// Evaluations that an `ai_suppressed` names.
    let suppressed: BitSet

    /// An evaluation on its way through the sort.
    struct Item {
        /// Subject and usage: equal for equal keys, as the session is.
        var key: UInt64
        var time: Int64
        var row: Int
    }

    /// All impressions, counted by so many threads.
    func tally(_ grid: WindowGrid, groupCount: Int, threads: Int) -> ImpressionTally {
        let order = FoldOrder(collector, rules)
        let parts = inParallel(threads) { number in
            var tally = ImpressionTally(groupCount: groupCount)
            var grid = grid
            countUnkeyed(part(number, of: threads, collector.records.count), &grid, &tally)
            fold(order, order.sessions(part: number, of: threads), &grid, &tally)
            return tally
        }
        return parts.dropFirst().reduce(into: parts[0]) { $0.merge($1) }
    }

    /// Counts the evaluations without subject or session, impressions of their own.
    private func countUnkeyed(
        _ rows: Range<Int>, _ grid: inout WindowGrid, _ tally: inout ImpressionTally
    ) {
        let records = collector.records
        let (bits, times, dimensions) = (records.bits, records.times, records.dimensions)
        let (sessions, subjects) = (records.sessions, records.subjects)
        for row in rows {
            let code = bits[row].code
            guard code.isEvaluation, sessions[row] == 0 || subjects[row] == 0 else { continue }
            let dimension = Int(dimensions[row])
            guard plan.passes[dimension], plan.passes(code.outcome), rules.covers(times[row])
            else { continue }
            tally.add(
                grid.window(of: times[row]), groupNumbers[dimension],
                Impression(
                    evaluationCount: 1, outcome: code.outcome,
                    isSuppressed: plan.isSuppression[dimension] ? suppressed.contains(row) : nil))
        }
    }

    /// Counts the impressions of some sessions.
    private func fold(
        _ order: FoldOrder, _ sessions: Range<Int>, _ grid: inout WindowGrid,
        _ tally: inout ImpressionTally
    ) {
        forEachImpression(order, sessions) { items, _ in
            guard let impression = impression(items) else { return }
            let first = items[items.startIndex]
            tally.add(
                grid.window(of: first.time),
                groupNumbers[Int(collector.records.dimensions[first.row])], impression)
        }
    }

    /// Calls `body` with the evaluations of each impression of some sessions, in order, and with the
    /// last one of the impression before that has the same key.
    @inline(__always)
    func forEachImpression(
        _ order: FoldOrder, _ sessions: Range<Int>,
        _ body: (_ items: ArraySlice<Item>, _ previous: Item?) -> Void
    ) {
        var items: [Item] = []
        for session in sessions {
            items.removeAll(keepingCapacity: true)
            for place in Int(order.starts[session])..<Int(order.starts[session + 1]) {
                items.append(item(Int(order.rows[place])))
            }
            sort(&items)
            var start = 0
            while start < items.count {
                let end = endOfImpression(items, from: start)
                let hasPrevious = start > 0 && items[start - 1].key == items[start].key
                body(items[start..<end], hasPrevious ? items[start - 1] : nil)
                start = end
            }
        }
    }

    func item(_ row: Int) -> Item {
        let dimension = collector.dimensions[Int(collector.records.dimensions[row])]
        return Item(
            key: UInt64(collector.records.subjects[row]) << 32 | UInt64(dimension.usage),
            time: collector.records.times[row], row: row)
    }

    private func sort(_ items: inout [Item]) {
        guard items.count <= 24 else {
            items.sort(by: precedes)
            return
        }
        for place in items.indices.dropFirst() {
            let item = items[place]
            var free = place
            while free > 0, precedes(item, items[free - 1]) {
                items[free] = items[free - 1]
                free -= 1
            }
            items[free] = item
        }
    }

    @inline(__always)
    private func precedes(_ left: Item, _ right: Item) -> Bool {
        if left.key != right.key { return left.key < right.key }
        if left.time != right.time { return left.time < right.time }
        return collector.records.id(left.row) < collector.records.id(right.row)
    }

    private func endOfImpression(_ items: [Item], from start: Int) -> Int {
        let gap = gap(of: items[start])
        var end = start + 1
        while end < items.count, items[end].key == items[start].key,
            Self.joins(items[end], after: items[end - 1], of: items[start], gap: gap)
        {
            end += 1
        }
        return end
    }

    /// The pause that its key may have within an impression, in µs.
    func gap(of item: Item) -> Int64 { plan.gaps[Int(collector.records.dimensions[item.row])] }

    /// Whether an evaluation belongs to the impression that `first` began and `previous`, of the
    /// same key, is the last of.
    @inline(__always)
    private static func joins(
        _ item: Item, after previous: Item, of first: Item, gap: Int64
    ) -> Bool {
        gap > 0 && item.time - previous.time <= gap
            && item.time - first.time < MetricsLimits.impressionSpan
    }

    /// What the evaluations of an impression, in order, come to; nil if the rules leave it out.
    func impression(_ items: ArraySlice<Item>) -> Impression? {
        guard let first = items.first else { return nil }
        let dimension = Int(collector.records.dimensions[first.row])
        guard plan.passes[dimension], rules.covers(first.time) else { return nil }
        var outcome = Outcome.cancelled
        var isSuppressed = true
        for item in items {
            let found = collector.records.bits[item.row].code.outcome
            if found != .cancelled { outcome = found }
            isSuppressed = isSuppressed && suppressed.contains(item.row)
        }
        guard plan.passes(outcome) else { return nil }
        return Impression(
            evaluationCount: items.count, outcome: outcome,
            isSuppressed: plan.isSuppression[dimension] ? isSuppressed : nil)
    }
}
