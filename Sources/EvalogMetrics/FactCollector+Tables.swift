// From rows to tables: census, groups, evaluations, impressions, inferences, quality.

import EvalogText

extension FactCollector {
    /// The tables of all that was collected so far.
    ///
    /// Equal for equal lines and rules, whatever the order of arrival, the collectors and
    /// `threads`. While versions of a line are tied (``unresolvedTies(atMost:)``) the one of the
    /// least digest stands.
    ///
    /// - Parameters:
    ///   - rules: Known to be valid.
    ///   - threads: How many share the work, at least 1.
    ///   - log: Rows that follow those of `quality.csv`: what the reader knows about the log.
    ///   - isLast: Releases each column when it has been used for the last time. The collector must
    ///     not be used afterwards.
    func tables(
        _ rules: MetricsRules, _ grid: WindowGrid, threads: Int, log: () -> [QualityRow],
        isLast: Bool
    ) -> MetricsTables {
        let plan = DimensionPlan(self, rules)
        let census = census(rules, plan, threads: threads)
        let groups = Groups(census.groupTotals(self, rules), countMax: rules.groupCountMax)
        let inferences = Inferences(self, rules, grid) {
            rules.filters.isEmpty || Inferences.passes($0, self, namedIn: self, plan)
        }
        let counts = QualityCounts(
            lines: counts, records: recordCount, conflicts: conflictCount, facts: census.facts)
        let tallies = tallies(
            rules, grid, groups, suppressed: suppressedIDs, threads: threads, isLast: isLast)
        return MetricsTables(
            rules: rules, groups: groups, evaluations: tallies.evaluations,
            impressions: tallies.impressions, inferences: inferences,
            quality: counts.rows + log(), facts: census.facts)
    }

    func census(_ rules: MetricsRules, _ plan: DimensionPlan, threads: Int) -> RowCensus {
        let parts = inParallel(threads) {
            RowCensus(self, rules, plan, rows: part($0, of: threads, records.count))
        }
        return parts.reduce(into: RowCensus(combinationCount: dimensions.count)) { $0.merge($1) }
    }

    /// Counts evaluations, and folds them into impressions.
    ///
    /// - Parameter suppressed: The evaluations that are named by an `ai_suppressed`.
    func tallies(
        _ rules: MetricsRules, _ grid: WindowGrid, _ groups: Groups, suppressed: [UniqueID],
        threads: Int, isLast: Bool
    ) -> (evaluations: EvaluationTally, impressions: ImpressionTally) {
        let plan = DimensionPlan(self, rules)
        let groupNumbers = DimensionPlan.groupNumbers(self, rules, groups)
        let groupCount = groups.names.count
        let suppressedRows = rows(ofEvaluations: suppressed)
        if isLast {
            records.digests.release()
            index.release()
        }
        let fold = ImpressionFold(
            collector: self, rules: rules, plan: plan, groupNumbers: groupNumbers,
            suppressed: suppressedRows)
        let impressions = fold.tally(grid, groupCount: groupCount, threads: threads)
        if isLast { records.releaseKeys() }
        let evaluations = EvaluationTally(
            self, rules, plan, grid, groupNumbers: groupNumbers, groupCount: groupCount,
            threads: threads)
        if isLast { records.release() }
        return (evaluations, impressions)
    }

    /// The rows of those of the evaluations that have one.
    func rows(ofEvaluations ids: [UniqueID]) -> BitSet {
        var rows = BitSet(count: records.count)
        for id in ids {
            if let row = index.evaluation(id) { rows.insert(row) }
        }
        return rows
    }

    /// The evaluations that the distinct `ai_suppressed` facts name.
    var suppressedIDs: [UniqueID] {
        (0..<records.count).compactMap { row in
            guard records.bits[row].code == .suppression else { return nil }
            let payload = records.payloads[Int(records.sessions[row])]
            return payload.namesEvaluation ? payload.evaluation : nil
        }
    }

    /// Lines of a (type, id) whose bytes differ from those of the line that stays.
    var conflictCount: Int {
        (0..<claims.count).reduce(0) { sum, number in
            let claim = claims[number]
            return claim.digest == records.digests[Int(claim.row)]
                ? sum : sum + Int(claim.lineCount)
        }
    }

    /// Each evaluation that came in several versions, with the digest of the one that stays; some
    /// come more than once.
    func forEachConflict(_ body: (UniqueID, UInt64) -> Void) {
        for number in 0..<claims.count {
            let row = Int(claims[number].row)
            if records.bits[row].code.isEvaluation, claims[number].digest != records.digests[row] {
                body(records.id(row), records.digests[row])
            }
        }
    }
}

extension MetricsTables {
    init(
        rules: MetricsRules, groups: Groups, evaluations: EvaluationTally,
        impressions: ImpressionTally, inferences: Inferences, quality: [QualityRow],
        facts: FactCounts
    ) {
        self.init(
            rules: rules, groups: groups.names, evaluations: evaluations.evaluationRows,
            impressions: impressions.rows, outcomes: evaluations.outcomeRows,
            inferences: inferences.rows, inferenceValues: inferences.valueRows, quality: quality,
            timeRange: facts.timeRange, refused: facts.refusedInRange)
        testResultCount = facts.testResults
    }
}
