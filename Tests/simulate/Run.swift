// Many schedules on several threads, and what is said about them.

import Dispatch
import Simulator
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Runs what was asked for.
final class Run: Sendable {
    /// Schedules whose problems are shown in full.
    private static let shownCount = 20
    /// Problems of one schedule that are shown.
    private static let problemCount = 5

    private struct State {
        var doneCount: UInt64 = 0
        var badCount = 0
        var tally = Tally()
        var saidAt: Int
    }

    private let request: Request
    private let next: Atomic<UInt64>
    private let state: Mutex<State>
    private let startedAt = time(nil)

    init(_ request: Request) {
        self.request = request
        next = Atomic(request.seed)
        state = Mutex(State(saidAt: time(nil)))
    }

    /// False where a schedule broke a promise.
    func perform() -> Bool {
        SeedOfCrash.watch()
        DispatchQueue.concurrentPerform(iterations: request.threadCount) { _ in work() }
        return state.withLock { state in
            if request.isTallied {
                for (event, count) in state.tally.counts.sorted(by: { $0.key < $1.key }) {
                    say("\(count)\t\(event)\n", to: 1)
                }
            }
            let seeds = "\(request.seed)...\(request.seed + request.scheduleCount - 1)"
            let verdict = state.badCount == 0 ? "all promises kept" : "\(state.badCount) broken"
            say(
                "simulate: \(state.doneCount) schedules, seeds \(seeds), in"
                    + " \(time(nil) - startedAt) s: \(verdict)\n", to: 1)
            return state.badCount == 0
        }
    }

    private func work() {
        let simulation = Simulation(sabotage: request.sabotage)
        while true {
            let seed = next.add(1, ordering: .relaxed).oldValue
            guard seed < request.seed + request.scheduleCount else { return }
            SeedOfCrash.current = seed
            let outcome = simulation.run(seed, isTraced: request.isTraced)
            state.withLock { report(outcome, &$0) }
        }
    }

    private func report(_ outcome: Outcome, _ state: inout State) {
        state.doneCount += 1
        state.tally.add(outcome.tally)
        for line in outcome.trace { say("\(line)\n", to: 1) }
        if !outcome.problems.isEmpty {
            state.badCount += 1
            if state.badCount <= Self.shownCount { show(outcome) }
        }
        let now = time(nil)
        if now - state.saidAt >= 10 {
            state.saidAt = now
            let rate = state.doneCount / UInt64(max(1, now - startedAt))
            say(
                "simulate: \(state.doneCount) of \(request.scheduleCount), \(rate) a second,"
                    + " \(state.badCount) broken\n", to: 2)
        }
    }

    private func show(_ outcome: Outcome) {
        say("seed \(outcome.seed) breaks a promise:\n", to: 1)
        for problem in outcome.problems.prefix(Self.problemCount) { say("  \(problem)\n", to: 1) }
        if outcome.problems.count > Self.problemCount {
            say("  and \(outcome.problems.count - Self.problemCount) more\n", to: 1)
        }
        say("  again: \(Simulation.command(replaying: outcome.seed))\n", to: 1)
    }
}

/// Says which schedule it was that crashed the program.
enum SeedOfCrash {
    /// Of the thread that asks.
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    static var current: UInt64 {
        get { UInt64(UInt(bitPattern: pthread_getspecific(key))) }
        set { pthread_setspecific(key, UnsafeRawPointer(bitPattern: UInt(newValue))) }
    }

    static func watch() {
        current = 0
        for number in [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGABRT] {
            signal(number) { number in
                say("simulate: seed \(SeedOfCrash.current) ends in signal \(number)\n", to: 2)
                say("  again: \(Simulation.command(replaying: SeedOfCrash.current))\n", to: 2)
                signal(number, SIG_DFL)
                raise(number)
            }
        }
    }
}
