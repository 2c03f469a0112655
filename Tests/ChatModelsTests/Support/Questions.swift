// The questions that tests ask, and a manager to ask them through.

import AirshipCore
import ChatModels
import Foundation
import TestSupport

/// What models are told to do here.
let instructions = "Instructions \(Planted.mark)"

/// A request whose prompt is its context's contents, one letter each: `a` matters most.
func letters(_ text: String, schema: AirshipJSONSchema = .boolean()) -> AirshipAI.Request {
    AirshipAI.Request(
        instructions: instructions, schema: schema,
        context: .init(
            items: text.unicodeScalars.map {
                .init(content: String($0), priority: Double($0.value))
            }),
        render: { $0.items.map(\.content).joined() })
}

extension ChatCompletionsModel {
    /// A model on a scripted network.
    init(
        _ transport: ScriptedTransport, options: Options = Options(), key: KeyProvider? = nil,
        time: any TimeSource = SteppingTime()
    ) {
        self.init(
            baseURL: URL(string: "https://example.com/v1")!, model: "test-model",
            options: options, key: key, transport: transport, time: time)
    }
}

/// A question that takes any object for an answer.
struct AnyObjectEvaluation: AirshipAI.Evaluation {
    typealias Output = AirshipJSON

    let usage = AirshipAI.Usage<String>(rawValue: "test_usage")
    let subject = "subject"
    let schema = AirshipJSONSchema.object()

    func instructions() -> String { ChatModelsTests.instructions }
    func prompt(context: AirshipAI.Context) -> String { context.renderBullets() ?? "No context" }
    func decode(_ output: AirshipJSON) throws -> AirshipJSON { output }
}

/// A sink that keeps the records.
final class RecordCollector: AirshipAI.Sink {
    private let received = Locked<[AirshipAI.EvaluationRecord]>([])

    var records: [AirshipAI.EvaluationRecord] { received.withLock { $0 } }

    func receive(_ observation: AirshipAI.Observation) {
        guard case .evaluation(let record) = observation else { return }
        received.withLock { $0.append(record) }
    }
}

/// Evaluates once with that model and returns the one record of it.
func record(
    of evaluation: some AirshipAI.Evaluation, by model: any AirshipAI.ModelProtocol,
    context: AirshipAI.Context = .empty
) async -> AirshipAI.EvaluationRecord? {
    let evaluator = AirshipAI.Evaluator(
        privacy: AirshipPrivacyManager(storage: MemoryFeatureStorage()))
    let collector = RecordCollector()
    evaluator.attach(collector)
    evaluator.setModelResolver { _ in .custom(model) }
    _ = await evaluator.evaluate(evaluation, additionalContext: context)
    await evaluator.drained()
    return collector.records.count == 1 ? collector.records[0] : nil
}

extension AirshipAI.EvaluationRecord {
    /// The class of its failure; nil when it did not fail.
    var errorClass: AirshipAI.ErrorClass? {
        guard case .failed(let error) = outcome else { return nil }
        return AirshipAI.ErrorClass(classifying: error)
    }
}

/// What asking that model fails with; nil when it answers.
func failure(
    of model: any AirshipAI.ModelProtocol, asked request: AirshipAI.Request = letters("")
) async -> ChatModelError? {
    do {
        _ = try await model.respond(request)
        return nil
    } catch {
        return error as? ChatModelError
    }
}

/// Reads a response as the model does.
func read(_ status: Int, _ body: String) -> Result<AirshipJSON, ChatModelError> {
    do throws(ServerFailure) {
        let response = HTTPResponse(status: status, body: Data(body.utf8))
        return .success(try ChatAnswer.read(response, now: .distantPast))
    } catch {
        return .failure(error.error)
    }
}
