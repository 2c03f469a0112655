// Schedules of the fault simulator: all that the log promises holds in each, and what would break a promise
// is found. `make simulate` runs many more, optimised.

import Simulator
import TestSupport
import Testing

@Suite("The fault simulator") struct ScheduleTests {
    /// Schedules of each test case; all of them run one after the other.
    private static let batch: UInt64 = 50

    @Test(
        "finds every promise kept, whatever fails, is killed or loses power",
        arguments: Array(stride(from: 1, to: 501, by: 50)) as [UInt64])
    func promises(from seed: UInt64) {
        let simulation = Simulation()
        for seed in seed..<seed + Self.batch {
            let outcome = simulation.run(seed)
            #expect(
                outcome.problems.isEmpty, "again: \(Simulation.command(replaying: seed))")
        }
    }

    @Test("makes everything go wrong that may go wrong, and does everything that may be done")
    func variety() {
        let simulation = Simulation()
        let works = ["prune", "drop", "finish", "compact", "merge"].map { "segment to \($0)" }
        let events =
            ["line erased", "line refused", "segment copied", "delivery refused"] + works
            + ["writer", "maintainer", "eraser", "follower", "reader", "copier"].map {
                "\($0) killed"
            } + Accident.allCases.map(\.rawValue)
        var missing = Set(events)
        // The first of those that are run each time.
        for seed in 1...500 where !missing.isEmpty {
            missing.subtract(simulation.run(UInt64(seed)).tally.counts.filter { $1 > 0 }.keys)
        }
        #expect(missing.isEmpty)
    }

    @Test("runs a seed the same way each time", arguments: [7, 8, 9] as [UInt64])
    func replays(seed: UInt64) {
        let first = Simulation().run(seed, isTraced: true)
        let simulation = Simulation()
        _ = simulation.run(seed + 1)
        let again = simulation.run(seed, isTraced: true)
        #expect(first.trace == again.trace && !first.trace.isEmpty)
        #expect(first.tally == simulation.run(seed).tally)
    }

    @Test("runs a seed the same way in another process, whatever hashes there are")
    func replaysElsewhere() throws {
        let words = [
            BuiltProgram.path(of: "simulate"), "--seed", "12", "--schedules", "1", "--trace",
        ]
        let first = try #require(Subprocess(words))
        let second = try #require(Subprocess(words))
        #expect(first.status == 0 && first.output.utf8.count > 10_000)
        // But for how long it took.
        #expect(
            first.output.split(separator: "\n").dropLast()
                == second.output.split(separator: "\n").dropLast())
    }

    @Test(
        "finds what each kind of wrong does, and says by which seed", arguments: Sabotage.allCases)
    func sabotage(kind: Sabotage) {
        let simulation = Simulation(sabotage: kind)
        let found = (UInt64(1)...600).first { !simulation.run($0).problems.isEmpty }
        #expect(found != nil)
    }
}
