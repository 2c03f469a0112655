// What embedded content is pending in this process, in order of arrival, and what was displayed.

/// The pending instances of all embedded ids.
package final class PendingEmbedded: Sendable {
    /// The instances of the process.
    package static let shared = PendingEmbedded()

    private struct State {
        var infos: [AirshipEmbeddedInfo] = []
        var lastDisplayed: [String: String] = [:]
        var listeners: [Int: Listener] = [:]
        var listenerCount = 0
    }

    /// Hears of a part of the instances, and only when that part changes.
    private struct Listener {
        let isIncluded: @Sendable (AirshipEmbeddedInfo) -> Bool
        let continuation: AsyncStream<[AirshipEmbeddedInfo]>.Continuation
        var last: [AirshipEmbeddedInfo]
    }

    private let state = Locked(State())

    package init() {}

    /// An instance became ready; one of the same instance id is replaced where it is.
    package func add(_ info: AirshipEmbeddedInfo) {
        change { infos in
            if let index = infos.firstIndex(where: { $0.instanceID == info.instanceID }) {
                infos[index] = info
            } else {
                infos.append(info)
            }
        }
    }

    /// An instance was dismissed, or is otherwise gone.
    package func remove(instanceID: String) {
        change { $0.removeAll { $0.instanceID == instanceID } }
    }

    /// The pending instances that the filter includes, in order of arrival.
    package func infos(
        where isIncluded: (AirshipEmbeddedInfo) -> Bool
    ) -> [AirshipEmbeddedInfo] {
        state.withLock { $0.infos }.filter(isIncluded)
    }

    /// The included instances, now and whenever they change; a slow reader sees the newest only.
    ///
    /// - Parameter isIncluded: Runs under this object's lock and must not call back into it.
    package func updates(
        where isIncluded: @escaping @Sendable (AirshipEmbeddedInfo) -> Bool
    ) -> AsyncStream<[AirshipEmbeddedInfo]> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let id = state.withLock { state in
                let infos = state.infos.filter(isIncluded)
                state.listenerCount += 1
                state.listeners[state.listenerCount] = Listener(
                    isIncluded: isIncluded, continuation: continuation, last: infos)
                continuation.yield(infos)
                return state.listenerCount
            }
            continuation.onTermination = { [weak self] _ in
                let ended = self?.state.withLock { $0.listeners.removeValue(forKey: id) }
                withExtendedLifetime(ended) {}
            }
        }
    }

    /// What was displayed last for that embedded id, by any view and any strategy; it outlives
    /// the views, so a recreated one does not change what the user was looking at.
    package func lastDisplayed(for embeddedID: String) -> String? {
        state.withLock { $0.lastDisplayed[embeddedID] }
    }

    /// Remembers what is on screen.
    package func displayed(_ instanceID: String, for embeddedID: String) {
        state.withLock { $0.lastDisplayed[embeddedID] = instanceID }
    }

    private func change(_ body: (inout [AirshipEmbeddedInfo]) -> Void) {
        state.withLock { state in
            body(&state.infos)
            for id in state.listeners.keys {
                guard var listener = state.listeners[id] else { continue }
                let infos = state.infos.filter(listener.isIncluded)
                guard infos != listener.last else { continue }
                listener.last = infos
                state.listeners[id] = listener
                listener.continuation.yield(infos)
            }
        }
    }
}
