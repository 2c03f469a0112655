// One evaluation from the gate to its one record, in this order and no other.

import Foundation

extension AirshipAI.Evaluator {
    /// What is settled before anything is asked, and goes into the record as it is.
    private struct Start {
        let id: UUID
        let date: Date
        let sessionID: UUID?
        let consent: AirshipAI.Consent
        let observer: RegisteredObserver?
    }

    /// How an evaluation ended, before its answer is decoded.
    private enum Ending {
        case completed(AirshipJSON)
        case skipped(AirshipAI.SkipCause)
        case failed(any Error)

        init(_ ending: Attempts.Ending) {
            switch ending {
            case .completed(let output): self = .completed(output)
            case .aiDisabled: self = .skipped(.aiDisabled)
            case .failed(let error): self = .failed(error)
            }
        }
    }

    /// How far it came.
    private struct Progress {
        var context = AirshipAI.Context.empty
        var model: String?
        var duration = Duration.zero
        var attempts = 0
    }

    package func evaluate<Asked: AirshipAI.Evaluation>(
        _ evaluation: Asked, additionalContext: AirshipAI.Context = .empty
    ) async -> AirshipAI.Evaluated<Asked.Output> {
        let date = time.date
        let registered = snapshot()
        let start = Start(
            id: identifiers.timeOrdered(at: date), date: date, sessionID: sessionID(),
            consent: consent, observer: registered.observer)
        var progress = Progress()
        let ending = await run(
            evaluation, additionalContext, registered: registered, since: start.consent,
            progress: &progress)
        let (result, isDecoded) = Self.result(of: ending, for: evaluation)
        let record = record(of: ending, isDecoded: isDecoded, for: evaluation, start, progress)
        // Whoever withdrew consent must see nothing happen because of it, however it ended.
        if holding(start.consent, { report(record, to: start.observer) }) {
            return AirshipAI.Evaluated(id: start.id, consent: start.consent, result: result)
        }
        let skipped = Ending.skipped(.aiDisabled)
        report(
            self.record(of: skipped, isDecoded: true, for: evaluation, start, progress),
            to: start.observer)
        return AirshipAI.Evaluated(
            id: start.id, consent: start.consent,
            result: Self.result(of: skipped, for: evaluation).0)
    }

    /// Everything up to a valid answer.
    ///
    /// The provider runs before availability is checked, so that the record of an unavailable
    /// model tells what would have been offered.
    private func run(
        _ evaluation: some AirshipAI.Evaluation, _ additionalContext: AirshipAI.Context,
        registered: Registered, since start: AirshipAI.Consent, progress: inout Progress
    ) async -> Ending {
        guard start.isGiven else { return .skipped(.aiDisabled) }
        let usage = AirshipAI.AnyUsage(evaluation.usage)
        guard let model = resolve(usage, registered.resolver) else { return .skipped(.noModel) }
        progress.model = model.label
        if Task.isCancelled { return .failed(CancellationError()) }
        let context = await context(for: evaluation, from: registered)
            .appending(additionalContext)
        progress.context = context
        if Task.isCancelled { return .failed(CancellationError()) }
        if evaluation.requiresContext, context.isBlank { return .skipped(.noContext) }
        guard consent.holds(since: start) else { return .skipped(.aiDisabled) }
        if case .unavailable(let reason) = model.availability {
            return .skipped(.modelUnavailable(reason))
        }
        let began = time.elapsed
        let attempts = Attempts(
            model: model, time: time, threads: lanes.threads(for: model),
            isEnabled: { [self] in consent.holds(since: start) })
        let outcome = await attempts.run(Self.request(for: evaluation, context))
        progress.attempts = outcome.count
        if outcome.count > 0 { progress.duration = outcome.endedAt - began }
        return Ending(outcome.ending)
    }

    /// From the usage's own provider alone, else the default one, else nothing.
    private func context(
        for evaluation: some AirshipAI.Evaluation, from registered: Registered
    ) async -> AirshipAI.Context {
        let provider = registered.providers[evaluation.usage.rawValue] ?? registered.defaultProvider
        return await provider?.context(for: evaluation.subject, time) ?? .empty
    }

    private static func request(
        for evaluation: some AirshipAI.Evaluation, _ context: AirshipAI.Context
    ) -> AirshipAI.Request {
        var request = AirshipAI.Request(
            instructions: evaluation.instructions(), schema: evaluation.schema, context: context,
            render: { evaluation.prompt(context: $0) })
        request.passage = evaluation.passage.map { text in
            AirshipAI.Request.Passage(text: text) { evaluation.prompt(passage: $0, context: $1) }
        }
        return request
    }

    /// What the feature gets, and whether a valid answer was readable.
    ///
    /// The error of a failed decoding is replaced: it can hold the answer's text.
    private static func result<Asked: AirshipAI.Evaluation>(
        of ending: Ending, for evaluation: Asked
    ) -> (AirshipAI.Result<Asked.Output>, isDecoded: Bool) {
        switch ending {
        case .skipped(let cause): (.skipped(reason: cause.reason), true)
        case .failed(let error): (.failed(error), true)
        case .completed(let output):
            if let decoded = try? evaluation.decode(output) {
                (.completed(decoded), true)
            } else {
                (.failed(AirshipCoreError.undecodableOutput), false)
            }
        }
    }

    private func record(
        of ending: Ending, isDecoded: Bool, for evaluation: some AirshipAI.Evaluation,
        _ start: Start, _ progress: Progress
    ) -> AirshipAI.EvaluationRecord {
        let outcome: AirshipAI.EvaluationRecord.Outcome
        var skipCause: AirshipAI.SkipCause?
        switch ending {
        case .completed(let output): outcome = .completed(output)
        case .failed(let error): outcome = .failed(error)
        case .skipped(let cause):
            outcome = .skipped(reason: cause.reason)
            skipCause = cause
        }
        return AirshipAI.EvaluationRecord(
            id: start.id, startedAt: start.date, sessionID: start.sessionID,
            subjectID: evaluation.subjectID, usage: AirshipAI.AnyUsage(evaluation.usage),
            request: Self.request(for: evaluation, progress.context), model: progress.model,
            outcome: outcome, skipCause: skipCause, isDecoded: isDecoded,
            duration: progress.duration.timeInterval, attempts: progress.attempts)
    }

    private func report(_ record: AirshipAI.EvaluationRecord, to observer: RegisteredObserver?) {
        let sinks = self.sinks
        guard observer != nil || !sinks.isEmpty else { return }
        channel.send {
            for sink in sinks { sink.receive(.evaluation(record)) }
            observer?.tell(record)
        }
    }
}
