// Runs a TextInputField: waits, asks, and reports what was submitted.

/// One field of one form while it is on screen.
package actor TextInputSession {
    /// What a layout shows of the field.
    package struct State: Hashable, Sendable {
        package let validity: TextInputField.Validity
        /// The layout's `ai` of this field; nil when there is nothing to tell.
        package let ai: AirshipJSON?

        package init(validity: TextInputField.Validity, ai: AirshipJSON?) {
            self.validity = validity
            self.ai = ai
        }
    }

    private let id: String
    private let configuration: TextInputConfiguration?
    private let reportable: ReportableValues?
    private let host: any AirshipAI.FeatureHost
    private let time: any TimeSource
    private var field: TextInputField
    private var value = ""
    private var isCatalogued = false
    /// As it was when something of a model's was last used.
    private var consent: AirshipAI.Consent
    /// What waits for a pause or an answer; cancelling it cancels the evaluation too.
    private var work: Task<Void, Never>?

    /// - Parameters:
    ///   - id: `<form>/<field>`, names the field in records.
    ///   - configuration: Nil, or a kind that allows no inference, means that nothing is asked.
    package init(
        id: String, kind: TextInputKind, isRequired: Bool, configuration: TextInputConfiguration?,
        host: any AirshipAI.FeatureHost, time: any TimeSource = SystemTime()
    ) {
        let configuration = kind.allowsInference ? configuration : nil
        self.id = id
        self.configuration = configuration
        reportable = configuration.map { ReportableValues($0.outputSchema) }
        self.host = host
        self.time = time
        consent = host.consent
        field = TextInputField(isRequired: isRequired, hasInference: configuration != nil)
    }

    deinit { work?.cancel() }

    /// What to show now.
    package var state: State {
        followGate()
        return State(validity: field.validity, ai: field.inference?.layoutState)
    }

    /// The user changed the text.
    package func edited(_ text: String) {
        value = text
        followGate()
        perform(field.edited(text, isModelAvailable: isModelAvailable))
    }

    /// The user submits the form: reports the inference once, and gives the form result's child.
    ///
    /// - Returns: Nil when the field is not ready.
    package func submit() -> AirshipJSON? {
        followGate()
        switch field.submitted() {
        case .notReady: return nil
        case .nothing: return child(nil)
        case .report(let inference, let actions):
            let reported = report(inference)
            perform(actions)
            return child(reported)
        }
    }

    /// Returns once nothing waits or runs any more.
    package func settled() async {
        while let work {
            await work.value
            if self.work == work { self.work = nil }
        }
    }

    private func child(_ inference: TextInputField.Inference?) -> AirshipJSON {
        TextInputFormChild.json(value: value, inference: inference, reportable)
    }

    /// - Returns: What was reported: a failure where the user has just withdrawn consent to what a
    ///   model said.
    private func report(_ inference: TextInputField.Inference) -> TextInputField.Inference {
        guard let reportable else { return inference }
        catalogue(reportable)
        if case .complete = inference {
            let event = inference.event(field: id, reportable)
            if host.report(event, under: consent) { return inference }
        }
        let failure = inference.withoutAnswer
        host.report(failure.event(field: id, reportable))
        return failure
    }

    /// Before the first report, what reports of this field can hold at all.
    private func catalogue(_ reportable: ReportableValues) {
        guard !isCatalogued else { return }
        isCatalogued = true
        let catalog = reportable.catalog
        if !catalog.isEmpty { host.report(.catalog(field: id, report: catalog)) }
    }

    // Resolved at every use: a scene can be older than the app's resolver.
    private var isModelAvailable: Bool {
        let usage = AirshipAI.AnyUsage(AirshipAI.TextInputInference.usage)
        return host.availability(for: usage) == .available
    }

    /// Before anything of the field is used: nobody tells when the gate goes off.
    private func followGate() {
        let current = host.consent
        if !current.holds(since: consent) { field.consentWithdrawn() }
        consent = current
    }

    private func perform(_ actions: [TextInputField.Action]) {
        for action in actions {
            switch action {
            case .cancel: work?.cancel()
            case .waitIdle(let token):
                work = Task { [weak self, time] in
                    await time.sleep(for: CoreLimits.textInputIdleDelay)
                    guard !Task.isCancelled else { return }
                    await self?.idlePassed(token)
                }
            case .ask(let token, let text): ask(token: token, text: text)
            }
        }
    }

    private func idlePassed(_ token: Int) {
        perform(field.idlePassed(token: token))
    }

    /// The question holds no session: a form that is closed meanwhile ends it.
    private func ask(token: Int, text: String) {
        guard let configuration,
            let evaluation = TextInputEvaluation(
                typed: text, configuration: configuration, fieldID: id)
        else { return }
        work = Task { [weak self, host] in
            let evaluated = await host.evaluate(
                evaluation, additionalContext: configuration.additionalContext)
            await self?.answered(token, evaluated)
        }
    }

    private func answered(_ token: Int, _ evaluated: AirshipAI.Evaluated<AirshipJSON>) {
        // What was withdrawn before this was asked is none of its business.
        followGate()
        let isUsed = consent.holds(since: evaluated.consent)
        field.answered(
            token: token, evaluation: evaluated.id,
            output: isUsed ? evaluated.result.output : nil)
    }
}

extension AirshipAI.TextInputInference {
    /// What scene predicates see as `$ai.current.text_input_inference`: whether a model could be
    /// asked, now and at every change. The model is resolved anew each time: a scene can be older
    /// than the app's resolver.
    package static func currentAvailability(
        host: any AirshipAI.FeatureHost
    ) -> AsyncStream<Bool> {
        AsyncStream { continuation in
            let task = Task {
                var last: Bool?
                for await _ in host.availabilityHints(for: AirshipAI.AnyUsage(usage)) {
                    let isAvailable =
                        host.availability(for: AirshipAI.AnyUsage(usage)) == .available
                    if isAvailable != last { continuation.yield(isAvailable) }
                    last = isAvailable
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }
}
