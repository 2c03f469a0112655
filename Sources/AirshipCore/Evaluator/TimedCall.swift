// One call of code that is not ours, a model's or a context provider's, waited for no longer than
// it may take, whatever it does meanwhile.

/// Calls on a thread of its own and returns at whatever comes first.
struct TimedCall<Value: Sendable>: Sendable {
    enum Ending: Sendable {
        case returned(Value)
        case threw(any Error)
        case timedOut
        /// The caller's task was cancelled.
        case cancelled
        /// Not begun: earlier calls that never returned have all the threads.
        case refused
    }

    struct Outcome: Sendable {
        let ending: Ending
        /// When it ended, by the clock of elapsed time: not when the caller found the time to look.
        let endedAt: Duration
        /// Whether the code was called at all; it may have waited for a thread until the end.
        let hasBegun: Bool
    }

    /// Who decided: the code's thread, or the alarm and the caller.
    private enum Phase {
        case waiting, running, returned, left
    }

    private let time: any TimeSource
    private let threads: CallThreads
    private let phase = Locked(Phase.waiting)
    private let outcome = Rendezvous<Outcome>()

    init(time: any TimeSource, threads: CallThreads) {
        self.time = time
        self.threads = threads
    }

    /// Calls once; a value of this type is for one call.
    ///
    /// The code's task is cancelled when it is no longer waited for. Code that ignores that keeps
    /// its thread until it returns, and what it returns goes nowhere.
    func run(
        within limit: Duration, _ body: @escaping @Sendable () async throws -> Value
    ) async -> Outcome {
        if threads.isStuck {
            return Outcome(ending: .refused, endedAt: time.elapsed, hasBegun: false)
        }
        let task = Task(executorPreference: threads) {
            guard begin() else { return }
            do {
                finish(.returned(try await body()))
            } catch {
                finish(.threw(error))
            }
        }
        let alarm = time.schedule(after: limit) { leave(.timedOut) }
        let first = await withTaskCancellationHandler {
            await outcome.value
        } onCancel: {
            leave(.cancelled)
        }
        alarm.cancel()
        task.cancel()
        return first
    }

    /// False when nobody waits any more.
    private func begin() -> Bool {
        phase.withLock { phase in
            guard phase == .waiting else { return false }
            phase = .running
            return true
        }
    }

    private func finish(_ ending: Ending) {
        // On the code's own thread: the caller's may be late.
        let endedAt = time.elapsed
        let isAwaited = phase.withLock { phase in
            guard phase == .running else { return false }
            phase = .returned
            return true
        }
        guard isAwaited else { return threads.strayed(by: -1) }
        outcome.settle(Outcome(ending: ending, endedAt: endedAt, hasBegun: true))
    }

    private func leave(_ ending: Ending) {
        let before = phase.withLock { phase in
            defer { if phase != .returned { phase = .left } }
            // Under the lock, so that it is counted before it can return.
            if phase == .running { threads.strayed(by: 1) }
            return phase
        }
        guard before == .waiting || before == .running else { return }
        outcome.settle(
            Outcome(ending: ending, endedAt: time.elapsed, hasBegun: before == .running))
    }
}
