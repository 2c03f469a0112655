import AirshipCore
import Foundation
import TestSupport
import Testing

@Suite("evaluator", .timeLimit(.minutes(10))) struct EvaluatorTests {
    @Test("a good answer completes, and the model saw instructions, prompt, context and schema")
    func good() async throws {
        let model = ScriptedModel(ScriptedModel.answer(.good), label: "m-1")
        let fixture = Fixture(model)
        fixture.evaluator.setContextProvider(for: TestEvaluation.usage) { subject in
            AirshipAI.Context(items: [.init(content: "about \(subject)")])
        }
        #expect(await fixture.evaluate() == .completed(.good))
        let request = try #require(model.requests.first)
        #expect(request.instructions == TestEvaluation.words.instructions)
        #expect(request.schema == TestEvaluation().schema)
        #expect(request.context.items.map(\.content) == ["about \(Planted.mark)"])
        #expect(request.prompt() == TestEvaluation.words.prompt + "\n- about \(Planted.mark)")
        let record = try #require(await fixture.records.first)
        #expect(record.outcome == .completed(.good))
        #expect(record.usage.rawValue == "test_usage")
        #expect(record.attempts == 1)
        #expect(record.sessionID == Fixture.session)
        #expect(record.subjectID == "subject-1")
        #expect(record.model == "m-1")
        #expect(record.isDecoded && record.skipCause == nil)
        #expect(record.request.prompt() == request.prompt())
    }

    @Test("a model that throws, or answers off the schema, fails at the only attempt")
    func oneAttempt() async throws {
        let thrown = Fixture(ScriptedModel(ScriptedModel.fail(), attempts: 1))
        #expect(await thrown.evaluate() == .failed(ModelFailure()))
        let offSchema = Fixture(ScriptedModel(ScriptedModel.answer(.offSchema), attempts: 1))
        let violation = AirshipCoreError.offSchema(path: "$.word", rule: .string)
        #expect(await offSchema.evaluate() == .failed(violation))
        #expect(await offSchema.records.map(\.outcome) == [.failed(violation)])
    }

    @Test("failures are equal only when what their errors carry is")
    func failuresDiffer() {
        typealias Outcome = AirshipAI.EvaluationRecord.Outcome
        for (left, right) in [
            (AirshipCoreError.timedOut(seconds: 1), AirshipCoreError.timedOut(seconds: 86_400)),
            (.offSchema(path: "$.a", rule: .string), .offSchema(path: "$.b", rule: .string)),
        ] {
            #expect(AirshipAI.Result<Verdict>.failed(left) != .failed(right))
            #expect(AirshipAI.Result<Verdict>.failed(left) == .failed(left))
            #expect(Outcome.failed(left) != .failed(right))
            #expect(Outcome.failed(left) == .failed(left))
        }
        #expect(Outcome.failed(ModelFailure()) == .failed(ModelFailure()))
        #expect(Outcome.failed(ModelFailure()) != .failed(CancellationError()))
    }

    @Test("an answer off the schema, then a good one, completes in one record of two attempts")
    func retry() async {
        let model = ScriptedModel(ScriptedModel.answer(.offSchema), ScriptedModel.answer(.good))
        let fixture = Fixture(model)
        #expect(await fixture.evaluate() == .completed(.good))
        #expect(model.requests.count == 2)
        #expect(await fixture.records.map(\.attempts) == [2])
    }

    @Test("a model without a policy of its own that always throws is asked exactly three times")
    func exhausted() async {
        let model = ScriptedModel(ScriptedModel.fail())
        let fixture = Fixture(model)
        #expect(await fixture.evaluate() == .failed(ModelFailure()))
        #expect(model.requests.count == 3)
        let records = await fixture.records
        #expect(records.map(\.attempts) == [3])
        #expect(records.map(\.outcome) == [.failed(ModelFailure())])
    }

    @Test("the error of the last attempt is the one that surfaces")
    func lastError() async {
        let model = ScriptedModel(
            ScriptedModel.fail(), ScriptedModel.answer(.offSchema), attempts: 2)
        let violation = AirshipCoreError.offSchema(path: "$.word", rule: .string)
        #expect(await Fixture(model).evaluate() == .failed(violation))
    }

    @Test(
        "attempts without end act as a million, which is what a fact can tell of",
        arguments: [(1_000_000, 1_000_000), (1_000_001, 1_000_000), (.max, 1_000_000), (.min, 1)])
    func countlessAttempts(asked: Int, count: Int) {
        #expect(Attempts.count(askedFor: asked) == count)
    }

    @Test("zero and negative attempts act as one", arguments: [0, -7])
    func degenerateAttempts(attempts: Int) async {
        let model = ScriptedModel(ScriptedModel.fail(), attempts: attempts)
        _ = await Fixture(model).evaluate()
        #expect(model.requests.count == 1)
    }

    @Test("a cancellation that the model throws ends it at once")
    func modelCancels() async {
        let model = ScriptedModel(ScriptedModel.fail(CancellationError()), attempts: 5)
        let fixture = Fixture(model)
        #expect(await fixture.evaluate() == .failed(CancellationError()))
        #expect(model.requests.count == 1)
    }

    @Test("a valid answer that the feature cannot decode is one completed record, not two")
    func undecodable() async {
        let evaluation = TestEvaluation(schema: .object())
        let fixture = Fixture(ScriptedModel(ScriptedModel.answer(["other": "secret-7"])))
        let result = await fixture.evaluate(evaluation)
        #expect(result == .failed(AirshipCoreError.undecodableOutput))
        #expect(!String(reflecting: result).contains("secret-7"))
        let records = await fixture.records
        #expect(records.map(\.outcome) == [.completed(["other": "secret-7"])])
        #expect(records.map(\.isDecoded) == [false])
    }

    @Test("each attempt starts from the full context, and the record keeps it")
    func trimming() async throws {
        let fixture = Fixture(
            ScriptedModel(
                { request in
                    var request = request
                    var dropped: [String] = []
                    while let item = request.dropLowestPriorityContextItem() {
                        dropped.append(item.content)
                    }
                    #expect(dropped == ["b", "c", "a"])
                    #expect(request.prompt() == TestEvaluation.words.prompt)
                    throw ModelFailure()
                }, attempts: 2))
        fixture.evaluator.setDefaultContextProvider {
            AirshipAI.Context(items: [
                .init(content: "a", priority: -1), .init(content: "b", priority: 3),
                .init(content: "c"),
            ])
        }
        _ = await fixture.evaluate()
        let record = try #require(await fixture.records.first)
        #expect(record.attempts == 2)
        #expect(record.request.context.items.map(\.content) == ["a", "b", "c"])
    }

    @Test("errors tell where and what rule, never the model's value or the context")
    func markers() async throws {
        let marker = "planted-\(UUID())"
        let schema = AirshipJSONSchema.object(properties: ["word": .string(choices: ["a"])])
        let model = ScriptedModel(
            ScriptedModel.answer(["word": .string(marker)]),
            ScriptedModel.answer(.string(marker)), attempts: 2)
        let fixture = Fixture(model)
        fixture.evaluator.setDefaultContextProvider {
            AirshipAI.Context(items: [.init(content: marker)])
        }
        let result = await fixture.evaluate(TestEvaluation(schema: schema))
        #expect(!String(reflecting: result).contains(marker))
        #expect(throws: AirshipCoreError.self) { try schema.validate(["word": .string(marker)]) }
        for error in [
            #expect(throws: AirshipCoreError.self) { try AirshipJSON.from(json: marker) },
            #expect(throws: AirshipCoreError.self) { try AirshipJSONSchema(json: marker) },
        ] {
            #expect(!String(reflecting: error).contains(marker))
        }
    }
}
