// Work with code that is not ours, a model's or a context provider's, waited for no longer than it
// may take, whatever that code does meanwhile.

/// Works on a thread of its own and returns at whatever comes first. One value, one run.
struct TimedCall<Value: Sendable>: Sendable {
    enum Ending: Sendable {
        case returned(Value)
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
        /// How often the code was called: not at all if no thread was free until the end.
        let callCount: Int
    }

    /// Settles what the working thread, the alarm and the caller do at once.
    private enum Phase {
        case awaited(callCount: Int)
        case returned
        case left(isStray: Bool)
    }

    private let time: any TimeSource
    private let threads: CallThreads
    private let phase = Locked(Phase.awaited(callCount: 0))
    private let outcome = Rendezvous<Outcome>()

    init(time: any TimeSource, threads: CallThreads) {
        self.time = time
        self.threads = threads
    }

    /// Works once.
    ///
    /// The work's task is cancelled when it is no longer waited for. Code that ignores that keeps
    /// its thread until it returns, and what it returns goes nowhere.
    ///
    /// - Parameter work: Asks ``mayCall()`` before each call of the code.
    func run(
        within limit: Duration, _ work: @escaping @Sendable (Self) async -> Value
    ) async -> Outcome {
        if threads.isStuck {
            return Outcome(ending: .refused, endedAt: time.elapsed, callCount: 0)
        }
        let task = Task(executorPreference: threads) { finish(await work(self)) }
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

    /// Counts a call that is about to be made; false when nobody waits for it any more.
    func mayCall() -> Bool {
        phase.withLock { phase in
            guard case .awaited(let callCount) = phase else { return false }
            phase = .awaited(callCount: callCount + 1)
            return true
        }
    }

    private func finish(_ value: Value) {
        // On the work's own thread: the caller's may be late.
        let endedAt = time.elapsed
        let before = phase.withLock { phase in
            defer { if case .awaited = phase { phase = .returned } }
            return phase
        }
        switch before {
        case .awaited(let callCount):
            outcome.settle(
                Outcome(ending: .returned(value), endedAt: endedAt, callCount: callCount))
        case .left(isStray: true): threads.strayed(by: -1)
        case .left(isStray: false), .returned: break
        }
    }

    private func leave(_ ending: Ending) {
        let callCount: Int? = phase.withLock { phase in
            guard case .awaited(let callCount) = phase else { return nil }
            phase = .left(isStray: callCount > 0)
            // Under the lock, so that it is counted before it can return.
            if callCount > 0 { threads.strayed(by: 1) }
            return callCount
        }
        guard let callCount else { return }
        outcome.settle(Outcome(ending: ending, endedAt: time.elapsed, callCount: callCount))
    }
}
