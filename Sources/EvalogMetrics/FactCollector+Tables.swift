// From rows to tables: census, groups, evaluations, impressions, inferences, quality.

extension FactCollector {
    /// The tables of all that was collected so far.
    ///
    /// Equal for equal lines and rules, whatever the order of arrival, the collectors and `threads`.
    /// While versions of a line are tied (``unresolvedTies(atMost:)``) the one of the least digest
    /// stands.
    ///
    /// - Parameters:
    ///   - threads: How many share the work, at least 1.
    ///   - log: Rows that follow those of `quality.csv`: what the reader knows about the log.
    ///   - isLast: Releases each column when it has been used for the last time. The collector must
    ///     not be used afterwards.
    /// - Throws: What ``MetricsRules/validate()`` throws; nothing has changed then.
    package func tables(
        _ rules: MetricsRules, threads: Int, log: [QualityRow] = [], isLast: Bool = false
    ) throws(MetricsError) -> MetricsTables {
        try rules.validate()
        let grid = try WindowGrid(rules.window, timeZone: rules.timeZone)
        let plan = DimensionPlan(self, rules)
        let census = census(rules, plan, threads: threads)
        let groups = Groups(census.groupTotals(self, rules), countMax: rules.groupCountMax)
        let groupNumbers = DimensionPlan.groupNumbers(self, rules, groups, isUsed: census.isUsed)
        let groupCount = groups.names.count
        let inferences = Inferences(self, rules, plan, grid)
        let quality = quality(census) + log
        let fold = ImpressionFold(
            collector: self, rules: rules, plan: plan, groupNumbers: groupNumbers,
            suppressed: suppressedEvaluations())
        if isLast { releaseIdentities() }
        let impressions = fold.tally(grid, groupCount: groupCount, threads: threads)
        if isLast { records.releaseKeys() }
        let evaluations = EvaluationTally(
            self, rules, plan, grid, groupNumbers: groupNumbers, groupCount: groupCount,
            threads: threads)
        if isLast { records.release() }
        return MetricsTables(
            rules: rules, groups: groups.names, evaluations: evaluations.evaluationRows,
            impressions: impressions.rows, outcomes: evaluations.outcomeRows,
            inferences: inferences.rows, inferenceValues: inferences.valueRows, quality: quality,
            timeRange: census.timeRange)
    }

    private func census(
        _ rules: MetricsRules, _ plan: DimensionPlan, threads: Int
    ) -> RowCensus {
        let parts = inParallel(threads) {
            RowCensus(self, rules, plan, rows: part($0, of: threads, records.count))
        }
        return parts.reduce(into: RowCensus(combinationCount: dimensions.count)) { $0.merge($1) }
    }

    /// Rows of evaluations that a distinct `ai_suppressed` names.
    private func suppressedEvaluations() -> BitSet {
        var rows = BitSet(count: records.count)
        for row in 0..<records.count where records.bits[row].code == .suppression {
            let payload = records.payloads[Int(records.sessions[row])]
            if payload.namesEvaluation, let named = index.evaluation(payload.evaluation) {
                rows.insert(named)
            }
        }
        return rows
    }

    private func quality(_ census: RowCensus) -> [QualityRow] {
        [
            QualityRow("lines", Int128(counts.lines)),
            QualityRow("records", Int128(recordCount)),
            QualityRow("duplicates", Int128(duplicateCount)),
            QualityRow("conflicts", Int128(conflictCount)),
            QualityRow("evaluations", Int128(census.evaluations)),
            QualityRow("unkeyed", Int128(census.unkeyed)),
            QualityRow("invalid_durations", Int128(census.invalidDurations)),
            QualityRow("undecoded", Int128(census.undecoded)),
            QualityRow("assumed_times", Int128(census.assumedTimes)),
            QualityRow("misfit_values", Int128(counts.misfits)),
            QualityRow("unreadable_lines", Int128(counts.unreadable)),
            QualityRow("unknown_type_lines", Int128(counts.unknownType)),
            QualityRow("refused", census.refused),
        ]
    }

    /// Lines of a (type, id) whose bytes differ from those of the line that stays.
    var conflictCount: Int {
        (0..<claims.count).reduce(0) { sum, number in
            let claim = claims[number]
            return claim.digest == records.digests[Int(claim.row)]
                ? sum : sum + Int(claim.lineCount)
        }
    }

    private func releaseIdentities() {
        records.digests.release()
        index.release()
    }
}
