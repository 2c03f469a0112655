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
    ///   - isLast: Releases what only more lines would need, 18 bytes a row, before the fold. The
    ///     collector must not be used afterwards.
    /// - Throws: What ``MetricsRules/validate()`` throws; nothing has changed then.
    package func tables(
        _ rules: MetricsRules, threads: Int, log: [QualityRow] = [], isLast: Bool = false
    ) throws(MetricsError) -> MetricsTables {
        try rules.validate()
        let grid = try WindowGrid(rules.window, timeZone: rules.timeZone)
        let plan = DimensionPlan(self, rules)
        let census = census(rules, plan, threads: threads)
        let groups = Groups(census.groupTotals(self, rules), countMax: rules.groupCountMax)
        let inferences = Inferences(self, rules, plan, grid)
        let quality = quality(census) + log
        let fold = ImpressionFold(
            collector: self, rules: rules, plan: plan,
            groupNumbers: DimensionPlan.groupNumbers(self, rules, groups, isUsed: census.isUsed),
            suppressed: suppressedEvaluations())
        if isLast { releaseIdentities() }
        let (evaluations, impressions) = fold.tally(
            grid, groupCount: groups.names.count, threads: threads)
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

extension ImpressionFold {
    /// Evaluations and impressions of all rows.
    func tally(
        _ grid: WindowGrid, groupCount: Int, threads: Int
    ) -> (EvaluationTally, ImpressionTally) {
        let order = FoldOrder(collector, rules)
        let parts = inParallel(threads) { number in
            var evaluations = EvaluationTally(groupCount: groupCount)
            var impressions = ImpressionTally(groupCount: groupCount)
            countRows(
                part(number, of: threads, collector.records.count), grid, &evaluations,
                &impressions)
            fold(
                order, sessions: order.sessions(part: number, of: threads), grid: grid,
                into: &impressions)
            return (evaluations, impressions)
        }
        return parts.dropFirst().reduce(into: parts[0]) { sum, part in
            sum.0.merge(part.0)
            sum.1.merge(part.1)
        }
    }

    /// Counts the evaluations of some rows, and the impressions that need no fold.
    private func countRows(
        _ rows: Range<Int>, _ grid: WindowGrid, _ evaluations: inout EvaluationTally,
        _ impressions: inout ImpressionTally
    ) {
        var grid = grid
        let records = collector.records
        let (bits, times, dimensions) = (records.bits, records.times, records.dimensions)
        let (sessions, subjects) = (records.sessions, records.subjects)
        for row in rows {
            let found = bits[row]
            guard found.code.isEvaluation else { continue }
            let dimension = Int(dimensions[row])
            let time = times[row]
            guard plan.passes[dimension], rules.covers(time) else { continue }
            let window = grid.window(of: time)
            if plan.passes(found.code.outcome) {
                evaluations.add(
                    window, groupNumbers[dimension], found.code,
                    attempts: collector.attempts(of: row, found), duration: found.duration)
            }
            if sessions[row] == 0 || subjects[row] == 0 {
                countAlone(row, window, into: &impressions)
            }
        }
    }
}
