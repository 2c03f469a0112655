// What of the confidential half is kept, as somebody chose it.

package import EvalogContent
package import EvalogFacts

/// How much content goes into the log. There is no default: whoever opens a log for writing says it.
package enum ContentChoice: String, CaseIterable, Sendable {
    case off
    /// Evaluations that failed, or whose answer the feature could not decode.
    case failures
    case all

    /// The content line that belongs to a fact; nil where the choice is not to keep it.
    package func line(of observation: Observation, for fact: EvaluationFact) -> ContentLine? {
        guard keeps(fact) else { return nil }
        var record = ContentRecord(id: fact.id, time: fact.time)
        record.session = fact.session
        record.subject = fact.subject
        record.instructions = observation.request.instructions
        record.schema = observation.request.schema
        if fact.attempts > 0 {
            // What was never offered to a model is nobody's business.
            record.context = observation.request.context.map {
                ContentRecord.Item(content: $0.content, priority: $0.priority)
            }
        }
        switch observation.ending {
        case .completed(let output): record.answer = output.map { .output($0) }
        case .skipped(let reason, _): record.answer = .reason(reason)
        case .failed(let error, _): record.answer = .error(error)
        case .cancelled: break
        }
        return .record(record)
    }

    private func keeps(_ fact: EvaluationFact) -> Bool {
        switch self {
        case .off: false
        case .failures: fact.outcome == .failed || !fact.isDecoded
        case .all: true
        }
    }
}
