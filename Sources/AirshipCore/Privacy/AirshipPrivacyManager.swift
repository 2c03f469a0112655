// Which features are on: the app's choice, less what was switched off remotely.

import Foundation

/// Holds the set of enabled features and tells when the effective set changes.
///
/// Until the app chooses, the default set counts, read anew in each version, so a feature that a
/// new version brings is on. Once the app has chosen, its choice counts to the letter: a feature
/// that did not exist then stays off, even if everything was chosen that existed. Consent to
/// what was there is no consent to what came later.
public final class AirshipPrivacyManager: Sendable {
    private struct State {
        var chosen: AirshipFeature?
        var remotelyDisabled: AirshipFeature = []
        var listeners: [Int: @Sendable (AirshipFeature) -> Void] = [:]
        var listenerCount = 0
    }

    private let defaultFeatures: AirshipFeature
    private let storage: any AirshipFeatureStorage
    private let state: Locked<State>
    /// Held over a whole change, so that choices are saved in their order; never taken by a read.
    /// Recursive, because what watches the storage may change features from within a save.
    private let changing = NSRecursiveLock()

    /// - Parameter defaultFeatures: What is on until the app chooses.
    package init(
        defaultFeatures: AirshipFeature = .all, storage: any AirshipFeatureStorage
    ) {
        self.defaultFeatures = defaultFeatures
        self.storage = storage
        state = Locked(State(chosen: storage.load().map(AirshipFeature.init(rawValue:))))
    }

    /// What is on now. Setting it replaces the app's choice; features switched off remotely are
    /// missing when it is read, and are back once they are allowed again.
    public var enabledFeatures: AirshipFeature {
        get { state.withLock { effective($0) } }
        set { change { $0.chosen = newValue } }
    }

    /// Adds features to those enabled. What changes nothing also chooses nothing.
    public func enableFeatures(_ features: AirshipFeature) {
        change { state in
            let local = state.chosen ?? defaultFeatures
            if !local.isSuperset(of: features) { state.chosen = local.union(features) }
        }
    }

    /// Removes features from those enabled. What changes nothing also chooses nothing.
    public func disableFeatures(_ features: AirshipFeature) {
        change { state in
            let local = state.chosen ?? defaultFeatures
            if !local.isDisjoint(with: features) { state.chosen = local.subtracting(features) }
        }
    }

    /// Whether all of these are on.
    public func isEnabled(_ features: AirshipFeature) -> Bool {
        enabledFeatures.isSuperset(of: features)
    }

    /// The effective set: once now, then whenever it changes; a slow reader sees the newest only.
    public var featureUpdates: AsyncStream<AirshipFeature> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let id = listen { continuation.yield($0) }
            continuation.onTermination = { [weak self] _ in self?.stopListening(id) }
        }
    }

    /// Switches features off whatever the app chose, until called again without them.
    package func setRemotelyDisabledFeatures(_ features: AirshipFeature) {
        change { $0.remotelyDisabled = features }
    }

    /// Calls the listener with the effective set, at once and at every change, in order.
    ///
    /// - Parameter listener: Runs under this object's lock and must not call back into it.
    @discardableResult
    package func listen(_ listener: @escaping @Sendable (AirshipFeature) -> Void) -> Int {
        state.withLock { state in
            state.listenerCount += 1
            state.listeners[state.listenerCount] = listener
            listener(effective(state))
            return state.listenerCount
        }
    }

    package func stopListening(_ id: Int) {
        // The listener is released after the lock: its last reference may be the caller's.
        let stopped = state.withLock { $0.listeners.removeValue(forKey: id) }
        withExtendedLifetime(stopped) {}
    }

    private func effective(_ state: State) -> AirshipFeature {
        (state.chosen ?? defaultFeatures).subtracting(state.remotelyDisabled)
    }

    private func change(_ body: (inout State) -> Void) {
        changing.withLock {
            let chosen = state.withLock { state in
                let before = (effective: effective(state), chosen: state.chosen)
                body(&state)
                let after = effective(state)
                if after != before.effective {
                    for id in state.listeners.keys.sorted() { state.listeners[id]?(after) }
                }
                return state.chosen == before.chosen ? nil : state.chosen
            }
            // Without the state's lock: user defaults call their observers before they return.
            if let chosen { storage.save(chosen.rawValue) }
        }
    }
}
