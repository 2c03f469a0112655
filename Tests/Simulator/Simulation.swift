// What tests and the program ask for: run the schedules of some seeds, and say which broke a promise.

import TestSupport

/// What came of one schedule.
package struct Outcome: Sendable {
    package let seed: UInt64
    /// What was promised and is not so; empty where all is well.
    package let problems: [String]
    package let tally: Tally
    /// What happened, line by line, where that was asked for.
    package let trace: [String]
}

/// Runs schedules, one after the other, on one thread.
package struct Simulation {
    /// What to type to see one schedule again.
    package static func command(replaying seed: UInt64) -> String {
        "make simulate SEED=\(seed) SCHEDULES=1"
    }

    private let stacks = StackPool()
    private let sabotage: Sabotage?

    /// - Parameter sabotage: What every process does wrong.
    package init(sabotage: Sabotage? = nil) { self.sabotage = sabotage }

    /// Runs the schedule of a seed, the same each time.
    package func run(_ seed: UInt64, isTraced: Bool = false) -> Outcome {
        let world = World(seed: seed, sabotage: sabotage, isTraced: isTraced, stacks: stacks)
        world.run()
        return Outcome(
            seed: seed, problems: world.problems, tally: world.tally, trace: world.trace)
    }
}
