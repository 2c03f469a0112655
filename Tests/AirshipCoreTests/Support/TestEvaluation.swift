// The plainest evaluation there is, and a manager to run it on.

import AirshipCore
import Foundation
import TestSupport

struct Verdict: Decodable, Equatable, Sendable {
    let word: String

    static let good = Verdict(word: Planted.mark)
}

struct TestEvaluation: AirshipAI.Evaluation {
    typealias Output = Verdict
    typealias Subject = String

    static let usage = AirshipAI.Usage<String>(rawValue: "test_usage")

    var usage: AirshipAI.Usage<String> = Self.usage
    var subject = Planted.mark
    var subjectID: String? = "subject-1"
    var requiresContext = false
    var schema = AirshipJSONSchema.object(
        properties: ["word": .string()], required: ["word"])

    static let words = (
        instructions: "Say a word, \(Planted.mark).", prompt: "Prompt, \(Planted.mark)."
    )

    func instructions() -> String { Self.words.instructions }

    func prompt(context: AirshipAI.Context) -> String {
        [Self.words.prompt, context.renderBullets()].compactMap(\.self).joined(separator: "\n")
    }
}

extension TestEvaluation {
    func decode(_ output: AirshipJSON) throws -> Verdict { try output.decode() }
}

extension AirshipJSON {
    static let good: AirshipJSON = ["word": .string(Verdict.good.word)]
    static let offSchema: AirshipJSON = ["word": 7, "other": .string(Planted.mark)]
}

/// A manager with everything that it depends on within reach.
struct Fixture {
    let privacy = AirshipPrivacyManager(storage: MemoryFeatureStorage())
    let defaults = DefaultModel()
    let evaluator: AirshipAI.Evaluator
    let collector = Collector()
    static let session = UUID()

    init(_ model: (any AirshipAI.ModelProtocol)? = nil, time: any TimeSource = SystemTime()) {
        evaluator = AirshipAI.Evaluator(
            privacy: privacy, defaults: defaults, time: time, sessionID: { Self.session })
        evaluator.attach(collector)
        if let model { defaults.register { model } }
    }

    func evaluate(
        _ evaluation: TestEvaluation = TestEvaluation(),
        additionalContext: AirshipAI.Context = .empty
    ) async -> AirshipAI.Result<Verdict> {
        await evaluator.evaluate(evaluation, additionalContext: additionalContext).result
    }

    /// All records so far.
    var records: [AirshipAI.EvaluationRecord] {
        get async {
            await evaluator.drained()
            return collector.records
        }
    }

    var events: [AirshipAI.FeatureEvent] {
        get async {
            await evaluator.drained()
            return collector.events
        }
    }
}

/// A sink that keeps everything.
final class Collector: AirshipAI.Sink {
    private let received = Locked<[AirshipAI.Observation]>([])

    func receive(_ observation: AirshipAI.Observation) {
        received.withLock { $0.append(observation) }
    }

    var observations: [AirshipAI.Observation] { received.withLock { $0 } }

    var records: [AirshipAI.EvaluationRecord] {
        observations.compactMap { if case .evaluation(let record) = $0 { record } else { nil } }
    }

    var events: [AirshipAI.FeatureEvent] {
        observations.compactMap { if case .event(let event) = $0 { event } else { nil } }
    }
}

/// A value that closures of several threads may change.
final class Shared<Value: Sendable>: Sendable {
    private let mutex: Locked<Value>

    init(_ value: Value) { mutex = Locked(value) }

    var value: Value { mutex.withLock { $0 } }

    func change(_ body: @Sendable (inout Value) -> Void) {
        mutex.withLock { value in body(&value) }
    }
}
