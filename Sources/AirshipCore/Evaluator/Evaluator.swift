// What is registered, and who hears of it. Evaluator+Evaluate.swift asks.

package import Foundation

extension AirshipAI {
    /// The manager that apps and features share.
    package final class Evaluator: Manager {
        /// What is registered. Read as a whole at an evaluation's start, so that nothing that is
        /// swapped meanwhile affects it.
        struct Registered: Sendable {
            var providers: [String: RegisteredProvider] = [:]
            var defaultProvider: RegisteredProvider?
            var resolver: (@Sendable (AnyUsage) -> ModelSelector)?
            var observer: RegisteredObserver?
            var sinks: [any Sink] = []
        }

        let privacy: AirshipPrivacyManager
        let time: any TimeSource
        let identifiers: Identifiers
        let lanes: CallLanes
        /// To the sinks.
        package let channel = DeliveryChannel()
        let sessionID: @Sendable () -> UUID?
        private let defaults: DefaultModel
        private let registered = Locked(Registered())
        /// As the privacy manager told last. A change is reported under its lock, and so is a record,
        /// so that what stands before an opt-out in the log was over before.
        private let currentConsent: Locked<Consent>
        private let observers = Observers()
        private let gateListener = Locked<Int?>(nil)
        private let resolverChange = ChangeSignal()

        /// - Parameters:
        ///   - privacy: The gate; consulted at every step, followed for gate events.
        ///   - defaults: Where the default model is registered.
        ///   - sessionID: The app session; read at an evaluation's start and for every event.
        package init(
            privacy: AirshipPrivacyManager, defaults: DefaultModel = DefaultModel(),
            time: any TimeSource = SystemTime(), identifiers: Identifiers = Identifiers(),
            lanes: CallLanes = .shared,
            sessionID: @escaping @Sendable () -> UUID? = { nil }
        ) {
            self.privacy = privacy
            self.defaults = defaults
            self.time = time
            self.identifiers = identifiers
            self.lanes = lanes
            self.sessionID = sessionID
            currentConsent = Locked(Consent(isGiven: privacy.isEnabled(.onDeviceAI)))
            let listener = privacy.listen { [weak self] features in
                self?.gateBecame(features.contains(.onDeviceAI))
            }
            gateListener.withLock { $0 = listener }
        }

        deinit {
            // Elsewhere, because the last reference may be the one that a change of the gate holds,
            // and then this runs under the privacy manager's lock. What apps registered goes with
            // it: its last reference may run their code.
            channel.send { [privacy, registered, defaults, gateListener] in
                if let listener = gateListener.withLock({ $0 }) { privacy.stopListening(listener) }
                withExtendedLifetime((registered, defaults)) {}
            }
        }

        package var consent: Consent { currentConsent.withLock { $0 } }

        func snapshot() -> Registered { registered.withLock { $0 } }

        /// Changes what is registered; what was replaced is released after the lock, because its
        /// last reference may run an app's code.
        private func change(_ body: (inout Registered) -> Void) {
            let replaced = registered.withLock { registered in
                let before = registered
                body(&registered)
                return before
            }
            withExtendedLifetime(replaced) {}
        }
    }
}

extension AirshipAI.Evaluator {
    package func setContextProvider<Subject: Sendable>(
        for usage: AirshipAI.Usage<Subject>, _ provider: AirshipAI.ContextProvider<Subject>?
    ) {
        let registered = provider.map { provider in
            RegisteredProvider(on: lanes.makeThreads()) { subject in
                guard let subject = subject as? Subject else { return .empty }
                return await provider(subject)
            }
        }
        change { $0.providers[usage.rawValue] = registered }
    }

    package func setDefaultContextProvider(
        _ provider: (@Sendable () async -> AirshipAI.Context)?
    ) {
        let registered = provider.map { provider in
            RegisteredProvider(on: lanes.makeThreads()) { _ in await provider() }
        }
        change { $0.defaultProvider = registered }
    }

    package func setModelResolver(
        _ resolver: (@Sendable (AirshipAI.AnyUsage) -> AirshipAI.ModelSelector)?
    ) {
        change { $0.resolver = resolver }
        resolverChange.tell()
    }

