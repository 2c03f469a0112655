// Where there was no model, and where none was to be expected: section "coverage" of docs/metrics.md.

package import DeviceTiers
import EvalogFacts
package import Statistics

/// Evaluations and sessions without a model, by the tier of their device.
package struct Coverage: Sendable {
    /// Why there was no model.
    package struct Cause: Sendable {
        package var outcomeClass: OutcomeClass
        package var evaluations = 0
        package var sessions = 0
    }

    /// What evaluations of one tier come to.
    package struct Row: Sendable {
        package let tier: DeviceTier
        /// Those that tell whether there was a model.
        package var evaluations = 0
        package var sessions = 0
        /// In the order of the columns of `outcomes.csv`; they add up to what was without a model.
        package var causes: [Cause] = []

        package var evaluationsWithout: Int { causes.reduce(0) { $0 + $1.evaluations } }
        package var sessionsWithout: Int { causes.reduce(0) { $0 + $1.sessions } }
    }

    /// The tiers that occur, in the order of their cases.
    package internal(set) var rows: [Row] = []
    /// Evaluations that tell nothing of a model: cancelled, or skipped before one was looked for.
    package internal(set) var aside = 0
    /// Evaluations of ``rows`` without a session, which are in no session's count.
    package internal(set) var unsessioned = 0

    /// All evaluations that tell whether there was a model, and of these the ones without.
    package var evaluations: Proportion? {
        Proportion(sum(rows, \.evaluationsWithout), of: sum(rows, \.evaluations))
    }
    /// The same of sessions.
    package var sessions: Proportion? {
        Proportion(sum(rows, \.sessionsWithout), of: sum(rows, \.sessions))
    }
    /// Of the evaluations on devices that the rules know, those where the rules expect no model.
    package var expected: Proportion? {
        Proportion(
            sum(rows.filter { $0.tier.hasModel == false }, \.evaluations),
            of: sum(judged, \.evaluations))
    }
    /// Of the same evaluations, those that had none.
    package var observed: Proportion? {
        Proportion(sum(judged, \.evaluationsWithout), of: sum(judged, \.evaluations))
    }
    /// Evaluations that reached a model where the rules expect none on the device: another model's, or
    /// the rules are wrong.
    package var answeredUnexpectedly: Int {
        rows.filter { $0.tier.hasModel == false }
            .reduce(0) { $0 + $1.evaluations - $1.evaluationsWithout }
    }
    /// Evaluations of devices that called themselves not eligible where the rules expect a model: the
    /// rules are wrong, or language, region or storage stood in the way.
    package var refusedUnexpectedly: Int {
        rows.filter { $0.tier.hasModel == true }.flatMap(\.causes)
            .filter { $0.outcomeClass.detail == .deviceNotEligible }
            .reduce(0) { $0 + $1.evaluations }
    }

    private var judged: [Row] { rows.filter { $0.tier.hasModel != nil } }

    private func sum(_ rows: [Row], _ count: (Row) -> Int) -> Int {
        rows.reduce(0) { $0 + count($1) }
    }
}

extension OutcomeClass {
    /// Whether a model was there to be asked; nil where that was not looked at.
    var hadModel: Bool? {
        switch outcome {
        case .completed, .failed: true
        case .cancelled: nil
        case .skipped: reason == .noModel || reason == .modelUnavailable ? false : nil
        }
    }
}

extension MetricsRun {
    /// Counts evaluations and sessions without a model; the windows and groups of the rules do not matter.
    ///
    /// - Parameter scan: As for the tables.
    package func coverage<Failure: Error>(
        scan: ([FactSink]) throws(Failure) -> Void
    ) throws(Failure) -> Coverage {
        var tally = CoverageTally()
        try forEachSessionPart(scan: scan) { evaluations, _ in tally.add(evaluations, rules) }
        return tally.coverage
    }
}
