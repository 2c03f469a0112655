// For an app's own tests: asks as the features do, where there are no scenes, forms and views.

extension AirshipAI {
    /// Starts evaluations as the features do, with what is registered with ``Airship/ai``: the
    /// app's providers, its resolver, its observer, the gate.
    ///
    /// Each call is one evaluation, where there is something to ask, and makes one record. Await
    /// `Airship.ai.drained()` before looking at what an observer saw.
    public struct Rehearsal: Sendable {
        private let host: any FeatureHost

        /// Of the manager that ``Airship/ai`` is now.
        public init() {
            self.init(host: Airship.evaluator)
        }

        package init(host: any FeatureHost) {
            self.host = host
        }

        /// Whether a scene with that condition would be shown; true also when nobody could be
        /// asked. A suppressed one is reported as on a device.
        ///
        /// - Parameter messageID: What records and reports name.
        public func showsScene(
            _ scene: InAppMessageSuppression.Subject, condition: String,
            messageID: String = "rehearsal"
        ) async -> Bool {
            let decision = await SceneSuppression.decide(
                on: SceneMessage(
                    id: messageID, name: scene.name, extras: scene.extras,
                    priority: scene.priority),
                configuration: SuppressionConfiguration(
                    condition: condition, subjectHints: scene.hints),
                host: host)
            return decision == .prepare
        }

        /// What a form would read in typed text; nil when the evaluation was skipped or failed, and
        /// for blank text, about which nobody is asked.
        ///
        /// - Parameters:
        ///   - configuration: The `ai_inference` of a text input, as the layout has it.
        ///   - fieldID: What records name.
        /// - Throws: ``AirshipCoreError`` for a configuration that a layout may not have.
        public func inference(
            of text: String, configuration: String, fieldID: String = "rehearsal/field"
        ) async throws(AirshipCoreError) -> AirshipJSON? {
            let configuration = try TextInputConfiguration(json: configuration)
            let evaluation = TextInputEvaluation(
                typed: text, configuration: configuration, fieldID: fieldID)
            guard let evaluation else { return nil }
            return await host.evaluate(
                evaluation, additionalContext: configuration.additionalContext
            ).result.output
        }

        /// What a new embedded view would display once nothing is being asked any more; nil is the
        /// placeholder.
        ///
        /// - Parameter pending: In order of arrival, all of one embedded id.
        public func displayed(
            of pending: [AirshipEmbeddedInfo], selection: AirshipEmbeddedSelection
        ) async -> AirshipEmbeddedInfo? {
            guard let first = pending.first else { return nil }
            var display = EmbeddedDisplay(embeddedID: first.embeddedID, selection: selection)
            var actions = display.pendingChanged(
                .init(pending, lastDisplayed: nil, host: host))
            while case .ask(let token, let evaluation)? = actions.last {
                let evaluated = await evaluation.evaluated(by: host)
                actions = display.ranked(
                    token: token, scores: evaluated.result.output, under: evaluated.consent,
                    in: .init(pending, lastDisplayed: nil, host: host))
            }
            return pending.first { $0.instanceID == display.displayed }
        }
    }
}
