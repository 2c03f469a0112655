// The bridge for an app on the vendor's SDK. Copy this file into the app; it needs the five fields
// that the vendor documents, and nothing else of its module.

import AirshipCore
import EvalogRecording
import Foundation

extension EvaluationRecorder {
    /// Records one evaluation; call it from the app's observer.
    func record(_ evaluation: AirshipAI.EvaluationRecord, session: UUID? = nil) {
        var observed = ObservedEvaluation(
            usage: evaluation.usage.rawValue, ending: .init(evaluation.outcome),
            attempts: evaluation.attempts)
        observed.duration = .seconds(evaluation.duration)
        observed.session = session?.uuidString
        observed.request.instructions = evaluation.request.instructions
        observed.request.schema = jsonText(evaluation.request.schema)
        observed.request.context = evaluation.request.context.items.map {
            .init(content: $0.content, priority: $0.priority)
        }
        record(observed)
    }
}

extension ObservedEvaluation.Ending {
    fileprivate init(_ outcome: AirshipAI.EvaluationRecord.Outcome) {
        self =
            switch outcome {
            case .completed(let output): .completed(output: jsonText(output))
            case .skipped(let reason): .skipped(reason: reason)
            case .failed(is CancellationError): .cancelled
            // The text goes to content alone. Name the class of errors that you know.
            case .failed(let error): .failed(error: String(describing: error), class: "other")
            }
    }
}

private func jsonText(_ value: some Encodable) -> String? {
    (try? JSONEncoder().encode(value)).map { String(decoding: $0, as: UTF8.self) }
}
