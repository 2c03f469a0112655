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
        #expect(found.onlyBaseline == ["c0"] && found.onlyCandidate == ["c0", "c3"])
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

    /// The least count that is exceeded in less than one of ten thousand draws of so many, each with that
    /// chance.
    private func bound(of count: Int, _ chance: Double) -> Int {
        var (mass, tail, hits) = (1.0, 0.0, 0)
        for _ in 0..<count { mass *= 1 - chance }
        while hits < count, 1 - (tail + mass) > 1e-4 {
            tail += mass
            mass *= chance / (1 - chance) * Double(count - hits) / Double(hits + 1)
            hits += 1
        }
        return hits
    }

    @Test("the bound of false alarms is that of tables of the binomial distribution")
    func bounds() {
        // 1 - P(X ≤ 20) of Binomial(200, 0.05) is 0.0005, 1 - P(X ≤ 23) is 0.00003.
        #expect((21...23).contains(bound(of: 200, 0.05)))
        #expect(bound(of: 10, 0) == 0)
    }

    @Test(
        "of 200 pairs of runs of one flaky model no more give a false alarm than the level says",
        arguments: [0.05, 0.2])
    func falseAlarms(level: Double) {
        var (alarms, uncorrected, differences) = (0, 0, 0)
        for seed in 1...200 as ClosedRange<UInt64> {
            var random = SplitMix64(seed: seed)
            let (before, after) = (flakyRun(using: &random), flakyRun(using: &random))
            let found = compare(before, after)
            if found.hasLoss(level: level) { alarms += 1 }
            if found.tasks.contains(where: {
                $0.pairs.onlyFirst > $0.pairs.onlySecond && $0.p <= level
            }) {
                uncorrected += 1
            }
            if found.tasks.contains(where: { !$0.newlyFailing.isEmpty }) { differences += 1 }
        }
        // An alarm is one of the two sides of the test.
        let bound = bound(of: 200, level / 2)
        #expect(alarms <= bound)
        #expect(alarms > 0)
        #expect(differences == 200)
        // The bound is one that a comparison without correction does not keep.
        #expect(uncorrected > alarms)
        if level > 0.1 { #expect(uncorrected > bound) }
    }

    @Test(
        "a task too small to tell a loss is known as such: by the cases that passed, and by how many tasks"
    )
    func tooSmall() throws {
        func task(_ passing: Int, of count: Int = 30, with others: Int = 0) throws -> TaskComparison
        {
            var run = outcomes((0..<count).map { $0 < passing })
            for number in 0..<others { run += outcomes([true], task: "u\(number)") }
            let found = compare(run, run)
            #expect(found.tasks.count == 1 + others)
            return try #require(found.tasks.first)
        }
        // All lost: p is 2/2⁵ or 2/2⁶.
        #expect(try abs(task(5).leastP - 0.0625) < 1e-12)
        #expect(try abs(task(6).leastP - 0.03125) < 1e-12)
        #expect(try task(5).isTooSmall(level: 0.05) && !task(6).isTooSmall(level: 0.05))
        #expect(try task(5, of: 5).isTooSmall(level: 0.05))
        #expect(try task(0).leastP == 1)
        // Of three tasks the corrected p is three times that: 6/64, 6/128.
        #expect(try task(6, with: 2).isTooSmall(level: 0.05))
        #expect(try !task(7, with: 2).isTooSmall(level: 0.05))
        // What is said to be too small is never an alarm, what is not can be one.
        for passing in 0...9 {
            let before = outcomes((0..<30).map { $0 < passing })
            let after = outcomes((0..<30).map { _ in false })
            let found = compare(before, after)
            #expect(found.hasLoss(level: 0.05) != found.tasks[0].isTooSmall(level: 0.05))
        }
    }

    @Test("progress is told for every resample, up to the end")
    func progress() {
        var random = SplitMix64(seed: 3)
        var told: [Int] = []
        let run = outcomes([true, false]) + outcomes([true, true], task: "u")
        _ = RunComparison(baseline: run, candidate: run, using: &random) { done, total in
            #expect(total == 2 * Bootstrap.resampleCount)
            told.append(done)
        }
        #expect(told == Array(1...2 * Bootstrap.resampleCount))
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
