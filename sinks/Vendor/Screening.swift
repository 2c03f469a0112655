// From the facts of a log to the events that may leave. What does not pass is counted and gone.

import EvalogFacts
import EvalogText

/// The outcome of a screening: what may leave, and what there was.
package struct Screened: Sendable {
    /// In the order of the file.
    package fileprivate(set) var events: [VendorEvent] = []
    /// What did not pass.
    package fileprivate(set) var withheld = Withheld()
    /// Those of the events that had their turn in an earlier summary, be it under another id.
    fileprivate(set) var past: Set<FactKey> = []
    /// What a person would have to review to let all of this leave.
    package fileprivate(set) var draft = ReviewedCatalog()
    /// Whether a person said what may leave.
    fileprivate(set) var isReviewed = false
}

/// Decides event by event. The result depends on the lines and on who wrote them when, not on their
/// order.
package struct Screening {
    private let collected: VendorCollector
    private let reviewed: ReviewedCatalog?
    private let catalogs: CatalogHistory
    private let gate: GateHistory
    private let firstGaps: [UniqueID: UInt64]
    private var result = Screened()
    private var passed: [Occasion: Passed] = [:]
    private let past: PastTurns

    /// Values of one event, by why they stay.
    private typealias ValueCount = (reason: WithheldReason, count: Int)

    /// An event that may leave, and when the log had it.
    private struct Passed {
        let event: VendorEvent
        let appendTime: Int64
        /// What of its values stays.
        let values: [ValueCount]

        /// The one that was there first is told: a later one must not take the place of what the
        /// vendor has been told already.
        func precedes(_ other: Self) -> Bool {
            appendTime != other.appendTime
                ? appendTime < other.appendTime : VendorEvent.precedes(event, other.event)
        }
    }

    /// - Parameters:
    ///   - collected: From all threads.
    ///   - reviewed: What a person lets leave; nil: whatever else allows.
    ///   - past: Events that had their turn in a summary.
    /// - Complexity: O(n log n) in the lines collected.
    package static func screen(
        _ collected: VendorCollector, reviewed: ReviewedCatalog?, past: PastTurns = PastTurns()
    ) -> Screened {
        var screening = Self(collected, reviewed, past)
        screening.decide()
        screening.order()
        for (field, values) in screening.catalogs.everything {
            screening.result.draft.add(field, values)
        }
        return screening.result
    }

    /// Catalogs and gate facts first: they decide about events wherever they stand.
    private init(
        _ collected: VendorCollector, _ reviewed: ReviewedCatalog?, _ past: PastTurns
    ) {
        self.collected = collected
        self.past = past
        self.reviewed = reviewed
        catalogs = collected.catalogHistory
        gate = GateHistory(collected.gate)
        firstGaps = collected.gate.firstGaps
        result.withheld = collected.withheld
        result.isReviewed = reviewed != nil
    }

    private mutating func decide() {
        for (key, line) in collected.events {
            do throws(Refusal) {
                let (event, values) = try event(key, line)
                let occasion = line.occasion(key)
                if past.contain(key, occasion) { result.past.insert(key) }
                pass(
                    Passed(event: event, appendTime: line.appendTime, values: values), occasion)
            } catch {
                result.withheld.add(error.reason)
            }
        }
    }

    private mutating func pass(_ event: Passed, _ occasion: Occasion) {
        guard let known = passed[occasion] else {
            passed[occasion] = event
            return
        }
        result.withheld.add(.repeatedEvents)
        let (told, other) = event.precedes(known) ? (event, known) : (known, event)
        if result.past.contains(other.event.key) { result.past.insert(told.event.key) }
        passed[occasion] = told
    }

    /// Sorts the events. An id stands once in the log for each type, and to the vendor it is one
    /// event: so the first of them is told.
    private mutating func order() {
        var told: Set<RandomID> = []
        for passed in passed.values.sorted(by: { VendorEvent.precedes($0.event, $1.event) }) {
            if told.insert(passed.event.id).inserted {
                result.events.append(passed.event)
                // Those of an event that is gone are gone with it.
                for (reason, count) in passed.values { result.withheld.add(reason, count) }
            } else {
                result.withheld.add(.repeatedEvents)
            }
        }
    }

    // MARK: One event

    private struct Refusal: Error {
        let reason: WithheldReason
        init(_ reason: WithheldReason) { self.reason = reason }
    }

    private mutating func event(
        _ key: FactKey, _ line: EventLine
    ) throws(Refusal) -> (VendorEvent, [ValueCount]) {
        let evaluation = line.evaluation
        let usage: EvaluationUsages = key.kind == .aiSuppressed ? .suppression : .textInput
        let places = collected.places(of: key)
        guard gate.wasOn(at: places, in: line.session?.bits), !collected.isStopped(evaluation)
        else { throw Refusal(.gateOff) }
        guard !collected.isEvaluation(evaluation, butFor: usage) else { throw Refusal(.otherUsage) }
        guard !mayBeLost(evaluation, before: places) else { throw Refusal(.lostEvaluation) }
        guard let id = random(key.id, naming: evaluation) else { throw Refusal(.eventID) }
        guard let named = line.session, !named.isDigest,
            let session = random(named.bits, naming: evaluation)
        else { throw Refusal(.sessionID) }
        guard let time = EventTime(microseconds: line.place.time) else { throw Refusal(.time) }
        let body: VendorEvent.Body
        var counts: [ValueCount] = []
        switch line.body {
        case .suppression(let message, let action): body = try suppression(message, action)
        case .inference(let field, let status, let values):
            let field = try reviewed(field)
            let (result, found) = inference(field, status, values, at: line.place.time)
            body = .inference(field, result)
            counts = found.filter { $0.count > 0 }
        }
        return (VendorEvent(id: id, time: time, session: session, body: body), counts)
    }

    /// Whether an evaluation is not in the log and may have stood in a line before an event's that is missing:
    /// nobody knows what it was for.
    private func mayBeLost(_ evaluation: UniqueID, before places: Set<Place>) -> Bool {
        if evaluation == UniqueID(high: 0, low: 0) || collected.isEvaluation(evaluation) {
            return false
        }
        return places.contains { place in
            firstGaps[place.writer].map { $0 <= place.sequence } ?? false
        }
    }

    /// An id that is that of no evaluation.
    private func random(_ id: UniqueID, naming evaluation: UniqueID) -> RandomID? {
        id == evaluation || collected.isEvaluation(id) ? nil : RandomID(id)
    }

    private mutating func suppression(
        _ message: Identifier?, _ action: MissAction?
    ) throws(Refusal) -> VendorEvent.Body {
        guard let message else { throw Refusal(.messageID) }
        guard let action else { throw Refusal(.missBehavior) }
        result.draft.add(message)
        if let reviewed, !reviewed.allows(message) { throw Refusal(.unreviewedMessage) }
        return .suppression(message: message, action)
    }

    private mutating func reviewed(_ field: FormField?) throws(Refusal) -> FormField {
        guard let field else { throw Refusal(.formField) }
        result.draft.add(field, [])
        if let reviewed, !reviewed.allows(field) { throw Refusal(.unreviewedField) }
        return field
    }

    private func inference(
        _ field: FormField, _ status: InferenceStatus, _ report: EventLine.Values, at time: Int64
    ) -> (InferenceResult, [ValueCount]) {
        guard status == .success else {
            let (_, count) = ListedValue.admit(report, from: [])
            return (.failed, [(.valueOfFailure, count)])
        }
        let listed = catalogs.values(of: field, at: time)
        let (values, refusedCount) = ListedValue.admit(report, from: listed ?? [])
        let unlisted: ValueCount = (listed == nil ? .noCatalog : .unlistedValue, refusedCount)
        let allowed = values.filter { reviewed?.allows($0, of: field) ?? $0.isName }
        let unreviewed: ValueCount = (.unreviewedValue, values.count - allowed.count)
        return (.success(allowed), [unlisted, unreviewed])
    }
}
