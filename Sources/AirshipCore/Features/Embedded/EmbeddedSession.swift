// Runs an EmbeddedDisplay: follows what is pending, asks for rankings, tells what is displayed.

/// One embedded view while it exists.
package actor EmbeddedSession {
    private let embeddedID: String
    private let pending: PendingEmbedded
    private let host: any AirshipAI.FeatureHost
    private var display: EmbeddedDisplay
    private var ranking: Task<Void, Never>?
    /// Runs that have not ended: while there is none, the view is not on screen.
    private var runCount = 0
    private var reader: AsyncStream<AirshipEmbeddedInfo?>.Continuation?
    /// What the reader was told last; nil before anything was decided.
    private var shown: AirshipEmbeddedInfo??

    package init(
        embeddedID: String, selection: AirshipEmbeddedSelection,
        pending: PendingEmbedded = .shared, host: any AirshipAI.FeatureHost
    ) {
        self.embeddedID = embeddedID
        self.pending = pending
        self.host = host
        display = EmbeddedDisplay(embeddedID: embeddedID, selection: selection)
    }

    deinit {
        ranking?.cancel()
        reader?.finish()
    }

    /// What is on screen, nil for the placeholder: now and at every change. Ends the stream of an
    /// earlier call.
    package func displayed() -> AsyncStream<AirshipEmbeddedInfo?> {
        reader?.finish()
        let (stream, continuation) = AsyncStream.makeStream(of: AirshipEmbeddedInfo?.self)
        if let shown { continuation.yield(shown) }
        reader = continuation
        return stream
    }

    /// Follows the pending instances until the task is cancelled. What is being asked then ends
    /// without an opinion, and is asked anew in the next run.
    package func run() async {
        let embeddedID = embeddedID
        runCount += 1
        for await _ in pending.updates(where: { $0.embeddedID == embeddedID }) {
            perform(display.pendingChanged(situation))
            publish()
        }
        runCount -= 1
        // A view may be back before it is gone.
        if runCount == 0 { perform(display.disappeared()) }
    }

    /// The view was rendered with another selection.
    package func select(_ selection: AirshipEmbeddedSelection) {
        guard runCount > 0 else { return display.select(selection) }
        perform(display.selectionChanged(to: selection, in: situation))
        publish()
    }

    /// The user dismissed an instance, or its content ended.
    package nonisolated func dismiss(instanceID: String) {
        pending.remove(instanceID: instanceID)
    }

    private var situation: EmbeddedDisplay.Situation {
        EmbeddedDisplay.Situation(
            pending.infos { [embeddedID] in $0.embeddedID == embeddedID },
            lastDisplayed: pending.lastDisplayed(for: embeddedID), host: host)
    }

    private func perform(_ actions: [EmbeddedDisplay.Action]) {
        for action in actions {
            switch action {
            case .cancel: ranking?.cancel()
            case .ask(let token, let evaluation):
                ranking = Task { [weak self, host] in
                    let evaluated = await evaluation.evaluated(by: host)
                    await self?.ranked(token, evaluated)
                }
            }
        }
    }

    private func ranked(
        _ token: Int, _ evaluated: AirshipAI.Evaluated<EmbeddedEvaluation.Output>
    ) {
        guard runCount > 0 else { return }
        perform(
            display.ranked(
                token: token, scores: evaluated.result.output, under: evaluated.consent,
                in: situation))
        publish()
    }

    /// Tells what is on screen if it changed, and remembers it for every view of this id.
    private func publish() {
        let id = display.displayed
        let info = id.flatMap { id in pending.infos { $0.instanceID == id }.first }
        guard shown != .some(info) else { return }
        shown = info
        if let info { pending.displayed(info.instanceID, for: embeddedID) }
        reader?.yield(info)
    }
}

extension EmbeddedDisplay.Situation {
    /// With everything as the host has it now.
    init(
        _ pending: [AirshipEmbeddedInfo], lastDisplayed: String?, host: any AirshipAI.FeatureHost
    ) {
        let usage = AirshipAI.AnyUsage(AirshipAI.EmbeddedSelection.usage)
        self.init(
            pending: pending, isModelAvailable: host.availability(for: usage) == .available,
            consent: host.consent, lastDisplayed: lastDisplayed)
    }
}
