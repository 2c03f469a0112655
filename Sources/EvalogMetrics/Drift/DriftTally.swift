// What each session did on either side, which is all that a drift is computed from.

import EvalogFacts
import EvalogText
import Statistics

/// Counts of one session in one usage.
struct DriftSession: Sendable {
    /// Completed or failed, and of these the failed.
    var asked = 0
    var failed = 0
    /// Not cancelled, and of these the skipped.
    var ended = 0
    var skipped = 0
    /// Not cancelled, with an attempt, and of these those with more.
    var attempted = 0
    var retried = 0
    /// As in `evaluations.csv`, in µs.
    var durations: [UInt64] = []
    /// Reports by value, of each subject and field.
    var reports: [DriftField: [Name: Int]] = [:]

    mutating func add(_ outcome: Outcome, attempts: Int, duration: UInt64?) {
        guard outcome != .cancelled else { return }
        ended += 1
        switch outcome {
        case .completed: asked += 1
        case .failed: (asked, failed) = (asked + 1, failed + 1)
        case .skipped: skipped += 1
        case .cancelled: break
        }
        guard attempts >= 1 else { return }
        attempted += 1
        if attempts > 1 { retried += 1 }
        if let duration { durations.append(duration) }
    }
}

/// What inferences report on.
struct DriftField: Hashable, Comparable, Sendable {
    var subject: Name
    var field: Name

    static func < (left: Self, right: Self) -> Bool {
        (left.subject, left.field) < (right.subject, right.field)
    }
}

/// Sessions of one usage by side.
struct DriftUsage: Sendable {
    var sessions: [TwoSamples.Side: [DriftSession]] = [.baseline: [], .candidate: []]
    /// Sessions that are on both sides.
    var mixed = 0

    /// Takes a session; nil is one on both sides.
    mutating func add(_ session: DriftSession?, on side: TwoSamples.Side) {
        if let session { sessions[side]?.append(session) } else { mixed += 1 }
    }
}

/// Gathers the sessions of both sides, part by part.
struct DriftTally: Sendable {
    private struct Key: Hashable {
        var usage: UInt32
        /// A session's number, or a row's where there is no session.
        var session: Int
    }

    /// A session of which not all is known yet.
    private struct Found {
        /// Of its first evaluation that was met.
        let side: TwoSamples.Side
        var isMixed = false
        var session = DriftSession()

        mutating func add(_ side: TwoSamples.Side, _ change: (inout DriftSession) -> Void) {
            if side == self.side { change(&session) } else { isMixed = true }
        }
    }

    let rules: MetricsRules
    let drift: DriftRules
    private(set) var usages: [Name: DriftUsage] = [:]
    private(set) var evaluations: [TwoSamples.Side: Int] = [:]
    private(set) var values: [Name: Int] = [:]

    init(_ rules: MetricsRules, _ drift: DriftRules) {
        self.rules = rules
        self.drift = drift
    }

    /// Takes all evaluations of some sessions, and of the events those that name one of them.
    mutating func add(_ evaluations: FactCollector, events: FactCollector) {
        let sides = evaluationSides(evaluations)
        var found: [Key: Found] = [:]
        let records = evaluations.records
        for row in 0..<records.count {
            let bits = records.bits[row]
            guard let side = sides(row) else { continue }
            found[key(row, evaluations), default: Found(side: side)].add(side) {
                $0.add(
                    bits.code.outcome, attempts: evaluations.attempts(of: row, bits),
                    duration: bits.duration)
            }
        }
        for row in 0..<events.records.count where events.records.bits[row].code.isInference {
            let payload = events.records.payloads[Int(events.records.sessions[row])]
            guard payload.namesEvaluation, payload.report != 0,
                let named = evaluations.index.evaluation(payload.evaluation),
                let side = sides(named)
            else { continue }
            let subject = Name(events.names.bytes(payload.subject))
            let key = key(named, evaluations)
            FactView.forEachValue(ofReport: events.names.bytes(payload.report)) { field, value in
                let field = DriftField(subject: subject, field: Name(field))
                found[key]?.add(side) {
                    $0.reports[field, default: [:]][Name(value.text), default: 0] += 1
                }
            }
        }
        for (key, found) in found {
            usages[Name(evaluations.names.bytes(key.usage)), default: DriftUsage()].add(
                found.isMixed ? nil : found.session, on: found.side)
        }
    }

    /// Which side an evaluation is on, by row; nil for none. Counts what there is of each on the way.
    private mutating func evaluationSides(
        _ collector: FactCollector
    ) -> (Int) -> TwoSamples.Side? {
        let plan = DimensionPlan(collector, rules, withoutTests: true)
        let records = collector.records
        let names = (0..<collector.dimensions.count).map {
            collector.dimensions.name(drift.by, of: $0)
        }
        let (baseline, candidate) = (Name(drift.baseline), Name(drift.candidate))
        let sides = names.map { name -> TwoSamples.Side? in
            name == baseline ? .baseline : name == candidate ? .candidate : nil
        }
        func passes(_ row: Int) -> Bool {
            let code = records.bits[row].code
            return code.isEvaluation && plan.passes[Int(records.dimensions[row])]
                && plan.passes(code.outcome) && rules.covers(records.times[row])
        }
        for row in 0..<records.count where passes(row) {
            let dimension = Int(records.dimensions[row])
            values[names[dimension], default: 0] += 1
            if let side = sides[dimension] { evaluations[side, default: 0] += 1 }
        }
        return { [rules] row in
            let code = records.bits[row].code
            guard code.isEvaluation, plan.passes[Int(records.dimensions[row])],
                plan.passes(code.outcome), rules.covers(records.times[row])
            else { return nil }
            return sides[Int(records.dimensions[row])]
        }
    }

    private func key(_ row: Int, _ collector: FactCollector) -> Key {
        let session = Int(collector.records.sessions[row])
        return Key(
            usage: collector.dimensions[Int(collector.records.dimensions[row])].usage,
            session: session == 0 ? -1 - row : session)
    }
}

extension MetricsRun {
    /// Compares the two sides that the rules name; windows and groups of the rules do not matter.
    ///
    /// Takes about 300 bytes for each session of the two sides and 16 for each duration, besides what the
    /// tables take.
    ///
    /// - Parameter scan: As for the tables.
    package func drift<Failure: Error>(
        _ drift: DriftRules, scan: ([FactSink]) throws(Failure) -> Void
    ) throws(Failure) -> Drift {
        var tally = DriftTally(rules, drift)
        try forEachSessionPart(scan: scan) { tally.add($0, events: $1) }
        return DriftComparison(tally).drift
    }
}
