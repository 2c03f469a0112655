// All calls of a model for one request: at most so many, within one budget, each answer validated.

/// Asks until an answer is valid, the attempts are used up, or the budget is.
package struct Attempts: Sendable {
    /// How the attempts ended.
    enum Ending: Sendable {
        case completed(AirshipJSON)
        /// The gate was off before an attempt.
        case aiDisabled
        case failed(any Error)
    }

    struct Outcome: Sendable {
        let ending: Ending
        /// Calls of the model, one cut off included.
        let count: Int
        /// By the clock of elapsed time.
        let endedAt: Duration
    }

    let model: any AirshipAI.ModelProtocol
    let time: any TimeSource
    let threads: CallThreads
    let isEnabled: @Sendable () -> Bool

    /// How many attempts there are; see ``AirshipAI/ModelProtocol``.
    package static func count(askedFor count: Int) -> Int {
        min(max(1, count), CoreLimits.attemptMax)
    }

    /// Runs them all on the model's threads: were the caller's needed in between, an app that
    /// blocks those would cost its evaluations their attempts.
    func run(_ request: AirshipAI.Request) async -> Outcome {
        // Its author's mistake and not the model's, so none is asked.
        guard (try? request.schema.checkDepth()) != nil else {
            let error = AirshipCoreError.invalidSchema(path: "$")
            return Outcome(ending: .failed(error), count: 0, endedAt: time.elapsed)
        }
        let budget = Duration.budget(seconds: model.responseTimeout)
        let timeout = AirshipCoreError.timedOut(seconds: budget.timeInterval)
        let deadline = time.elapsed + budget
        guard budget > .zero else {
            return Outcome(ending: .failed(timeout), count: 0, endedAt: deadline)
        }
        var request = request
        request.remainingBudget = { [time] in deadline - time.elapsed }
        let outcome = await TimedCall<Ending>(time: time, threads: threads)
            .run(within: budget) { [request] call in
                await ask(request, in: call, until: deadline, timeout)
            }
        let ending: Ending =
            switch outcome.ending {
            case .cancelled: .failed(CancellationError())
            case .refused: .failed(AirshipCoreError.modelBusy)
            case .timedOut:
                .failed(outcome.callCount > 0 ? timeout : AirshipCoreError.modelBusy)
            // The alarm may come late, after a sleep of the device; the clock does not.
            case .returned where outcome.endedAt > deadline: .failed(timeout)
            case .returned(let ending): ending
            }
        return Outcome(ending: ending, count: outcome.callCount, endedAt: outcome.endedAt)
    }

    /// Each attempt starts from the untrimmed request.
    private func ask(
        _ request: AirshipAI.Request, in call: TimedCall<Ending>, until deadline: Duration,
        _ timeout: AirshipCoreError
    ) async -> Ending {
        var request = request
        request.beginFurtherCall = { [isEnabled] in
            guard isEnabled() else { throw AirshipCoreError.aiDisabled }
            guard call.mayCall() else { throw CancellationError() }
        }
        let attemptMax = Self.count(askedFor: model.maxAttempts)
        var count = 0
        while true {
            guard isEnabled() else { return .aiDisabled }
            guard time.elapsed < deadline else { return .failed(timeout) }
            // Where nobody waits any more, nobody reads this.
            guard call.mayCall() else { return .failed(CancellationError()) }
            count += 1
            do {
                return .completed(try await Self.answer(to: request, by: model))
            } catch {
                if count >= attemptMax || error is CancellationError { return .failed(error) }
            }
        }
    }

    /// A valid answer. It is checked here, so the deadline holds for that too.
    package static func answer(
        to request: AirshipAI.Request, by model: any AirshipAI.ModelProtocol
    ) async throws -> AirshipJSON {
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

extension Duration {
    /// A model's budget as a time that can be waited for; see ``AirshipAI/ModelProtocol``.
    static func budget(seconds: Double) -> Duration {
        if seconds <= 0 { return .zero }
        // Also false for NaN.
        guard seconds < CoreLimits.budgetMax.timeInterval else { return CoreLimits.budgetMax }
        return .seconds(seconds)
    }
}
