// Several may offer a value, one waits; the first offer counts and the late ones are dropped.

/// A value that is settled once and awaited once.
package final class Rendezvous<Value: Sendable>: Sendable {
    private enum State {
        case open
        case awaited(CheckedContinuation<Value, Never>)
        case settled(Value)
        case delivered
    }

    private let state = Locked(State.open)

    package init() {}

    /// Offers the value; without effect when there was one already.
    package func settle(_ value: Value) {
        let waiting: CheckedContinuation<Value, Never>? = state.withLock { state in
            switch state {
            case .open:
                state = .settled(value)
                return nil
            case .awaited(let continuation):
                state = .delivered
                return continuation
            case .settled, .delivered:
                return nil
            }
        }
        waiting?.resume(returning: value)
    }

    /// The first value offered; may be read once.
    package var value: Value {
        get async {
            await withCheckedContinuation { continuation in
                let settled: Value? = state.withLock { state in
                    switch state {
                    case .open:
                        state = .awaited(continuation)
                        return nil
                    case .settled(let value):
                        state = .delivered
                        return value
                    case .awaited, .delivered:
                        preconditionFailure("a rendezvous is awaited once")
                    }
                }
                if let settled { continuation.resume(returning: settled) }
            }
        }
    }
    /// The same; the fallback where the caller's task is cancelled first.
    package func value(ifCancelled fallback: Value) async -> Value {
        await withTaskCancellationHandler {
            await value
        } onCancel: {
            settle(fallback)
        }
    }
}
