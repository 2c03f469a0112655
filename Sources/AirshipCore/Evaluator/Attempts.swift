// All calls of a model for one request: at most so many, within one budget, each answer validated.

import Foundation

/// Asks until an answer is valid, the attempts are used up, or the budget is.
struct Attempts {
    /// How the attempts ended.
    enum Ending {
        case completed(AirshipJSON)
        /// The gate went off before an attempt, or before its answer was used.
        case aiDisabled
        case failed(any Error)
    }

    let model: any AirshipAI.ModelProtocol
    let time: any TimeSource
    let threads: CallThreads
    let isEnabled: @Sendable () -> Bool

    /// Calls of the model so far, one cut off included.
    private(set) var count = 0

    init(
        model: any AirshipAI.ModelProtocol, time: any TimeSource, threads: CallThreads,
        isEnabled: @escaping @Sendable () -> Bool
    ) {
        self.model = model
        self.time = time
        self.threads = threads
        self.isEnabled = isEnabled
    }

    /// Runs them. Each attempt starts from the untrimmed request.
    ///
    /// An answer is dropped when the gate is off by the time it arrives: whoever withdrew consent
    /// must see nothing happen because of it.
    mutating func run(_ request: AirshipAI.Request) async -> Ending {
        let budget = Duration.budget(seconds: model.responseTimeout)
        let timeout = AirshipCoreError.timedOut(seconds: budget.timeInterval)
        let deadline = time.elapsed + budget
        let attemptMax = max(1, model.maxAttempts)
        while true {
            guard isEnabled() else { return .aiDisabled }
            guard !Task.isCancelled else { return .failed(CancellationError()) }
            let remaining = deadline - time.elapsed
            guard remaining > .zero else { return .failed(timeout) }
            count += 1
            let ending = await ModelCall(model: model, time: time, threads: threads)
                .respond(to: request, within: remaining)
            let error: any Error
            switch ending {
            case .cancelled: return .failed(CancellationError())
            case .timedOut: return .failed(timeout)
            // The alarm may come late, after a sleep of the device; the clock does not.
            case _ where time.elapsed > deadline: return .failed(timeout)
            case .threw(let reason): error = reason
            case .answered(let output):
                guard isEnabled() else { return .aiDisabled }
                guard let violation = violation(of: request.schema, by: output) else {
                    return .completed(output)
                }
                error = violation
            }
            if count >= attemptMax || error is CancellationError { return .failed(error) }
        }
    }

    private func violation(
        of schema: AirshipJSONSchema, by output: AirshipJSON
    ) -> AirshipCoreError? {
        do {
            try schema.validate(output)
            return nil
        } catch {
            return error
        }
    }
}

extension Duration {
    /// A model's budget as a time that can be waited for; see ``AirshipAI/ModelProtocol``.
    static func budget(seconds: Double) -> Duration {
        if seconds <= 0 { return .zero }
        // Also false for NaN.
        guard seconds < CoreLimits.budgetMax.timeInterval else { return CoreLimits.budgetMax }
        return .seconds(seconds)
    }
}
