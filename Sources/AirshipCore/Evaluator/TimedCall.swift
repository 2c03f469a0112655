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
        /// The caller is gone; the code was called, has not returned, and still has time.
        case left
        /// The code was called and had to return, and has not.
        case overdue
        case over
    }

    private let time: any TimeSource
    private let threads: CallThreads
    private let phase = Locked(Phase.awaited(callCount: 0))
    private let alarm = Locked<(any Alarm)?>(nil)
    private let outcome = Rendezvous<Outcome>()

    init(time: any TimeSource, threads: CallThreads) {
        self.time = time
        self.threads = threads
    }

    /// Works once.
    ///
    /// The work's task is cancelled when it is no longer waited for. Code that ignores that keeps
    /// its thread until it returns, and what it returns goes nowhere; once the limit is over it counts
    /// as a stray of its threads, also when the caller was gone before.
    ///
    /// - Parameter work: Asks ``mayCall()`` before each call of the code.
    func run(
        within limit: Duration, _ work: @escaping @Sendable (Self) async -> Value
    ) async -> Outcome {
        if threads.isStuck {
            return Outcome(ending: .refused, endedAt: time.elapsed, callCount: 0)
        }
        let limitAlarm = time.schedule(after: limit) { runOut() }
        alarm.withLock { $0 = limitAlarm }
        let task = Task(executorPreference: threads) { finish(await work(self)) }
        let first = await withTaskCancellationHandler {
            await outcome.value
        } onCancel: {
            leave()
        }
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
            defer { phase = .over }
            return phase
        }
        cancelAlarm()
        switch before {
        case .awaited(let callCount):
            outcome.settle(
                Outcome(ending: .returned(value), endedAt: endedAt, callCount: callCount))
        case .overdue: threads.strayed(by: -1)
        case .left, .over: break
        }
    }

    /// The caller does not wait any more.
    private func leave() {
        let callCount: Int? = phase.withLock { phase in
            guard case .awaited(let callCount) = phase else { return nil }
            phase = callCount > 0 ? .left : .over
            return callCount
        }
        guard let callCount else { return }
        if callCount == 0 { cancelAlarm() }
        settle(.cancelled, callCount)
    }

    /// The time is over.
    private func runOut() {
        let callCount: Int? = phase.withLock { phase in
            switch phase {
            case .awaited(let callCount):
                phase = callCount > 0 ? .overdue : .over
                // Under the lock, so that it is counted before it can return.
                if callCount > 0 { threads.strayed(by: 1) }
                return callCount
            case .left:
                phase = .overdue
                threads.strayed(by: 1)
                return nil
            case .overdue, .over: return nil
            }
        }
        if let callCount { settle(.timedOut, callCount) }
    }

    private func settle(_ ending: Ending, _ callCount: Int) {
        outcome.settle(Outcome(ending: ending, endedAt: time.elapsed, callCount: callCount))
    }

    private func cancelAlarm() { alarm.withLock { $0 }?.cancel() }
}
