// Whether a triggered scene is prepared: the decision as a value, and the few lines that ask.

/// What is known of a scene when it is about to be prepared.
package struct SceneMessage: Hashable, Sendable {
    package let id: String
    package let name: String?
    package let extras: AirshipJSON?
    package let priority: Int

    package init(id: String, name: String?, extras: AirshipJSON? = nil, priority: Int = 0) {
        self.id = id
        self.name = name
        self.extras = extras
        self.priority = priority
    }
}

/// Decides for one scene. Comes after audience checks and before any asset is fetched.
package enum SceneSuppression {
    /// What to do first.
    package enum Step: Sendable {
        case prepare
        /// The app's own callback held it back; no model is asked.
        case heldBackByApp
        case ask(SuppressionEvaluation, ifNot: AirshipAI.MissBehavior)
    }

    /// What became of the scene.
    package enum Decision: Hashable, Sendable {
        case prepare
        case heldBackByApp
        case suppress(AirshipAI.MissBehavior)
    }

    /// - Parameters:
    ///   - configuration: The schedule's.
    ///   - deferred: That of the deferred response, which replaces the schedule's as a whole; nil where
    ///     there is no response, or it has none.
    package static func step(
        for message: SceneMessage, configuration: SuppressionConfiguration?,
        deferred: SuppressionConfiguration? = nil, isHeldBackByApp: Bool = false
    ) -> Step {
        if isHeldBackByApp { return .heldBackByApp }
        guard let configuration = deferred ?? configuration,
            configuration.condition.contains(where: { !$0.isWhitespace })
        else { return .prepare }
        let subject = AirshipAI.InAppMessageSuppression.Subject(
            name: message.name ?? "", extras: message.extras, priority: message.priority,
            hints: configuration.subjectHints)
        return .ask(
            SuppressionEvaluation(
                condition: configuration.condition, subject: subject, messageID: message.id),
            ifNot: configuration.missBehavior ?? .skip)
    }

    /// Fails open: only a completed answer that says no holds a scene back.
    package static func decision(
        on result: AirshipAI.Result<SuppressionEvaluation.Output>,
        missBehavior: AirshipAI.MissBehavior
    ) -> Decision {
        result.output?.allow == false ? .suppress(missBehavior) : .prepare
    }

    /// Asks if there is something to ask, and reports a suppression once. What was asked for before
    /// the user switched on-device AI off suppresses nothing. Parameters as of ``step``.
    package static func decide(
        on message: SceneMessage, configuration: SuppressionConfiguration?,
        deferred: SuppressionConfiguration? = nil, isHeldBackByApp: Bool = false,
        host: any AirshipAI.FeatureHost
    ) async -> Decision {
        switch step(
            for: message, configuration: configuration, deferred: deferred,
            isHeldBackByApp: isHeldBackByApp)
        {
        case .prepare: return .prepare
        case .heldBackByApp: return .heldBackByApp
        case .ask(let evaluation, let missBehavior):
            let evaluated = await host.evaluate(evaluation, additionalContext: .empty)
            let decision = decision(on: evaluated.result, missBehavior: missBehavior)
            guard case .suppress = decision else { return decision }
            let isReported = host.report(
                .aiSuppressed(
                    evaluation: evaluated.id, message: message.id, missBehavior: missBehavior),
                under: evaluated.consent)
            return isReported ? decision : .prepare
        }
    }
}
