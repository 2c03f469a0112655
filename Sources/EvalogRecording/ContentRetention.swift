// What of the confidential half is kept and for how long, as somebody chose it.

package import EvalogContent
package import EvalogFacts
import EvalogText

/// How much content goes into the log, and for how many days. There is no default: whoever opens
/// a log for writing says it.
///
/// Days are taken within 1 to 400. Content is deleted in whole segments, so some of it stays up to
/// a day longer.
public enum ContentRetention: Hashable, Sendable {
    /// Keeps no content. What was kept before ages as if a week had been chosen.
    case off
    /// Keeps that of evaluations that failed, or whose answer the feature could not decode.
    case failures(days: Int)
    case all(days: Int)

    /// Reads `off`, `failures` or `all`, of which the last two keep content for a week.
    package init?(name: String) {
        switch name {
        case "off": self = .off
        case "failures": self = .failures(days: RecordingLimits.contentDaysDefault)
        case "all": self = .all(days: RecordingLimits.contentDaysDefault)
        default: return nil
        }
    }

    /// Days after which content is deleted.
    package var days: Int {
        switch self {
        case .off: RecordingLimits.contentDaysDefault
        case .failures(let days), .all(let days):
            min(
                max(days, RecordingLimits.contentDays.lowerBound),
                RecordingLimits.contentDays.upperBound)
        }
    }

    /// Whether content is kept of an evaluation that failed, or of one that did not.
    package func keeps(isFailure: Bool) -> Bool {
        switch self {
        case .off: false
        case .failures: isFailure
        case .all: true
        }
    }

    /// Whether the content that belongs to a fact is kept.
    ///
    /// Of an evaluation that was skipped because on-device AI is off nothing is kept: consent was
    /// withdrawn.
    package func keepsContent(of fact: EvaluationFact) -> Bool {
        fact.reason != .aiDisabled && keeps(isFailure: fact.outcome == .failed || !fact.isDecoded)
    }

    /// Whether what the model would have been told is kept as well: what was never offered to one
    /// is nobody's business.
    static func keepsContext(of fact: EvaluationFact) -> Bool { fact.attempts > 0 }

    /// The content line that belongs to a fact; nil where the choice is not to keep it.
    package func line(of observation: ObservedEvaluation, for fact: EvaluationFact) -> ContentLine?
    {
        guard keepsContent(of: fact) else { return nil }
        var record = ContentRecord(id: fact.id, time: fact.time)
        record.session = fact.session
        record.subject = fact.subject
        record.instructions = observation.request.instructions
        record.schema = observation.request.schema.map(Self.json)
        if Self.keepsContext(of: fact) {
            record.context = observation.request.context.map {
                ContentRecord.Item(content: $0.content, priority: $0.priority)
            }
        }
        switch observation.ending {
        case .completed(let output): record.answer = output.map { .output(Self.json($0)) }
        case .skipped(let reason, _): record.answer = .reason(reason)
        case .failed(let error, _): record.answer = .error(error)
        case .cancelled: break
        }
        return .record(record)
    }

    /// The JSON that a text is, else the JSON string that means it.
    private static func json(_ text: String) -> RawJSON {
        (try? RawJSON(Array(text.utf8))) ?? RawJSON(string: text)
    }
}
