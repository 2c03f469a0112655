// What an embedded view shows, as a value: pending instances and rankings go in, the displayed
// instance or the placeholder comes out, and what to ask meanwhile.

/// Decides what one view displays. Made anew with every view, so that a recreated view asks again.
///
/// While the model may not interrupt, what is on screen stays as long as it is pending, and what
/// a ranking put into order stays in that order, whatever a later one says or fails to say: that
/// one only puts newcomers behind, in its own order.
package struct EmbeddedDisplay: Sendable {
    /// Everything that a decision depends on beside the selection.
    package struct Situation: Sendable {
        /// The pending instances of the view's embedded id, in order of arrival.
        package let pending: [AirshipEmbeddedInfo]
        package let isModelAvailable: Bool
        /// As it is now; once the user has withdrawn it, no earlier opinion of a model is used.
        package let consent: AirshipAI.Consent
        /// What was displayed last for this embedded id by any view.
        package let lastDisplayed: String?

        package init(
            pending: [AirshipEmbeddedInfo], isModelAvailable: Bool,
            consent: AirshipAI.Consent, lastDisplayed: String?
        ) {
            self.pending = pending
            self.isModelAvailable = isModelAvailable
            self.consent = consent
            self.lastDisplayed = lastDisplayed
        }
    }

    /// What the caller has to do.
    package enum Action: Hashable, Sendable {
        /// Stop the ranking that runs.
        case cancel
        /// Score, then call ``ranked(token:scores:under:in:)``. A newer token makes older ones void.
        case ask(token: Int, EmbeddedEvaluation)
    }

    /// The instance on screen; nil is the placeholder.
    package private(set) var displayed: String?

    /// What a model thinks of the pending, best first; empty without an opinion.
    package private(set) var order: [String] = []

    private let embeddedID: String
    private var selection: AirshipEmbeddedSelection
    /// The instances that a model was asked about and that are still pending.
    private var asked: Set<String> = []
    /// As it was when `asked` and `order` came to be what they are; nil before anything did.
    private var consent: AirshipAI.Consent?
    private var token = 0
    /// Whether a ranking runs, and whether the placeholder may be shown until it ends.
    private var resolving: Resolving?

    private enum Resolving {
        case withPlaceholder, withFallback
    }

    package init(embeddedID: String, selection: AirshipEmbeddedSelection) {
        self.embeddedID = embeddedID
        self.selection = selection
    }

    /// Something became pending, was dismissed, or is otherwise gone.
    package mutating func pendingChanged(_ situation: Situation) -> [Action] {
        let ids = Set(situation.pending.map(\.instanceID))
        follow(situation.consent)
        order.removeAll { !ids.contains($0) }
        asked.formIntersection(ids)
        let actions = actionsForNewcomers(ids, situation)
        show(situation)
        return actions
    }

    /// The view was rendered with another selection.
    ///
    /// Another AI configuration makes it another view, which asks anew; another fallback or
    /// comparator is used from now on.
    package mutating func selectionChanged(
        to selection: AirshipEmbeddedSelection, in situation: Situation
    ) -> [Action] {
        select(selection)
        return pendingChanged(situation)
    }

    /// The same of a view that is not on screen: it decides when it is.
    package mutating func select(_ selection: AirshipEmbeddedSelection) {
        if selection.aiConfig != self.selection.aiConfig {
            asked = []
            order = []
            displayed = nil
        }
        self.selection = selection
    }

    /// The view went off screen. What is being asked ends, and is asked anew once the view is back.
    package mutating func disappeared() -> [Action] {
        if resolving != nil { asked = [] }
        return stopResolving()
    }

    /// A ranking ended. What has gone meanwhile does not count: the threshold is for the best of those
    /// that are still there.
    ///
    /// What was asked before the user last switched on-device AI is no opinion; where it is on now,
    /// the same is asked anew.
    ///
    /// - Parameters:
    ///   - scores: Of what was asked about; nil without an answer.
    ///   - consent: As it was when the evaluation began.
    package mutating func ranked(
        token: Int, scores: [String: Int]?, under consent: AirshipAI.Consent,
        in situation: Situation
    ) -> [Action] {
        guard token == self.token, resolving != nil, let config = selection.aiConfig else {
            return []
        }
        resolving = nil
        guard consent == situation.consent else { return pendingChanged(situation) }
        // The evaluation may have begun later than it was asked for.
        if consent != self.consent { order = [] }
        self.consent = consent
        let candidates = situation.pending.filter { asked.contains($0.instanceID) }
        let newest = scores.flatMap { config.rank(candidates, by: $0) } ?? []
        if isInterruptible {
            order = newest
            displayed = nil
        } else {
            order += newest.filter { !order.contains($0) }
        }
        show(situation)
        return []
    }

    private mutating func actionsForNewcomers(
        _ ids: Set<String>, _ situation: Situation
    ) -> [Action] {
        guard let config = selection.aiConfig, ids.count >= 2 else {
            // Nothing to rank; whatever comes next makes it a new choice.
            asked = []
            order = []
            return stopResolving()
        }
        guard !ids.isSubset(of: asked) else { return [] }
        asked = ids
        let actions = stopResolving()
        let evaluation = EmbeddedEvaluation(
            embeddedID: embeddedID, pending: situation.pending, config: config)
        guard let evaluation else {
            if isInterruptible { order = [] }
            return actions
        }
        token += 1
        resolving = situation.isModelAvailable ? .withPlaceholder : .withFallback
        return actions + [.ask(token: token, evaluation)]
    }

    private mutating func stopResolving() -> [Action] {
        guard resolving != nil else { return [] }
        resolving = nil
        // Makes a ranking that ends all the same void.
        token += 1
        return [.cancel]
    }

    /// Chooses what is on screen from what is known.
    private mutating func show(_ situation: Situation) {
        let isPending = situation.pending.contains { $0.instanceID == displayed }
        if !isPending { displayed = nil }
        // Kept while a model decides, and afterwards unless it may interrupt.
        if displayed != nil, selection.aiConfig != nil, resolving != nil || !isInterruptible {
            return
        }
        if let best = order.first {
            displayed = best
        } else if resolving != .withPlaceholder {
            displayed = selection.withoutModel.choose(
                from: situation.pending, lastDisplayed: displayed ?? situation.lastDisplayed)
        }
    }

    /// Once the user has switched, what a model said before is not used; once it is on again, all is
    /// to be asked about anew.
    private mutating func follow(_ consent: AirshipAI.Consent) {
        defer { self.consent = consent }
        guard let before = self.consent, before != consent else { return }
        order = []
        if consent.isGiven { asked = [] }
    }

    private var isInterruptible: Bool {
        selection.aiConfig?.allowDisplayInterruptions ?? true
    }
}
