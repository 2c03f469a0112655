// Two runs of a suite, case by case: is the second one worse by more than chance?

package import Statistics

/// What came of a case in one run.
package struct CaseOutcome: Hashable, Sendable {
    package var task: String
    package var id: String
    package var passes: Bool
    /// In µs, the median where it was asked several times; nil without an answer.
    package var responseTime: Double?

    package init(task: String, id: String, passes: Bool, responseTime: Double?) {
        self.task = task
        self.id = id
        self.passes = passes
        self.responseTime = responseTime
    }
}

/// The cases of a task that both runs have.
package struct TaskComparison: Hashable, Sendable {
    package var task: String
    package var pairs: PairedCounts
    /// Ids of cases, as bytes in order.
    package var newlyFailing: [String]
    package var newlyPassing: [String]
    /// McNemar's exact p, two-sided.
    package var p: Double
    /// The same, corrected for the number of tasks.
    package var adjustedP: Double
    /// Candidate less baseline, the median over the cases with both, in µs.
    package var responseTimeChange: Double?
    /// Its bootstrap interval; nil for less than two cases.
    package var responseTimeInterval: Interval?

    /// The least p of a loss, corrected for the number of tasks: if all cases that the baseline passes were
    /// lost, none was won, and no other task had changed.
    package var leastP: Double

    /// No loss could be told at that level.
    package func isTooSmall(level: Double) -> Bool { leastP > level }

    /// More cases were lost than won, by more than chance.
    package func isLoss(level: Double) -> Bool {
        pairs.onlyFirst > pairs.onlySecond && adjustedP <= level
    }
}

/// A baseline and a candidate, task by task.
package struct RunComparison: Hashable, Sendable {
    /// By name.
    package var tasks: [TaskComparison]
    /// Ids of cases that only the baseline has, and only the candidate, as bytes in order.
    package var onlyBaseline: [String]
    package var onlyCandidate: [String]

    /// - Parameters:
    ///   - baseline: Cases unique by task and id; the same for the candidate.
    ///   - random: Draws the cases of the bootstrap.
    ///   - progress: Told how many tasks' response times have been resampled how often, of so many.
    package init(
        baseline: [CaseOutcome], candidate: [CaseOutcome],
        using random: inout some RandomNumberGenerator,
        progress: (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) {
        func keyed(_ outcomes: [CaseOutcome]) -> [String: [String: CaseOutcome]] {
            Dictionary(grouping: outcomes, by: \.task).mapValues { group in
                Dictionary(group.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
            }
        }
        let (before, after) = (keyed(baseline), keyed(candidate))
        func only(
            _ ours: [String: [String: CaseOutcome]], _ theirs: [String: [String: CaseOutcome]]
        ) -> [String] {
            ours.flatMap { name, cases in cases.keys.filter { theirs[name]?[$0] == nil } }
                .sorted(by: Self.precedes)
        }
        var tasks: [TaskComparison] = []
        let total = before.count * Bootstrap.resampleCount
        for (number, (name, cases)) in before.sorted(by: { Self.precedes($0.key, $1.key) })
            .enumerated()
        {
            let pairs = cases.values.compactMap { first in
                after[name]?[first.id].map { (first, $0) }
            }.sorted { Self.precedes($0.0.id, $1.0.id) }
            guard !pairs.isEmpty else { continue }
            tasks.append(
                TaskComparison(name, pairs, using: &random) { done in
                    progress(number * Bootstrap.resampleCount + done, total)
                })
        }
        let adjusted = ManyTests.holm(tasks.map(\.p))
        for index in tasks.indices {
            tasks[index].adjustedP = adjusted[index]
            tasks[index].leastP = min(1, tasks[index].leastP * Double(tasks.count))
        }
        self.tasks = tasks
        onlyBaseline = only(before, after)
        onlyCandidate = only(after, before)
    }

    /// Whether any task got worse by more than chance: at most in that share of all comparisons of
    /// runs that are alike, however many tasks there are.
    package func hasLoss(level: Double) -> Bool { tasks.contains { $0.isLoss(level: level) } }

    private static func precedes(_ left: String, _ right: String) -> Bool {
        left.utf8.lexicographicallyPrecedes(right.utf8)
    }
}

extension TaskComparison {
    fileprivate init(
        _ task: String, _ cases: [(CaseOutcome, CaseOutcome)],
        using random: inout some RandomNumberGenerator, resampled: (Int) -> Void
    ) {
        self.task = task
        pairs = PairedCounts()
        newlyFailing = []
        newlyPassing = []
        for (first, second) in cases {
            pairs.add(first: first.passes, second: second.passes)
            if first.passes, !second.passes { newlyFailing.append(first.id) }
            if !first.passes, second.passes { newlyPassing.append(first.id) }
        }
        p = pairs.exactP
        adjustedP = p
        let passing = pairs.both + pairs.onlyFirst
        leastP = PairedCounts(both: 0, onlyFirst: passing, onlySecond: 0, neither: 0).exactP
        let changes = cases.compactMap { first, second -> Double? in
            guard let before = first.responseTime, let after = second.responseTime else {
                return nil
            }
            return after - before
        }
        responseTimeChange = median(changes)
        var resampleCount = 0
        responseTimeInterval = Bootstrap.interval(of: changes.count, using: &random) { drawn in
            resampleCount += 1
            resampled(resampleCount)
            return median(drawn.map { changes[$0] }) ?? 0
        }
    }
}
