// Comparisons of runs, and which run is which.

import EvalogText
import Statistics
import TestSets
import Testing

@Suite("Comparing runs") struct RunComparisonTests {
    private func outcomes(
        _ passes: [Bool], task: String = "t", from first: Int = 0, time: Double? = 1_000
    ) -> [CaseOutcome] {
        passes.enumerated().map { index, passes in
            CaseOutcome(
                task: task, id: "c\(first + index)", passes: passes,
                responseTime: time.map { $0 + Double(index) })
        }
    }

    private func compare(_ before: [CaseOutcome], _ after: [CaseOutcome]) -> RunComparison {
        var random = SplitMix64(seed: 3)
        return RunComparison(baseline: before, candidate: after, using: &random)
    }

    @Test("cases are paired by task and id, in whatever order; others are counted")
    func pairing() throws {
        let before = outcomes([true, true, false]) + outcomes([true], task: "u")
        let after = outcomes([false, true, true, true]).reversed() + outcomes([true], task: "v")
        let found = compare(before, Array(after))
        #expect(found.tasks.map(\.task) == ["t"])
        #expect(
            found.tasks[0].pairs
                == PairedCounts(both: 1, onlyFirst: 1, onlySecond: 1, neither: 0))
        #expect(found.tasks[0].newlyFailing == ["c0"] && found.tasks[0].newlyPassing == ["c2"])
        #expect(found.onlyBaseline == 1 && found.onlyCandidate == 2)
    }

    @Test("a run is no different from itself, in result and in time")
    func itself() throws {
        let run = outcomes((0..<40).map { $0 % 3 == 0 })
        let task = try #require(compare(run, run).tasks.first)
        #expect(task.p == 1 && task.newlyFailing.isEmpty && task.newlyPassing.isEmpty)
        #expect(task.responseTimeChange == 0)
        #expect(task.responseTimeInterval == Interval(low: 0, high: 0))
        #expect(!task.isLoss(level: 0.999))
    }

    @Test("a loss is one where more was lost than won, by more than chance over all tasks")
    func losses() throws {
        let passing = outcomes(Array(repeating: true, count: 30))
        let after = outcomes((0..<30).map { $0 >= 6 })
        // Six of six: p is 1/32.
        #expect(compare(passing, after).hasLoss(level: 0.05))
        #expect(!compare(after, passing).hasLoss(level: 0.05))
        // Of two tasks one such is no loss: corrected p is 1/16.
        let others = outcomes(Array(repeating: true, count: 30), task: "u")
        let two = compare(passing + others, after + others)
        #expect(abs(two.tasks[0].adjustedP - 0.0625) < 1e-12 && two.tasks[1].adjustedP == 1)
        #expect(!two.hasLoss(level: 0.05) && two.hasLoss(level: 0.07))
    }

    @Test("the change in response time is the median of the cases', within its interval")
    func times() throws {
        let before = outcomes(Array(repeating: true, count: 31), time: 10_000)
        let after = before.enumerated().map { index, outcome in
            var outcome = outcome
            outcome.responseTime = outcome.responseTime.map { $0 + Double(500 + index * 10) }
            return outcome
        }
        let task = try #require(compare(before, after).tasks.first)
        #expect(task.responseTimeChange == 650)
        let interval = try #require(task.responseTimeInterval)
        #expect(interval.low < 650 && interval.high > 650)
        #expect(interval.low >= 500 && interval.high <= 800)
        let untimed = compare(outcomes([true]), outcomes([true], time: nil)).tasks[0]
        #expect(untimed.responseTimeChange == nil && untimed.responseTimeInterval == nil)
    }

    /// A model that answers each case right with a chance of the case's own, in three tasks.
    private func flakyRun(using random: inout SplitMix64) -> [CaseOutcome] {
        ["a", "b", "c"].flatMap { task in
            (0..<40).map { number in
                let chance = UInt64(number % 10 + 1) * (UInt64.max / 11)
                return CaseOutcome(
                    task: task, id: "\(number)", passes: random.next() < chance, responseTime: nil)
            }
        }
    }

    @Test("of 200 pairs of runs of one flaky model at most the stated share gives a false alarm")
    func falseAlarms() {
        var (alarms, differences) = (0, 0)
        for seed in 1...200 as ClosedRange<UInt64> {
            var random = SplitMix64(seed: seed)
            let (before, after) = (flakyRun(using: &random), flakyRun(using: &random))
            let found = compare(before, after)
            if found.hasLoss(level: 0.05) { alarms += 1 }
            if found.tasks.contains(where: { !$0.newlyFailing.isEmpty }) { differences += 1 }
        }
        #expect(alarms <= 10)
        #expect(differences == 200)
    }

    @Test("a model that got worse is found in most of 200 pairs of runs")
    func power() {
        var alarms = 0
        for seed in 1...200 as ClosedRange<UInt64> {
            var random = SplitMix64(seed: seed)
            let before = flakyRun(using: &random)
            let after = flakyRun(using: &random).map { outcome in
                var outcome = outcome
                if random.next() < UInt64.max / 5 * 3 { outcome.passes = false }
                return outcome
            }
            if compare(before, after).hasLoss(level: 0.05) { alarms += 1 }
        }
        #expect(alarms > 150)
    }
}

@Suite("Which run is which") struct TestRunIdentityTests {
    private func identity(_ parts: [String], key: UInt8 = 1) -> TestRunIdentity {
        TestRunIdentity(
            key: Array(repeating: key, count: 32), parts: parts.map { Array($0.utf8) })
    }

    @Test("ids follow from what is run, and from nothing else")
    func ids() {
        let first = identity(["mail", "cases"])
        #expect(first.run(0) == identity(["mail", "cases"]).run(0))
        #expect(first.run(0) != first.run(1))
        #expect(first.run(0) != identity(["mailc", "ases"]).run(0))
        #expect(first.run(0) != identity(["mail", "cases"], key: 2).run(0))
        let results = Set(
            (0..<3).flatMap { number in
                (1...3).map { first.result(first.run(0), "c\(number)", repetition: $0) }
            })
        #expect(results.count == 9)
    }

    @Test("a plan goes on with the newest run that is not complete, and never with an older one")
    func plans() throws {
        let suite = try CaseLines.suite((0..<3).map { CaseLines.line("c\($0)") })
        let identity = identity(["x"])
        var done: Set<UniqueID> = []
        let first = TestPlan(suite, repeats: 2, identity) { done.contains($0) }
        #expect(first.jobs.count == 6 && first.doneCount == 0)
        #expect(first.jobs.map(\.repetition) == [1, 1, 1, 2, 2, 2])
        done.formUnion(first.jobs.prefix(4).map(\.result))
        let second = TestPlan(suite, repeats: 2, identity) { done.contains($0) }
        #expect(second.run == first.run && second.doneCount == 4)
        #expect(second.jobs == Array(first.jobs.suffix(2)))
        done.formUnion(first.jobs.map(\.result))
        let third = TestPlan(suite, repeats: 2, identity) { done.contains($0) }
        #expect(third.run != first.run && third.jobs.count == 6)
        // A result of the first run is erased, which makes no room for an answer of today.
        done.insert(third.jobs[0].result)
        done.remove(first.jobs[5].result)
        let fourth = TestPlan(suite, repeats: 2, identity) { done.contains($0) }
        #expect(fourth.run == third.run && fourth.doneCount == 1)
        done.formUnion(third.jobs.map(\.result))
        let fifth = TestPlan(suite, repeats: 2, identity) { done.contains($0) }
        #expect(![first.run, third.run].contains(fifth.run) && fifth.doneCount == 0)
    }
}
