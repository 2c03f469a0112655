// What has to be known about a whole log before its evaluations can be counted part by part.

import EvalogText

/// Gathered from shares by id: all that is not about impressions.
struct LogCensus {
    let rules: MetricsRules
    let grid: WindowGrid
    private(set) var verdicts = Verdicts()
    private(set) var groupTotals: [[Name]: Int] = [:]
    private var counts = QualityCounts()
    /// All facts but evaluations, once a share was added.
    private(set) var events: FactCollector?
    /// Rows of `events` whose evaluation is known and passes the filters.
    private var passingEvents = BitSet(count: 0)

    init(_ rules: MetricsRules, _ grid: WindowGrid) {
        self.rules = rules
        self.grid = grid
    }

    /// Takes the next share. The first one has the events, which are kept.
    mutating func add(_ sink: FactSink, threads: Int) {
        let evaluations = sink.evaluations
        if let found = sink.events {
            events = found
            passingEvents = BitSet(count: found.records.count)
            add(found, threads: threads)
            counts.lines.add(found.counts)
            counts.lines.add(evaluations.counts)
        }
        add(evaluations, threads: threads)
        evaluations.forEachConflict { id, digest in verdicts.digests[id] = digest }
        markEvents(evaluations)
    }

    private mutating func add(_ collector: FactCollector, threads: Int) {
        let plan = DimensionPlan(collector, rules)
        let census = collector.census(rules, plan, threads: threads)
        groupTotals.merge(census.groupTotals(collector, rules), uniquingKeysWith: +)
        counts.records += collector.recordCount
        counts.conflicts += collector.conflictCount
        counts.facts.merge(census.facts)
    }

    /// Notes which inferences name an evaluation of this share that passes.
    private mutating func markEvents(_ evaluations: FactCollector) {
        guard let events, !rules.filters.isEmpty else { return }
        let plan = DimensionPlan(evaluations, rules)
        for row in 0..<events.records.count {
            if Inferences.passes(row, events, namedIn: evaluations, plan) {
                passingEvents.insert(row)
            }
        }
    }

    /// The evaluations that are named by an `ai_suppressed`.
    var suppressedIDs: [UniqueID] { events?.suppressedIDs ?? [] }

    var inferences: Inferences {
        Inferences(events ?? FactCollector(), rules, grid) { row in
            rules.filters.isEmpty || passingEvents.contains(row)
        }
    }

    var quality: [QualityRow] { counts.rows }
    var facts: FactCounts { counts.facts }
}

/// Tallies of shares by key, added up.
struct PartTallies {
    private let census: LogCensus
    private let groups: Groups
    private var evaluations: EvaluationTally
    private var impressions: ImpressionTally

    init(_ census: LogCensus) {
        self.census = census
        groups = Groups(census.groupTotals, countMax: census.rules.groupCountMax)
        evaluations = EvaluationTally(groupCount: groups.names.count)
        impressions = ImpressionTally(groupCount: groups.names.count)
    }

    /// Counts the evaluations of a share, which is used up.
    mutating func add(_ collector: FactCollector, threads: Int) {
        let tallies = collector.tallies(
            census.rules, census.grid, groups, suppressed: census.suppressedIDs,
            threads: threads, isLast: true)
        evaluations.merge(tallies.evaluations)
        impressions.merge(tallies.impressions)
    }

    func tables(log: [QualityRow]) -> MetricsTables {
        MetricsTables(
            rules: census.rules, groups: groups, evaluations: evaluations,
            impressions: impressions, inferences: census.inferences,
            quality: census.quality + log, facts: census.facts)
    }
}