    package func setEvaluationObserver(
        _ observer: (@Sendable (AirshipAI.EvaluationRecord) -> Void)?
    ) {
        let observer = observer.map { observers.make($0) }
        let replaced = registered.withLock { registered in
            defer { registered.observer = observer }
            return registered.observer
        }
        replaced?.becomeReplaced()
    }

    package func attach(_ sink: any AirshipAI.Sink) {
        change { [channel, privacy] registered in
            guard !registered.sinks.contains(where: { $0 === sink }) else { return }
            registered.sinks.append(sink)
            // Under the lock, so that nothing gets to the sink before. Read when it is delivered:
            // every change after that is an event, which comes later.
            channel.send { sink.receive(.attached(onDeviceAI: privacy.isEnabled(.onDeviceAI))) }
        }
    }

    package func detach(_ sink: any AirshipAI.Sink) {
        change { $0.sinks.removeAll { $0 === sink } }
    }

    package func drained() async {
        await channel.drained()
        await observers.drained(time)
    }
}

extension AirshipAI.Evaluator: AirshipAI.FeatureHost {
    package var defaultModel: (any AirshipAI.ModelProtocol)? {
        isOnDeviceAIEnabled ? defaults.model : nil
    }

    package func model(for usage: AirshipAI.AnyUsage) -> (any AirshipAI.ModelProtocol)? {
        isOnDeviceAIEnabled ? resolve(usage, snapshot().resolver) : nil
    }

    package func gatedModel(for usage: AirshipAI.AnyUsage) -> GatedModel? {
        resolve(usage, snapshot().resolver).map { GatedModel($0, gate: privacy) }
    }

    package func availabilityHints(for usage: AirshipAI.AnyUsage) -> AsyncStream<Void> {
        let changes = ChangeSignal.merged([resolverChange, defaults.change])
        return AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let task = Task { [weak self, privacy] in
                var following: Task<Void, Never>?
                for await _ in changes {
                    following?.cancel()
                    continuation.yield()
                    following = Task {
                        // Before the gate is on no resolver is asked for a model.
                        for await features in privacy.featureUpdates
                        where features.contains(.onDeviceAI) { break }
                        guard !Task.isCancelled, let model = self?.gatedModel(for: usage) else {
                            return
                        }
                        for await _ in model.availabilityUpdates { continuation.yield() }
                    }
                }
                following?.cancel()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    /// Runs the app's resolver, so never under a lock: it may come back for ``defaultModel``.
    func resolve(
        _ usage: AirshipAI.AnyUsage,
        _ resolver: (@Sendable (AirshipAI.AnyUsage) -> AirshipAI.ModelSelector)?
    ) -> (any AirshipAI.ModelProtocol)? {
        switch resolver?(usage) ?? .defaultModel {
        case .defaultModel: defaults.model
        case .custom(let model): model
        }
    }

    package func report(_ kind: AirshipAI.FeatureEvent.Kind) {
        let event = AirshipAI.FeatureEvent(
            id: identifiers.random4(), time: time.date, sessionID: sessionID(), kind: kind)
        let sinks = self.sinks
        channel.send { for sink in sinks { sink.receive(.event(event)) } }
    }

    package func report(
        _ kind: AirshipAI.FeatureEvent.Kind, under consent: AirshipAI.Consent
    ) -> Bool {
        holding(consent) { report(kind) }
    }

    /// Runs the body, which reports, where that consent still holds; nobody withdraws it meanwhile.
    ///
    /// - Returns: Whether it ran.
    func holding(_ consent: AirshipAI.Consent, _ body: () -> Void) -> Bool {
        currentConsent.withLock { current in
            guard current.holds(since: consent) else { return false }
            body()
            return true
        }
    }

    /// Nothing else of what is registered: under a lock, a copy of it could turn out to be the last
    /// reference to something of the app's.
    var sinks: [any AirshipAI.Sink] { registered.withLock { $0.sinks } }

    private func gateBecame(_ isEnabled: Bool) {
        currentConsent.withLock { consent in
            if consent.become(isEnabled) { report(.gate(onDeviceAI: isEnabled)) }
        }
    }
}
