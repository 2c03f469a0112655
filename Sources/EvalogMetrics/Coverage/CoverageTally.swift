// Counts what a coverage consists of, part by part.

import DeviceTiers
import EvalogFacts
import EvalogText

struct CoverageTally {
    private struct Key: Hashable {
        var tier: DeviceTier
        /// Nil where there was a model.
        var cause: OutcomeClass?
    }

    /// What a session has come to so far.
    private struct Session {
        var last: (time: Int64, id: UniqueID)
        /// Of the last evaluation; a session is on one device.
        var key: Key
        var hadModel: Bool
    }

    private var evaluations: [Key: Int] = [:]
    private var sessions: [Key: Int] = [:]
    private var aside = 0
    private var unsessioned = 0

    /// Counts all evaluations of some sessions.
    mutating func add(_ collector: FactCollector, _ rules: MetricsRules) {
        let plan = DimensionPlan(collector, rules, withoutTests: true)
        let tiers = (0..<collector.dimensions.count).map(collector.dimensions.tier)
        let records = collector.records
        var found: [UInt32: Session] = [:]
        for row in 0..<records.count {
            let code = records.bits[row].code
            guard code.isEvaluation else { continue }
            let dimension = Int(records.dimensions[row])
            guard plan.passes[dimension], plan.passes(code.outcome),
                rules.covers(records.times[row])
            else { continue }
            let outcomeClass = code.outcomeClass
            guard let hadModel = outcomeClass.hadModel else {
                aside += 1
                continue
            }
            let key = Key(tier: tiers[dimension], cause: hadModel ? nil : outcomeClass)
            evaluations[key, default: 0] += 1
            let session = records.sessions[row]
            guard session != 0 else {
                unsessioned += 1
                continue
            }
            let place = (time: records.times[row], id: records.id(row))
            var known = found[session] ?? Session(last: place, key: key, hadModel: false)
            if (place.time, place.id) >= (known.last.time, known.last.id) {
                (known.last, known.key) = (place, key)
            }
            known.hadModel = known.hadModel || hadModel
            found[session] = known
        }
        for session in found.values {
            let cause = session.hadModel ? nil : session.key.cause
            sessions[Key(tier: session.key.tier, cause: cause), default: 0] += 1
        }
    }

    var coverage: Coverage {
        var coverage = Coverage()
        coverage.aside = aside
        coverage.unsessioned = unsessioned
        for tier in DeviceTier.allCases {
            var row = Coverage.Row(tier: tier)
            let keys = Set(evaluations.keys).union(sessions.keys).filter { $0.tier == tier }
            guard !keys.isEmpty else { continue }
            for key in keys {
                let (ones, whole) = (evaluations[key] ?? 0, sessions[key] ?? 0)
                row.evaluations += ones
                row.sessions += whole
                guard let cause = key.cause else { continue }
                row.causes.append(
                    Coverage.Cause(outcomeClass: cause, evaluations: ones, sessions: whole))
            }
            row.causes.sort {
                $0.outcomeClass.columns.lexicographicallyPrecedes($1.outcomeClass.columns)
            }
            coverage.rows.append(row)
        }
        return coverage
    }
}
