// The fold once more, by the same code as the tables, for whoever asks why: which evaluations fell
// into which impression.

package import EvalogFacts
package import EvalogText

/// Why an impression begins where it does.
package enum ImpressionStart: Hashable, Sendable {
    /// The evaluation has no subject or no session.
    case unkeyed
    /// The gap of its usage is 0: each decision stands alone.
    case alone
    /// Its key has no earlier evaluation.
    case first
    /// So many µs after the previous evaluation of the key, more than the gap.
    case gap(since: Int64)
    /// The impression before has lasted for 24 h.
    case span
}

/// An impression that the rules let pass, with what was folded into it.
package struct TracedImpression: Sendable {
    /// Why its first evaluation began it.
    package var start: ImpressionStart
    /// The longest pause within an impression of its usage, in µs.
    package var gap: Int64
    /// As `impressions.csv` counts it.
    package var outcome: Outcome
    /// Whether every evaluation is named by an `ai_suppressed`; nil outside the suppression usage.
    package var isSuppressed: Bool?
    /// The numbers of its evaluations in the trace, in order.
    package var evaluations: [Int]
}

/// An evaluation as it counts.
package struct TracedEvaluation: Sendable {
    /// What the line that stays says.
    package var fact: EvaluationFact
    /// All lines with its id.
    package var lineCount: Int
    /// Of these, the ones that say it in other bytes.
    package var conflictCount: Int
    /// What names it, in order of time and id.
    package var events: [TracedEvent]
}

/// An event that names an evaluation.
package struct TracedEvent: Hashable, Sendable {
    package var id: UniqueID
    package var time: Int64
    package var subject: String?
    /// Nil for an `ai_suppressed`, else what became of the `form_inference`.
    package var status: InferenceStatus?
    /// What it reported, by field.
    package var report: [String: String]
}

/// Impressions with their evaluations. Keeps the facts it was made from.
package struct ImpressionTrace {
    /// In order of time and id of their first evaluations.
    package let impressions: [TracedImpression]
    private let collector: FactCollector
    private let events: [UniqueID: [Int]]
    private let claims: [Int: [Claim]]

    init(_ collector: FactCollector, _ rules: MetricsRules) {
        self.collector = collector
        let suppressed = collector.rows(ofEvaluations: collector.suppressedIDs)
        let fold = ImpressionFold(
            collector: collector, rules: rules, plan: DimensionPlan(collector, rules),
            groupNumbers: [], suppressed: suppressed)
        impressions = fold.traced(rules).sorted { left, right in
            let (a, b) = (left.evaluations[0], right.evaluations[0])
            return (collector.records.times[a], collector.records.id(a))
                < (collector.records.times[b], collector.records.id(b))
        }
        events = Dictionary(grouping: collector.rowsOfNamingEvents) {
            collector.records.payloads[Int(collector.records.sessions[$0])].evaluation
        }
        claims = Dictionary(grouping: (0..<collector.claims.count).map { collector.claims[$0] }) {
            Int($0.row)
        }
    }

    /// The id of an evaluation, without making the rest of it.
    package func id(_ number: Int) -> UniqueID { collector.records.id(number) }

    /// An evaluation by its number.
    package func evaluation(_ number: Int) -> TracedEvaluation {
        let lines = claims[number] ?? []
        let digest = collector.records.digests[number]
        let all = lines.reduce(0) { $0 + Int($1.lineCount) }
        let other = lines.reduce(0) { $0 + ($1.digest == digest ? 0 : Int($1.lineCount)) }
        return TracedEvaluation(
            fact: collector.evaluationFact(number),
            lineCount: lines.isEmpty ? collector.records.bits[number].copies : all,
            conflictCount: other,
            events: (events[id(number)] ?? []).map(collector.tracedEvent)
                .sorted { ($0.time, $0.id) < ($1.time, $1.id) })
    }
}

extension ImpressionFold {
    fileprivate func traced(_ rules: MetricsRules) -> [TracedImpression] {
        var traced: [TracedImpression] = []
        func add(_ items: ArraySlice<Item>, _ start: ImpressionStart) {
            guard let impression = impression(items), let first = items.first else { return }
            traced.append(
                TracedImpression(
                    start: start, gap: gap(of: first), outcome: impression.outcome,
                    isSuppressed: impression.isSuppressed, evaluations: items.map(\.row)))
        }
        let records = collector.records
        for row in 0..<records.count where records.bits[row].code.isEvaluation {
            if records.sessions[row] == 0 || records.subjects[row] == 0 {
                add([item(row)], .unkeyed)
            }
        }
        let order = FoldOrder(collector, rules)
        forEachImpression(order, order.sessions(part: 0, of: 1)) { items, previous in
            add(items, start(of: items, after: previous))
        }
        return traced
    }

    private func start(of items: ArraySlice<Item>, after previous: Item?) -> ImpressionStart {
        let first = items[items.startIndex]
        let gap = gap(of: first)
        if gap == 0 { return .alone }
        guard let previous else { return .first }
        let since = first.time - previous.time
        return since > gap ? .gap(since: since) : .span
    }
}

extension FactCollector {
    /// Events that name an evaluation.
    fileprivate var rowsOfNamingEvents: [Int] {
        (0..<records.count).filter { row in
            let code = records.bits[row].code
            return (code == .suppression || code.isInference)
                && records.payloads[Int(records.sessions[row])].namesEvaluation
        }
    }

    private func text(_ name: UInt32) -> String? {
        name == 0 ? nil : String(decoding: names.bytes(name), as: UTF8.self)
    }

    fileprivate func evaluationFact(_ row: Int) -> EvaluationFact {
        let bits = records.bits[row]
        let found = bits.code.outcomeClass
        let combination = dimensions[Int(records.dimensions[row])]
        var fact = EvaluationFact(
            id: records.id(row), time: records.times[row], usage: text(combination.usage) ?? "",
            outcome: found.outcome, attempts: Int32(clamping: attempts(of: row, bits)))
        fact.isTimeAssumed = bits.isTimeAssumed
        fact.subject = text(records.subjects[row])
        let session = records.sessions[row]
        fact.session = session == 0 ? nil : sessions.session(session)
        fact.model = text(combination.model)
        fact.os = text(combination.os)
        fact.device = text(combination.device)
        fact.app = text(combination.app)
        fact.reason = found.reason
        fact.detail = found.detail
        fact.error = found.error
        fact.duration = bits.duration.map { Int64(clamping: $0) }
        fact.isDurationInvalid = bits.isDurationInvalid
        fact.isDecoded = !bits.isUndecoded
        return fact
    }

    fileprivate func tracedEvent(_ row: Int) -> TracedEvent {
        let code = records.bits[row].code
        let payload = records.payloads[Int(records.sessions[row])]
        var report: [String: String] = [:]
        if payload.report != 0 {
            FactView.forEachValue(ofReport: names.bytes(payload.report)) { field, value in
                report[String(decoding: field, as: UTF8.self)] =
                    String(decoding: value.text, as: UTF8.self)
            }
        }
        let status: InferenceStatus? =
            code.isInference ? (code == .inferenceSuccess ? .success : .failure) : nil
        return TracedEvent(
            id: records.id(row), time: records.times[row], subject: text(payload.subject),
            status: status, report: report)
    }
}
