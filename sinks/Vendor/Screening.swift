// From the facts of a log to the events that may leave. What does not pass is counted and gone.

import EvalogFacts
import EvalogText

/// The outcome of a screening: what may leave, and what there was.
package struct Screened: Sendable {
    /// In the order of the file.
    package fileprivate(set) var events: [VendorEvent] = []
    /// What did not pass.
    package fileprivate(set) var withheld = Withheld()
    /// Other names of an event in the log: those of the same suppression or submission.
    fileprivate(set) var twins: [FactKey: Set<FactKey>] = [:]
    /// What a person would have to review to let all of this leave.
    package fileprivate(set) var draft = ReviewedCatalog()
}

/// Decides event by event. The result depends on the lines alone, not on their order.
package struct Screening {
    private let collected: VendorCollector
    private let reviewed: ReviewedCatalog?
    private var catalogs = CatalogHistory()
    private var gates = GateHistory()
    private var result = Screened()
    private var passed: [Occasion: VendorEvent] = [:]

    /// What an event is about: a second one of the same occasion is told once.
    private enum Occasion: Hashable {
        case decision(UniqueID)
        case submission(FormField, session: RandomID, evaluation: UniqueID, time: Int64)
        case own(RandomID)
    }

    /// - Parameters:
    ///   - collected: From all threads.
    ///   - reviewed: What a person lets leave; nil: whatever else allows.
    /// - Returns: O(n log n) in the lines collected.
    package static func screen(
        _ collected: VendorCollector, reviewed: ReviewedCatalog?
    ) -> Screened {
        var screening = Self(collected, reviewed)
        screening.learn()
        screening.decide()
        screening.order()
        for (place, values) in screening.catalogs.everything {
            screening.result.draft.add(place, values)
        }
        return screening.result
    }

    private init(_ collected: VendorCollector, _ reviewed: ReviewedCatalog?) {
        self.collected = collected
        self.reviewed = reviewed
        result.withheld = collected.withheld
    }

    /// Catalogs and switches first: they decide about events wherever they stand.
    private mutating func learn() {
        forEachView(of: [.catalog, .gate]) { screening, view in
            screening.countOddities(of: view)
            if view.kind == .catalog {
                screening.catalogs.add(view)
            } else {
                screening.gates.add(view)
            }
        }
        catalogs.sort()
        gates.sort()
    }

    private mutating func decide() {
        forEachView(of: [.aiSuppressed, .formInference]) { screening, view in
            screening.countOddities(of: view)
            do throws(Refusal) {
                let (event, occasion) = try screening.event(view)
                screening.pass(event, occasion)
            } catch {
                screening.result.withheld.add(error.reason)
            }
        }
    }

    private mutating func forEachView(
        of kinds: Set<FactKind>, _ body: (inout Self, borrowing FactView) -> Void
    ) {
        var decoder = FactDecoder()
        for (key, line) in collected.lines where kinds.contains(key.kind) {
            line.bytes.withUnsafeBytes { bytes in
                // Each of these lines was decoded before.
                if let view = try? decoder.decode(bytes) { body(&self, view) }
            }
        }
    }

    private mutating func countOddities(of view: borrowing FactView) {
        result.withheld.add(.unknownKeys, view.unknownKeyCount)
        // Those of subject and session are what the event itself is refused for.
        let otherCount =
            (view.misfitSubject.baseAddress == nil ? 0 : 1)
            + (view.misfitSession.baseAddress == nil ? 0 : 1)
        result.withheld.add(.malformedReport, view.misfitCount - otherCount)
    }

    private mutating func pass(_ event: VendorEvent, _ occasion: Occasion) {
        guard let known = passed[occasion] else {
            passed[occasion] = event
            return
        }
        result.withheld.add(.repeatedEvents)
        let isFirst = VendorEvent.precedes(event, known)
        let (told, other) = isFirst ? (event, known) : (known, event)
        let names = (result.twins.removeValue(forKey: known.key) ?? []).union([other.key])
        result.twins[told.key] = names
        passed[occasion] = told
    }

    /// Sorts the events. An id stands once in the log for each type, and to the vendor it is one
    /// event: so the first of them is told.
    private mutating func order() {
        var told: Set<RandomID> = []
        for event in passed.values.sorted(by: VendorEvent.precedes) {
            if told.insert(event.id).inserted {
                result.events.append(event)
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
        _ view: borrowing FactView
    ) throws(Refusal) -> (VendorEvent, Occasion) {
        let evaluation = view.evaluation ?? UniqueID(high: 0, low: 0)
        guard gates.isOn(at: view.time) else { throw Refusal(.gateOff) }
        guard !collected.otherUsages.contains(evaluation) else { throw Refusal(.otherUsage) }
        guard view.id != evaluation, let id = RandomID(view.id) else { throw Refusal(.eventID) }
        guard let session = view.session, !session.isDigest, session.bits != evaluation,
            let session = RandomID(session.bits)
        else { throw Refusal(.sessionID) }
        guard let time = EventTime(microseconds: view.time) else { throw Refusal(.time) }
        let namesNone = evaluation == UniqueID(high: 0, low: 0)
        if view.kind == .aiSuppressed {
            let body = try suppression(view)
            return (
                VendorEvent(id: id, time: time, session: session, body: body),
                namesNone ? .own(id) : .decision(evaluation)
            )
        }
        let (place, result) = try inference(view)
        return (
            VendorEvent(
                id: id, time: time, session: session, body: .inference(place, result)),
            .submission(place, session: session, evaluation: evaluation, time: view.time)
        )
    }

    private mutating func suppression(
        _ view: borrowing FactView
    ) throws(Refusal) -> VendorEvent.Body {
        guard let message = Identifier(view.subject) else { throw Refusal(.messageID) }
        guard let action = MissAction(view.missBehavior) else { throw Refusal(.missBehavior) }
        result.draft.add(message)
        if let reviewed, !reviewed.allows(message) { throw Refusal(.unreviewedMessage) }
        return .suppression(message: message, action)
    }

    private mutating func inference(
        _ view: borrowing FactView
    ) throws(Refusal) -> (FormField, InferenceResult) {
        guard let place = FormField(view.subject) else { throw Refusal(.formField) }
        result.draft.add(place, [])
        if let reviewed, !reviewed.allows(place) { throw Refusal(.unreviewedField) }
        guard view.status == .success else {
            let (_, count) = ListedValue.admit(view.report, from: [])
            result.withheld.add(.valueOfFailure, count)
            return (place, .failed)
        }
        let listed = catalogs.values(of: place, at: view.time)
        let (values, refusedCount) = ListedValue.admit(view.report, from: listed ?? [])
        result.withheld.add(listed == nil ? .noCatalog : .unlistedValue, refusedCount)
        guard let reviewed else { return (place, .success(values)) }
        let allowed = values.filter { reviewed.allows($0, of: place) }
        result.withheld.add(.unreviewedValue, values.count - allowed.count)
        return (place, .success(allowed))
    }
}
