// What one app does at one moment, as the lines that it leaves.

import EvalogFacts
import EvalogText

/// Collects the lines of one activity of one visit.
struct Activity {
    let visit: Visit
    /// The device's clock.
    var time: Int64
    let hasFaults: Bool
    var chance: Chance
    private(set) var lines: [Workload.Line] = []

    init(visit: Visit, time: Int64, hasFaults: Bool, chance: Chance) {
        self.visit = visit
        self.time = time
        self.hasFaults = hasFaults
        self.chance = chance
    }

    private static let second: Int64 = 1_000_000
    private static let halfHour: Int64 = 1_800_000_000

    // MARK: Features

    /// One to eight evaluations of one place, as banners come and go.
    mutating func selectEmbedded() {
        let subject = chance.happens(30) ? nil : chance.pick(Cast.subjects)
        for round in 0...chance.below(8) {
            if round > 0 {
                switch chance.below(40) {
                case 0: time += Self.halfHour
                case 1: time += Self.halfHour + 1
                case 2: break
                case 3: time += 1
                default: time += 1 + chance.below(Self.second * 120)
                }
            }
            append(evaluation(of: Cast.embedded, subject: subject))
        }
    }

    /// Decisions on a message, some of them in the same microsecond, and what followed from them.
    mutating func suppress() {
        let subject = chance.happens(20) ? nil : chance.pick(Cast.messages)
        for _ in 0...(chance.happens(150) ? 1 + chance.below(2) : 0) {
            let fact = evaluation(of: Cast.suppression, subject: subject)
            append(fact)
            guard fact.outcome == .completed, chance.happens(400) else { continue }
            for _ in 0...(chance.happens(30) ? 1 : 0) {
                var event = SuppressionFact(
                    id: .random(using: &chance), time: end(of: fact),
                    evaluation: named(fact),
                    missBehavior: chance.pick([.cancel, .skip, .penalize, .other]))
                event.subject = subject
                event.session = visit.session
                lines.append(Workload.Line(.aiSuppressed(event)))
            }
        }
    }

    /// A form field that is filled in, inferred from, perhaps again, and submitted.
    mutating func inferText() {
        let form = chance.pick(Cast.forms)
        var last = evaluation(of: Cast.textInput, subject: form.subject)
        append(last)
        while chance.happens(300) {
            time += 500_000 + chance.below(Self.second * 20)
            last = evaluation(of: Cast.textInput, subject: form.subject)
            append(last)
        }
        guard chance.happens(700) else { return }
        var event = FormInferenceFact(
            id: .random(using: &chance), time: end(of: last), evaluation: named(last),
            status: last.outcome == .completed ? .success : .failure)
        event.subject = form.subject
        event.session = visit.session
        if event.status == .success {
            event.report = form.report.compactMap { member in
                chance.happens(50)
                    ? nil : .init(name: member.name, value: chance.pick(member.values))
            }
        }
        lines.append(Workload.Line(.formInference(event)))
    }

    mutating func askCustom() {
        append(evaluation(of: Cast.custom, subject: chance.happens(600) ? nil : "queue"))
    }

    // MARK: Other lines

    mutating func publishCatalog() {
        let form = chance.pick(Cast.forms)
        let fact = CatalogFact(
            id: .random(using: &chance), time: time, subject: form.subject, report: form.report)
        lines.append(Workload.Line(.catalog(fact)))
    }

    mutating func switchGate() {
        let fact = GateFact(
            id: .random(using: &chance), time: time, isOnDeviceAIEnabled: chance.happens(500))
        lines.append(Workload.Line(.gate(fact)))
    }

    mutating func loseLines() {
        let fact = LogGapFact(
            id: .random(using: &chance), time: time,
            stream: chance.pick([.facts, .content]), since: time - chance.below(Self.halfHour),
            refused: 1 + chance.below(Int64(500)), cause: chance.pick(GapCause.allCases))
        lines.append(Workload.Line(.logGap(fact)))
    }

    /// A line of a type that only a later version knows.
    mutating func sayTheUnknown() {
        guard hasFaults else { return }
        var bytes: [UInt8] = []
        let id = UniqueID.random(using: &chance)
        JSONWriter.append(to: &bytes) { json in
            json.beginObject()
            json.key("v" as StaticString)
            json.integer(1)
            json.key("type" as StaticString)
            json.string("thermal_state" as StaticString)
            json.key("id" as StaticString)
            json.id(id)
            json.key("time" as StaticString)
            json.time(time)
            json.key("level" as StaticString)
            json.integer(3)
            json.endObject()
        }
        lines.append(Workload.Line(unknown: bytes))
    }

    // MARK: Evaluations

    private mutating func append(_ fact: EvaluationFact) {
        lines.append(Workload.Line(.evaluation(fact)))
    }

    private mutating func evaluation(of usage: String, subject: String?) -> EvaluationFact {
        // Some facts of an app that was offline come days later.
        let isLate = hasFaults && chance.happens(5)
        let start = isLate ? time - chance.below(Int64(3 * 86_400_000_000)) : time
        var fact = EvaluationFact(
            id: .timeOrdered(microseconds: start, using: &chance), time: start, usage: usage,
            outcome: .completed, attempts: 1)
        fact.subject = subject
        fact.session = visit.session
        fact.model = visit.model
        fact.os = visit.os
        fact.device = visit.device
        fact.app = visit.app
        fact.duration = chance.duration(median: Cast.median(model: visit.model))
        decideOutcome(of: &fact)
        if chance.happens(5) {
            fact.duration = nil
            fact.isDurationInvalid = chance.happens(700)
        }
        fact.isTimeAssumed = chance.happens(5)
        return fact
    }

    private mutating func decideOutcome(of fact: inout EvaluationFact) {
        switch chance.below(100) {
        case 0..<82:
            fact.attempts = chance.happens(80) ? 2 + Int32(chance.below(3)) : 1
            fact.isDecoded = !chance.happens(6)
        case 82..<90:
            fact.outcome = .skipped
            fact.attempts = 0
            fact.duration = chance.happens(500) ? 0 : chance.below(Int64(900))
            let reason = chance.pick(SkipReason.allCases)
            fact.reason = reason
            if reason == .modelUnavailable { fact.detail = chance.pick(SkipDetail.allCases) }
        case 90..<96:
            fact.outcome = .failed
            let error = chance.pick(ErrorClass.allCases)
            fact.error = error
            fact.attempts = 1 + Int32(chance.below(3))
            if error == .timeout { fact.duration = 30_000_000 + chance.below(Self.second / 5) }
        default:
            fact.outcome = .cancelled
            fact.attempts = Int32(chance.below(2))
            fact.duration = chance.below(fact.duration ?? Self.second)
        }
    }

    private mutating func end(of fact: EvaluationFact) -> Int64 {
        fact.time + (fact.duration ?? 0) + chance.below(Self.second)
    }

    /// The evaluation that an event names: nearly always the one that it followed from.
    private mutating func named(_ fact: EvaluationFact) -> UniqueID {
        hasFaults && chance.happens(10) ? .random(using: &chance) : fact.id
    }
}
