// A store in a folder of the test's, the plainest question, and models that count.

import AirshipCore
import Foundation
import ModelConsent
import TestSupport

let notes = ConsentTerms(
    provider: "Example AI", version: "1", sentData: "The text of the note, with names in it")

/// A store whose file other stores of the test may share.
struct ConsentFixture {
    let scratch = ScratchFolder()
    var path: String { scratch.path("made/consent.json") }

    func store() -> ConsentStore { ConsentStore(file: URL(filePath: path)) }
}

struct Question: AirshipAI.Evaluation {
    typealias Output = AirshipJSON

    let usage = AirshipAI.Usage<String>(rawValue: "test_usage")
    let subject = Planted.mark
    let schema = AirshipJSONSchema.boolean()

    func instructions() -> String { Planted.mark }
    func prompt(context: AirshipAI.Context) -> String { Planted.mark }
    func decode(_ output: AirshipJSON) throws -> AirshipJSON { output }

    var request: AirshipAI.Request {
        AirshipAI.Request(
            instructions: instructions(), schema: schema, context: .empty,
            render: { prompt(context: $0) })
    }
}

/// A model that does what the test says; `calls` is told at the beginning of each call.
struct Probe: AirshipAI.ModelProtocol {
    var label: String? = "probe"
    let work: @Sendable () async throws -> AirshipJSON

    func respond(_ request: AirshipAI.Request) async throws -> AirshipJSON { try await work() }
}

/// A manager that asks one model, and its records.
final class Asking: AirshipAI.Sink {
    let evaluator = AirshipAI.Evaluator(
        privacy: AirshipPrivacyManager(storage: MemoryFeatureStorage()))
    private let received = Locked<[AirshipAI.EvaluationRecord]>([])

    init(_ resolver: @escaping @Sendable () -> any AirshipAI.ModelProtocol) {
        evaluator.attach(self)
        evaluator.setModelResolver { _ in .custom(resolver()) }
    }

    func receive(_ observation: AirshipAI.Observation) {
        guard case .evaluation(let record) = observation else { return }
        received.withLock { $0.append(record) }
    }

    /// The record of one more evaluation.
    func ask() async -> AirshipAI.EvaluationRecord? {
        let id = await evaluator.evaluate(Question(), additionalContext: .empty).id
        await evaluator.drained()
        return received.withLock { $0 }.first { $0.id == id }
    }
}
