// What is going on, by usage and model, in memory that does not grow with the log: counts in slices
// of time instead of facts.

package import EvalogFacts
import EvalogText

/// What a live view tells apart.
package struct LiveGroup: Hashable, Comparable, Sendable {
    package var usage: String
    /// Empty where no model was asked.
    package var model: String

    package init(usage: String, model: String) {
        self.usage = usage
        self.model = model
    }

    /// All groups that came when there were too many.
    package static let rest = Self(usage: "(other)", model: "(other)")

    package static func < (left: Self, right: Self) -> Bool {
        (Name(left.usage), Name(left.model)) < (Name(right.usage), Name(right.model))
    }
}

/// Counts the evaluations of the last 24 h as they come in.
///
/// Each is counted in a slice of 15 min and, while it is recent, in one of 10 s: at most 97 and 97
/// slices of 65 groups, whatever comes in. Unlike the tables it counts the first line of an id that
/// it meets, and recognises duplicates only among the newest evaluations. Filters act on each
/// evaluation.
package struct LiveTable: Sendable {
    private let filters: FactFilters
    private var fine = LiveSlices(
        width: MetricsLimits.liveFineSlice, span: MetricsLimits.liveFineSpan)
    private var coarse = LiveSlices(
        width: MetricsLimits.liveCoarseSlice, span: MetricsLimits.liveHorizon)
    private var recent = RecentIDs()
    /// When each class of failure came last, by group.
    private var failures: [LiveGroup: [UInt8: Int64]] = [:]
    /// Time of the newest evaluation that counted, in µs.
    package private(set) var newest: Int64?
    /// Evaluations that came more than 24 h after they happened, and do not count.
    package private(set) var lateCount = 0
    /// Evaluations of clocks that run ahead by more than a minute, which do not count.
    package private(set) var aheadCount = 0
    /// Lines that no decoder could read.
    package private(set) var unreadableCount = 0

    /// A table of nothing.
    package init(_ filters: FactFilters = FactFilters()) {
        self.filters = filters
    }

    /// Cells in use: what memory grows with, at most ``cellCountMax``.
    package var cellCount: Int { fine.cellCount + coarse.cellCount }
    /// Slices that can be in use at once, times the groups.
    package static let cellCountMax =
        (Int(MetricsLimits.liveFineSpan / MetricsLimits.liveFineSlice) + 8
            + Int(MetricsLimits.liveHorizon / MetricsLimits.liveCoarseSlice) + 2)
        * (MetricsLimits.liveGroupCount + 1)

    /// Counts one line. `view` is used during the call only.
    ///
    /// - Parameters:
    ///   - now: The present, in µs.
    ///   - isHistory: Whether the line was in the log before the view began: then it is not late.
    package mutating func add(_ view: borrowing FactView, now: Int64, isHistory: Bool = false) {
        guard view.kind == .evaluation else { return }
        let group = LiveGroup(
            usage: String(decoding: view.usage, as: UTF8.self),
            model: String(decoding: view.model, as: UTF8.self))
        guard passes(view, group) else { return }
        guard recent.insert(view.id) else { return }
        guard view.time >= now - MetricsLimits.liveHorizon else {
            if !isHistory { lateCount += 1 }
            return
        }
        guard view.time <= now + MetricsLimits.liveLead else {
            aheadCount += 1
            return
        }
        advance(to: now)
        count(view, group)
    }

    /// Takes note of a line that no decoder could read.
    package mutating func countUnreadable() { unreadableCount += 1 }

    /// Forgets what is older than the horizon.
    package mutating func advance(to now: Int64) {
        fine.advance(to: now)
        if coarse.advance(to: now) {
            failures = failures.filter { coarse.contains($0.key) }
        }
    }

    private func passes(_ view: borrowing FactView, _ group: LiveGroup) -> Bool {
        guard !filters.isEmpty else { return true }
        let system = String(decoding: view.os, as: UTF8.self)
        let outcome = view.outcome
        func allows<Value>(_ values: Set<Value>, _ value: Value) -> Bool {
            values.isEmpty || values.contains(value)
        }
        return allows(filters.usages, group.usage) && allows(filters.models, group.model)
            && allows(filters.systems, system) && allows(filters.outcomes, outcome)
    }

    private mutating func count(_ view: borrowing FactView, _ named: LiveGroup) {
        let isKept =
            coarse.contains(named) || coarse.groupCount < MetricsLimits.liveGroupCount
        let group = isKept ? named : .rest
        let code = RecordCode(view)
        let bits = RecordBits(view)
        newest = max(newest ?? .min, view.time)
        coarse.add(group, view.time, code, Int(view.attempts), bits.duration)
        fine.add(group, view.time, code, Int(view.attempts), bits.duration)
        if code.outcome == .failed {
            let last = failures[group]?[code.rawValue] ?? .min
            failures[group, default: [:]][code.rawValue] = max(last, view.time)
        }
    }

    /// What happened in the last stretch of time.
    ///
    /// - Parameters:
    ///   - length: In µs; reaches back to the beginning of the slice of 10 s, beyond 15 min of the
    ///     slice of 15 min, in which it begins.
    ///   - now: The present, in µs.
    package func summary(last length: Int64, now: Int64) -> LiveSummary {
        let slices = length <= MetricsLimits.liveFineSpan ? fine : coarse
        let start = slices.start(of: now - length)
        let rows = slices.cells(since: start).map { group, cell in
            LiveRow(group: group, cell: cell, latestFailures: failures[group] ?? [:])
        }
        return LiveSummary(
            start: start, seconds: Double(now - start) / 1_000_000,
            rows: rows.sorted { $0.group < $1.group })
    }
}

