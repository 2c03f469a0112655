// The app's observer as it was registered, and those that were replaced.

/// Tells an observer on a channel of its own, which goes with the registration: whoever replaces one
/// that is stuck begins anew.
///
/// Behind the channel to the sinks: an observer that blocks must not keep the log from hearing that the
/// gate went off.
final class RegisteredObserver: Sendable {
    private let channel = DeliveryChannel()
    private let observe: @Sendable (AirshipAI.EvaluationRecord) -> Void

    init(_ observe: @escaping @Sendable (AirshipAI.EvaluationRecord) -> Void) {
        self.observe = observe
    }

    /// Tells it of a record after all others; returns at once.
    func tell(_ record: AirshipAI.EvaluationRecord) {
        channel.send { [self] in observe(record) }
    }

    /// Returns once it was told of all records.
    func drained() async { await channel.drained() }

    /// Returns once it was told of all records, or after the limit; false then.
    func drained(within limit: Duration, _ time: any TimeSource) async -> Bool {
        let end = Rendezvous<Bool>()
        let alarm = time.schedule(after: limit) { end.settle(false) }
        channel.send { end.settle(true) }
        let isDrained = await end.value
        alarm.cancel()
        return isDrained
    }
}

/// Observers that may still be told of evaluations from before they were replaced.
final class ReplacedObservers: Sendable {
    private struct Weak: Sendable {
        weak let observer: RegisteredObserver?
        let id: ObjectIdentifier

        init(_ observer: RegisteredObserver) {
            self.observer = observer
            id = ObjectIdentifier(observer)
        }
    }

    private let observers = Locked<[Weak]>([])

    /// Keeps none: evaluations and deliveries that are under way do.
    func add(_ observer: RegisteredObserver) {
        // Out of the lock with those that are looked at: theirs may be the last references.
        let others = observers.withLock { observers in
            let others = observers.compactMap(\.observer)
            observers = (others + [observer]).map(Weak.init)
            return others
        }
        withExtendedLifetime(others) {}
    }

    /// Returns once all were told. One that takes too long is waited for once.
    func drained(_ time: any TimeSource) async {
        for observer in observers.withLock({ $0.compactMap(\.observer) }) {
            if await observer.drained(within: CoreLimits.observerBudget, time) { continue }
            observers.withLock { $0.removeAll { $0.id == ObjectIdentifier(observer) } }
        }
    }
}
