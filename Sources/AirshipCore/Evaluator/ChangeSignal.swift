// Tells that something changed, not what: whoever hears of it looks.

/// Any number of listeners, and a change that all hear of.
package final class ChangeSignal: Sendable {
    private struct State {
        var listeners: [Int: @Sendable () -> Void] = [:]
        var listenerCount = 0
    }

    private let state = Locked(State())

    package init() {}

    /// Calls every listener, on this thread.
    package func tell() {
        for listener in state.withLock({ Array($0.listeners.values) }) { listener() }
    }

    /// One element now and one after each change of any of these; changes that come before the
    /// reader looks are one.
    package static func merged(_ signals: [ChangeSignal]) -> AsyncStream<Void> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let ids = signals.map { $0.listen { continuation.yield() } }
            continuation.yield()
            continuation.onTermination = { _ in
                for (signal, id) in zip(signals, ids) { signal.stopListening(id) }
            }
        }
    }

    private func listen(_ listener: @escaping @Sendable () -> Void) -> Int {
        state.withLock { state in
            state.listenerCount += 1
            state.listeners[state.listenerCount] = listener
            return state.listenerCount
        }
    }

    private func stopListening(_ id: Int) {
        let stopped = state.withLock { $0.listeners.removeValue(forKey: id) }
        withExtendedLifetime(stopped) {}
    }
}
