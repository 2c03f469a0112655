// All calls of a model for one request: at most so many, within one budget, each answer validated.

import Foundation

/// Asks until an answer is valid, the attempts are used up, or the budget is.
struct Attempts {
    /// How the attempts ended.
    enum Ending {
        case completed(AirshipJSON)
        /// The gate was off before an attempt.
        case aiDisabled
        case failed(any Error)
    }

    let model: any AirshipAI.ModelProtocol
    let time: any TimeSource
    let threads: CallThreads
    let isEnabled: @Sendable () -> Bool

    /// Calls of the model so far, one cut off included.
    private(set) var count = 0
    /// When the last of them ended, by the clock of elapsed time.
    private(set) var endedAt = Duration.zero

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
            let outcome = await ask(request, until: deadline, within: remaining)
            if outcome.hasBegun {
                count += 1
                endedAt = outcome.endedAt
            }
            switch outcome.ending {
            case .cancelled: return .failed(CancellationError())
            case .refused: return .failed(AirshipCoreError.modelBusy)
            case .timedOut:
                return .failed(outcome.hasBegun ? timeout : AirshipCoreError.modelBusy)
            // The alarm may come late, after a sleep of the device; the clock does not.
            case _ where outcome.endedAt > deadline: return .failed(timeout)
            case .returned(let output): return .completed(output)
            case .threw(let error):
                if count >= attemptMax || error is CancellationError { return .failed(error) }
            }
        }
    }

    /// One attempt. The answer is checked on the call's thread, so the deadline holds for that too.
    private func ask(
        _ request: AirshipAI.Request, until deadline: Duration, within limit: Duration
    ) async -> TimedCall<AirshipJSON>.Outcome {
        var request = request
        request.remainingBudget = { [time] in deadline - time.elapsed }
        return await TimedCall(time: time, threads: threads)
            .run(within: limit) { [model, request] in
                var output = try await model.respond(request)
                do {
                    try output.checkAnswerLimits()
                    try request.schema.validate(output)
                } catch {
                    output.takeApart()
                    throw error
                }
                return output
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
