// Programs that die with content in their hands: what they say then is searched like anything else.

import AirshipCore
import AirshipRecording
import ChatModels
import EvalogRecording
import Foundation

/// How an app's process ends in the middle of an evaluation.
enum Crash: String, CaseIterable {
    /// A failed precondition of the app's.
    case trap
    case abort
    case segmentation
    /// An error that nobody catches: what a model behind a server failed with.
    case uncaught
}

func crash(_ crash: Crash, in stage: Stage) async throws -> Never {
    var planter = Planter(seed: 1)
    let ledger = try Ledger(folder: stage.folder, name: "crash-\(crash.rawValue)")
    let evaluator = AirshipAI.Evaluator(
        privacy: AirshipPrivacyManager(storage: MemoryFeatureStorage()))
    let recorder = EvaluationRecorder(
        directory: "\(stage.folder)/log-crash-\(crash.rawValue)", content: .all(days: 7))
    recorder.attach(to: evaluator)
    let question = planter.question()
    let turn = Locked(Turn())
    turn.withLock { [context = planter.context(), answer = planter.answer(to: question.schema)] in
        $0.context = context
        $0.respond = { _ in answer }
    }
    let model = CanaryModel(turn: turn, ledger: ledger)
    evaluator.setModelResolver { _ in .custom(model) }
    evaluator.setDefaultContextProvider { turn.withLock { $0.context } }
    _ = await evaluator.evaluate(question)
    await evaluator.drained()
    recorder.flush()

    let server = planter.refusingServer(ledger: ledger)
    try ledger.write(planted: planter.takePlanted())
    turn.withLock { $0.respond = { request in try await die(crash, request, server) } }
    let dying = await evaluator.evaluate(question)
    if case .failed(let error) = dying.result { throw error }
    throw StageFailure.unwritten
}

private func die(
    _ crash: Crash, _ request: AirshipAI.Request, _ server: ChatCompletionsModel
) async throws -> AirshipJSON {
    switch crash {
    case .trap: precondition(request.prompt().isEmpty, "the app's own words")
    case .abort: abort()
    case .segmentation:
        // By an instruction: a signal that was sent lets the thread go on.
        UnsafeMutablePointer<Int>(bitPattern: 8)?.pointee = 1
    case .uncaught: _ = try await server.respond(request)
    }
    return .null
}
