// Runs an EmbeddedDisplay: follows what is pending, asks for rankings, tells what is displayed.

/// One embedded view while it exists.
package actor EmbeddedSession {
    private let embeddedID: String
    private let pending: PendingEmbedded
    private let host: any AirshipAI.FeatureHost
    private var display: EmbeddedDisplay
    private var ranking: Task<Void, Never>?
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
    /// without an opinion.
    package func run() async {
        let embeddedID = embeddedID
        for await _ in pending.updates(where: { $0.embeddedID == embeddedID }) {
            perform(display.pendingChanged(situation))
        }
        ranking?.cancel()
    }

    /// The view was rendered with another selection.
    package func select(_ selection: AirshipEmbeddedSelection) {
        perform(display.selectionChanged(to: selection, in: situation))
    }

    /// The user dismissed an instance, or its content ended.
    package nonisolated func dismiss(instanceID: String) {
        pending.remove(instanceID: instanceID)
    }

    private var situation: EmbeddedDisplay.Situation {
        let usage = AirshipAI.AnyUsage(AirshipAI.EmbeddedSelection.usage)
        let embeddedID = embeddedID
        return EmbeddedDisplay.Situation(
            pending: pending.infos { $0.embeddedID == embeddedID },
            isModelAvailable: host.availability(for: usage) == .available,
            isOnDeviceAIEnabled: host.isOnDeviceAIEnabled,
            lastDisplayed: pending.lastDisplayed(for: embeddedID))
    }

    private func perform(_ actions: [EmbeddedDisplay.Action]) {
        for action in actions {
            switch action {
            case .cancel: ranking?.cancel()
            case .ask(let token, let evaluation):
                ranking = Task { [weak self, host] in
                    let order = await evaluation.ranking(by: host)
                    await self?.ranked(token, order)
                }
            }
        }
        publish()
    }

    private func ranked(_ token: Int, _ order: [String]?) {
        display.ranked(token: token, order: order, in: situation)
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