/// Cells by slice of time and group.
private struct LiveSlices: Sendable {
    private let width: Int64
    private let span: Int64
    private var slices: [Int64: [LiveGroup: EvaluationCell]] = [:]
    /// In how many slices each group is.
    private var uses: [LiveGroup: Int] = [:]
    private var oldest = Int64.min

    init(width: Int64, span: Int64) {
        self.width = width
        self.span = span
    }

    var cellCount: Int { uses.values.reduce(0, +) }

    /// Groups in use, that of the rest aside.
    var groupCount: Int { uses.count - (uses[.rest] == nil ? 0 : 1) }

    func contains(_ group: LiveGroup) -> Bool { uses[group] != nil }

    func start(of time: Int64) -> Int64 { Timestamp.floorDivide(time, width) * width }

    mutating func add(
        _ group: LiveGroup, _ time: Int64, _ code: RecordCode, _ attempts: Int, _ duration: UInt64?
    ) {
        let start = start(of: time)
        guard start >= oldest else { return }
        if slices[start]?[group] == nil { uses[group, default: 0] += 1 }
        slices[start, default: [:]][group, default: EvaluationCell()]
            .add(code, at: time, attempts: attempts, duration: duration)
    }

    /// Forgets the slices that ended before the span; whether there were any.
    @discardableResult
    mutating func advance(to now: Int64) -> Bool {
        let first = start(of: now - span)
        guard first > oldest else { return false }
        oldest = first
        var isChanged = false
        for start in slices.keys where start < first {
            isChanged = true
            for group in slices.removeValue(forKey: start)?.keys ?? [:].keys {
                let count = uses[group] ?? 0
                uses[group] = count > 1 ? count - 1 : nil
            }
        }
        return isChanged
    }

    func cells(since first: Int64) -> [LiveGroup: EvaluationCell] {
        var sums: [LiveGroup: EvaluationCell] = [:]
        for (start, groups) in slices where start >= first {
            for (group, cell) in groups { sums[group, default: EvaluationCell()].merge(cell) }
        }
        return sums
    }
}

/// The newest ids, between one and two times ``MetricsLimits/liveIdentityCount`` of them.
private struct RecentIDs: Sendable {
    private var newer: Set<UniqueID> = []
    private var older: Set<UniqueID> = []

    /// Whether an id is new.
    mutating func insert(_ id: UniqueID) -> Bool {
        guard !older.contains(id), newer.insert(id).inserted else { return false }
        if newer.count >= MetricsLimits.liveIdentityCount {
            older = newer
            newer = []
        }
        return true
    }
}
