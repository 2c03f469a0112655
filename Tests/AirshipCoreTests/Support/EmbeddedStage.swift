// An embedded view's display and the process around it, for tests that play what happens to it.

import AirshipCore
import Foundation

struct EmbeddedStage {
    var display: EmbeddedDisplay
    var pending: [AirshipEmbeddedInfo] = []
    var isModelAvailable = true
    var consent = AirshipAI.Consent(isGiven: true)
    var lastDisplayed: String?
    /// The candidates of every ranking asked for, the tokens, and the consent at that moment.
    var asks: [[String]] = []
    var tokens: [Int] = []
    var consents: [AirshipAI.Consent] = []
    var cancels = 0

    init(_ selection: AirshipEmbeddedSelection) {
        display = EmbeddedDisplay(embeddedID: "banner", selection: selection)
    }

    var situation: EmbeddedDisplay.Situation {
        .init(
            pending: pending, isModelAvailable: isModelAvailable, consent: consent,
            lastDisplayed: lastDisplayed)
    }

    /// What is on screen, or "-" for the placeholder.
    var shown: String { display.displayed ?? "-" }

    mutating func become(_ infos: AirshipEmbeddedInfo...) { become(infos) }

    mutating func become(_ infos: [AirshipEmbeddedInfo]) {
        pending = infos
        take(display.pendingChanged(situation))
    }

    mutating func dismiss(_ id: String) {
        become(pending.filter { $0.instanceID != id })
    }

    mutating func select(_ selection: AirshipEmbeddedSelection) {
        take(display.selectionChanged(to: selection, in: situation))
    }

    /// Ends the newest ranking, or an older one, with this order.
    mutating func rank(_ order: String..., asked index: Int? = nil) {
        end(Dictionary(uniqueKeysWithValues: zip(order, (1...10).reversed())), asked: index)
    }

    mutating func noOpinion() { end(nil) }

    /// Ends the newest ranking, or an older one, whose evaluation began at once, or under that consent.
    mutating func end(
        _ scores: [String: Int]?, asked index: Int? = nil, under consent: AirshipAI.Consent? = nil
    ) {
        let index = index ?? tokens.count - 1
        take(
            display.ranked(
                token: tokens[index], scores: scores, under: consent ?? consents[index],
                in: situation))
    }

    mutating func disappear() { take(display.disappeared()) }

    /// On-device AI is switched off and on again.
    mutating func switchOffAndOn() {
        consent.become(false)
        consent.become(true)
    }

    private mutating func take(_ actions: [EmbeddedDisplay.Action]) {
        for action in actions {
            switch action {
            case .cancel: cancels += 1
            case .ask(let token, let evaluation):
                tokens.append(token)
                consents.append(consent)
                asks.append(evaluation.subject.pending.map(\.instanceID))
            }
        }
        lastDisplayed = display.displayed ?? lastDisplayed
    }
}

/// Displays the worst priority first.
let worstFirst: AirshipEmbeddedSelection.Comparator = { left, right in
    if left.priority == right.priority { return .orderedSame }
    return left.priority > right.priority ? .orderedAscending : .orderedDescending
}
