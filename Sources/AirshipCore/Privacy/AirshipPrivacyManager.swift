// Which features are on: the app's choice, less what was switched off remotely.

import Foundation

/// Holds the set of enabled features and tells when the effective set changes.
///
/// Until the app chooses, the default set counts, read anew in each version, so a feature that a
/// new version brings is on. Once the app has chosen, its choice counts to the letter: a feature
/// that did not exist then stays off, even if everything was chosen that existed. Consent to
/// what was there is no consent to what came later.
///
/// Several processes may share one storage. A change is made to what is stored then, and to nothing
/// else of it, so that no process undoes an opt-out of another. One hears of another's opt-outs at its
/// own next change or session, of what was allowed at its next start.
public final class AirshipPrivacyManager: Sendable {
    private struct State {
        var choice: FeatureChoice
        var remotelyDisabled: AirshipFeature = []
        var choiceCount = 0
        var listeners: [Int: @Sendable (AirshipFeature) -> Void] = [:]
        var listenerCount = 0
    }

    private let storage: any AirshipFeatureStorage
    private let state: Locked<State>
    /// Held over a whole change, so that choices are saved in their order; never taken by a read.
    /// Recursive, because what watches the storage may change features from within a save.
    private let changing = NSRecursiveLock()

    /// - Parameter defaultFeatures: What is on until the app chooses.
    package init(
        defaultFeatures: AirshipFeature = .all, storage: any AirshipFeatureStorage
    ) {
        self.storage = storage
        let found = Swift.Result { try storage.load().map(AirshipFeature.init(rawValue:)) }
        state = Locked(State(choice: FeatureChoice(defaults: defaultFeatures, found: found)))
    }

    /// What is on now.
    ///
    /// Setting it replaces the app's choice, to the letter: what is not in it is off, also a feature that
    /// is missing only because it was switched off remotely. To change some features and leave the others
    /// alone there are ``enableFeatures(_:)`` and ``disableFeatures(_:)``.
    public var enabledFeatures: AirshipFeature {
        get { state.withLock { effective($0) } }
        set {
            let seen = state.withLock { $0.choice.isUnreadable ? [] : $0.choice.features }
            choose { current in
                // Without what was on here and another process has switched off.
                newValue.subtracting(seen.subtracting(current))
            }
        }
    }

    /// Adds features to those enabled. What changes nothing also chooses nothing.
    public func enableFeatures(_ features: AirshipFeature) {
        choose { $0.isSuperset(of: features) ? nil : $0.union(features) }
    }

    /// Removes features from those enabled. What changes nothing also chooses nothing.
    public func disableFeatures(_ features: AirshipFeature) {
        choose { $0.isDisjoint(with: features) ? nil : $0.subtracting(features) }
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

    /// Hears of what other processes have switched off since; where the choice could not be read
    /// before, of all of it.
    package func reread() {
        changing.withLock {
            storage.update { found in
                guard let mask = try? found.get() else { return nil }
                return change { $0.choice.hear(AirshipFeature(rawValue: mask)) }?.rawValue
            }
        }
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
        state.choice.features.subtracting(state.remotelyDisabled)
    }

    /// Chooses here at once, and then in the storage, where another process may have chosen since.
    ///
    /// - Parameter body: What becomes of the features that are enabled locally; nil where that is no
    ///   choice.
    private func choose(_ body: @escaping FeatureChoice.Change) {
        changing.withLock {
            let (before, number) = change { state in
                let before = state.choice.local
                state.choice.apply(body)
                state.choiceCount += 1
                return (before, state.choiceCount)
            }
            // Without the state's lock: storage may call its observers before it returns.
            storage.update { found in
                let found = found.map { $0.map(AirshipFeature.init(rawValue:)) }
                return change { $0.choice.merge(body, before: before, into: found) }?.rawValue
            }
            // An observer's own choice is the newer one.
            let (count, isUnreadable) = state.withLock { ($0.choiceCount, $0.choice.isUnreadable) }
            guard count == number else { return }
            if isUnreadable { return reread() }
            guard let found = try? storage.load() else { return }
            state.withLock { $0.choice.see(AirshipFeature(rawValue: found)) }
        }
    }

    private func change<Returned>(_ body: (inout State) -> Returned) -> Returned {
        state.withLock { state in
            let before = effective(state)
            defer {
                let after = effective(state)
                if after != before {
                    for id in state.listeners.keys.sorted() { state.listeners[id]?(after) }
                }
            }
            return body(&state)
        }
    }
}
