// A form field with an inference, as a value: what the user does goes in, what to do comes out.

package import Foundation

/// Decides when a field's text is sent to a model and what its answer is worth.
package struct TextInputField: Sendable {
    /// Whether a form with this field can be submitted.
    package enum Validity: Sendable {
        case invalid, pending, valid
    }

    /// What an inference said about the current text.
    package enum Inference: Hashable, Sendable {
        /// Nil until an evaluation told so: the model was known to be unavailable.
        case failed(evaluation: UUID?)
        case complete(evaluation: UUID, output: AirshipJSON)

        /// What is left of it once its answer may not be used.
        package var withoutAnswer: Self {
            if case .complete = self { .failed(evaluation: nil) } else { self }
        }
    }

    /// What the caller has to do, in order. A newer token makes every older one void.
    package enum Action: Hashable, Sendable {
        /// Stop what waits or runs.
        case cancel
        /// Call ``idlePassed(token:)`` after ``CoreLimits/textInputIdleDelay``.
        case waitIdle(token: Int)
        /// Ask about the text, then call ``answered(token:evaluation:output:)``.
        case ask(token: Int, text: String)
    }

    /// What a submission has to report.
    package enum Submission: Hashable, Sendable {
        /// The field is not ready; the form cannot be submitted.
        case notReady
        /// No inference belongs to this field, or there was no text.
        case nothing
        /// Report this at once; then act, so that there is a record of the text.
        case report(Inference, [Action])
    }

    /// How far the current text has come.
    private enum Progress {
        case done, waiting, asking
    }

    package private(set) var validity: Validity
    package private(set) var inference: Inference?
    private let isRequired: Bool
    private let hasInference: Bool
    private var text = ""
    private var token = 0
    private var progress = Progress.done
    /// The last completed answer. A failure is not remembered: the same text is asked again.
    private var memo: (text: String, evaluation: UUID, output: AirshipJSON)?

    package init(isRequired: Bool, hasInference: Bool) {
        self.isRequired = isRequired
        self.hasInference = hasInference
        validity = isRequired ? .invalid : .valid
    }

    /// The user changed the text.
    ///
    /// - Parameter isModelAvailable: If not, the field is valid at once and its inference failed;
    ///   the text is still offered after the pause, so that there is a record of it.
    package mutating func edited(_ rawText: String, isModelAvailable: Bool) -> [Action] {
        let trimmed = TextInputEvaluation.text(of: rawText)
        if trimmed == text, progress != .done || !isFailed { return [] }
        let actions: [Action] = progress == .done ? [] : [.cancel]
        text = trimmed
        token += 1
        progress = .done
        inference = nil
        validity = trimmed.isEmpty && isRequired ? .invalid : .valid
        guard hasInference, !trimmed.isEmpty else { return actions }
        if let memo, memo.text == trimmed {
            inference = .complete(evaluation: memo.evaluation, output: memo.output)
            return actions
        }
        progress = .waiting
        if isModelAvailable {
            validity = .pending
        } else {
            inference = .failed(evaluation: nil)
        }
        return actions + [.waitIdle(token: token)]
    }

    /// The text was left alone for long enough.
    package mutating func idlePassed(token: Int) -> [Action] {
        guard token == self.token, progress == .waiting else { return [] }
        progress = .asking
        return [.ask(token: token, text: text)]
    }

    /// An evaluation ended; an answer about an older text is dropped.
    ///
    /// - Parameter output: Nil when it was skipped or failed. The field is valid either way.
    package mutating func answered(token: Int, evaluation: UUID, output: AirshipJSON?) {
        guard token == self.token, progress == .asking else { return }
        progress = .done
        validity = .valid
        if let output {
            memo = (text, evaluation, output)
            inference = .complete(evaluation: evaluation, output: output)
        } else {
            inference = .failed(evaluation: evaluation)
        }
    }

    /// The user switched on-device AI off: what a model said of a text before is forgotten, and
    /// counts as failed until the text is asked about again.
    package mutating func consentWithdrawn() {
        memo = nil
        inference = inference?.withoutAnswer
    }

    /// The user submits the form.
    package mutating func submitted() -> Submission {
        guard validity == .valid else { return .notReady }
        guard let inference else { return .nothing }
        // Valid before anything was asked: the model is unavailable, and no form waits for it.
        guard progress == .waiting else { return .report(inference, []) }
        progress = .asking
        return .report(inference, [.cancel, .ask(token: token, text: text)])
    }

    private var isFailed: Bool {
        if case .failed = inference { true } else { false }
    }
}
