// The app's observers: the one that is registered, and those that it replaced.

/// Tells an observer of one record at a time, on a channel of its own, which goes with the
/// registration: whoever replaces one that is stuck begins anew.
///
/// Behind the channel to the sinks: an observer that blocks must not keep the log from hearing that the
/// gate went off.
final class RegisteredObserver: Sendable {
    private struct State {
        var isReplaced = false
        /// It was replaced, waited for, and did not return.
        var isGivenUp = false
        /// Those that wait for it while it is registered: true once it was told, false once it
        /// is replaced.
        var waiting: [Rendezvous<Bool>] = []
    }

    private let channel = DeliveryChannel()
    private let observe: @Sendable (AirshipAI.EvaluationRecord) -> Void
    private let state = Locked(State())

    init(_ observe: @escaping @Sendable (AirshipAI.EvaluationRecord) -> Void) {
        self.observe = observe
    }

    /// Tells it of a record after all others; returns at once.
    func tell(_ record: AirshipAI.EvaluationRecord) {
        channel.send { [self] in observe(record) }
    }

    /// It is told of nothing that starts from now on.
    func becomeReplaced() {
        let waiting = state.withLock { state in
            state.isReplaced = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for wait in waiting { wait.settle(false) }
    }

    /// Returns once it was told of all records, or the caller's task is cancelled.
    ///
    /// From when it is replaced that takes no longer than ``CoreLimits/observerBudget``; one that
    /// takes longer is not waited for again.
    func drained(_ time: any TimeSource) async {
        if await isToldBeforeReplaced() || state.withLock({ $0.isGivenUp }) { return }
        let isTold = Rendezvous<Bool>()
        let alarm = time.schedule(after: CoreLimits.observerBudget) { [self] in
            state.withLock { $0.isGivenUp = true }
            isTold.settle(false)
        }
        channel.send { isTold.settle(true) }
        _ = await isTold.value(ifCancelled: false)
        alarm.cancel()
    }

    private func isToldBeforeReplaced() async -> Bool {
        let isTold = Rendezvous<Bool>()
        let isReplaced = state.withLock { state in
            if !state.isReplaced { state.waiting.append(isTold) }
            return state.isReplaced
        }
        if isReplaced { return false }
        channel.send { isTold.settle(true) }
        // Nobody waits any longer in a task that is cancelled, whatever became of the observer.
        let result = await isTold.value(ifCancelled: true)
        state.withLock { $0.waiting.removeAll { $0 === isTold } }
        return result
    }
}

/// All observers that may still be told of an evaluation.
final class Observers: Sendable {
    private struct Weak: Sendable {
        weak let observer: RegisteredObserver?
    }

    private let observers = Locked<[Weak]>([])

    /// Makes one, and keeps none: the registration does, and after it the evaluations and deliveries
    /// that are under way.
    func make(
        _ observe: @escaping @Sendable (AirshipAI.EvaluationRecord) -> Void
    ) -> RegisteredObserver {
        let made = RegisteredObserver(observe)
        // Out of the lock with those that are looked at: theirs may be the last references.
        let others = observers.withLock { observers in
            let others = observers.compactMap(\.observer)
            observers = (others + [made]).map(Weak.init)
            return others
        }
        withExtendedLifetime(others) {}
        return made
    }

    /// Returns once each was told, or given up; see ``RegisteredObserver/drained(_:)``.
    func drained(_ time: any TimeSource) async {
        let all = observers.withLock { $0.compactMap(\.observer) }
        // Side by side: several that are stuck take no longer than one.
        await withTaskGroup { group in
            for observer in all { group.addTask { await observer.drained(time) } }
        }
    }
}
