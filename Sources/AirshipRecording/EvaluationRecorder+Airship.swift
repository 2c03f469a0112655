// The evaluator's records and events, as a recorder takes them. What an error says goes to content
// only; a fact gets its class.

public import AirshipCore
public import EvalogRecording
import Foundation

extension EvaluationRecorder {
    /// Records every evaluation of a manager that ends, and every event that is reported, from now on
    /// until the recorder is closed.
    ///
    /// The app's observer stays its own, and is told after the recorder. The manager keeps the
    /// recorder, which does not keep the manager. Attaching again changes nothing.
    ///
    /// ``flush()``, ``suspend()`` and ``close()`` first take in what was reported before the call, and
    /// with it every evaluation that had returned; for each manager they wait at most five seconds.
    /// They do not wait when a receiver calls them from within what it is told. One that was attached
    /// before the recorder is also told before it, so there they leave out what it is just told of:
    /// a flush later writes it, and after ``close()`` it is lost and counted.
    public func attach(to manager: any AirshipAI.Manager) {
        manager.attach(self)
        // Not the manager's: what it told when it went away is still on its way.
        let channel = (manager as? AirshipAI.Evaluator)?.channel
        follow(
            ObservationSource(
                of: manager, deliver: { channel?.drain() ?? true },
                detach: { [weak manager] in manager?.detach($0) }))
    }
}

extension EvaluationRecorder: AirshipAI.Sink {
    /// Records one observation; ``attach(to:)`` has it called.
    public func receive(_ observation: AirshipAI.Observation) {
        switch observation {
        case .evaluation(let evaluation):
            record(ObservedEvaluation(evaluation, keeping: content))
        case .event(let event): record(FeatureReport(event))
        case .attached(let isEnabled): learnGate(isOnDeviceAIEnabled: isEnabled)
        }
    }
}

extension ObservedEvaluation {
    /// What is offered and answered is turned into text only where the choice is to keep it.
    fileprivate init(_ record: AirshipAI.EvaluationRecord, keeping content: ContentRetention) {
        let isFailure =
            if case .failed = record.outcome { !record.isCancelled } else { !record.isDecoded }
        let isKept = record.skipCause != .aiDisabled && content.keeps(isFailure: isFailure)
        self.init(
            usage: record.usage.rawValue, ending: Ending(record, keepsText: isKept),
            attempts: record.attempts)
        id = record.id.uuidString
        time = record.startedAt.microseconds
        subject = record.subjectID
        session = record.sessionID?.uuidString
        model = record.model
        duration = .seconds(record.duration)
        isDecoded = record.isDecoded
        // Also where no content is kept: without a subject, their digest stands for it.
        request.instructions = record.request.instructions
        guard isKept else { return }
        request.schema = try? record.request.schema.toString()
        request.context = record.request.context.items.map {
            ContextItem(content: $0.content, priority: $0.priority)
        }
    }
}

extension ObservedEvaluation.Ending {
    fileprivate init(_ record: AirshipAI.EvaluationRecord, keepsText: Bool) {
        switch record.outcome {
        case .completed(let output):
            self = .completed(output: keepsText ? try? output.toString() : nil)
        case .skipped(let reason):
            self = record.skipCause.map { Self($0) } ?? .skipped(reason: reason)
        case .failed where record.isCancelled: self = .cancelled
        case .failed(let error):
            self = .failed(
                error: keepsText ? String(describing: error) : "",
                class: AirshipAI.ErrorClass(classifying: error).rawValue)
        }
    }

    private init(_ cause: AirshipAI.SkipCause) {
        self =
            switch cause {
            case .aiDisabled: .skipped(reason: "ai_disabled")
            case .noModel: .skipped(reason: "no_model")
            case .noContext: .skipped(reason: "no_context")
            case .modelUnavailable(let reason): Self(reason)
            }
    }

    private init(_ reason: AirshipAI.UnavailableReason) {
        self =
            switch reason {
            case .deviceNotEligible: .unavailable("device_not_eligible")
            case .missingModel: .unavailable("missing_model")
            case .notEnabled: .unavailable("not_enabled")
            case .other(let words): .unavailable("other", words)
            }
    }

    /// - Parameter words: What content keeps of the reason, if it has more than a name.
    private static func unavailable(_ detail: String, _ words: String? = nil) -> Self {
        .skipped(reason: "model_unavailable: " + (words ?? detail), detail: detail)
    }
}

extension FeatureReport {
    fileprivate init(_ event: AirshipAI.FeatureEvent) {
        self.init(Kind(event.kind))
        id = event.id.uuidString
        time = event.time.microseconds
        session = event.sessionID?.uuidString
    }
}

extension FeatureReport.Kind {
    fileprivate init(_ kind: AirshipAI.FeatureEvent.Kind) {
        switch kind {
        case .aiSuppressed(let evaluation, let message, let missBehavior):
            self = .suppressed(
                evaluation: evaluation.uuidString, message: message,
                missBehavior: missBehavior.rawValue)
        case .formInference(let evaluation, let field, let status, let report):
            self = .formInference(
                evaluation: evaluation?.uuidString, field: field, isSuccess: status == .success,
                values: report.mapValues(ReportedValue.init))
        case .catalog(let field, let report):
            self = .catalog(
                field: field, values: report.mapValues { $0.map(ReportedValue.init) })
        case .gate(let isEnabled): self = .gate(isOnDeviceAIEnabled: isEnabled)
        }
    }
}

extension ReportedValue {
    fileprivate init(_ value: AirshipAI.ReportValue) {
        switch value {
        case .text(let text): self = .text(text)
        case .flag(let flag): self = .flag(flag)
        }
    }
}

extension Date {
    /// Since 1970; nil for what no clock shows.
    fileprivate var microseconds: Int64? {
        Int64(exactly: (timeIntervalSince1970 * 1_000_000).rounded())
    }
}
