import AirshipCore
import Foundation
import Testing

@Suite("answers that are too large", .timeLimit(.minutes(10))) struct AnswerLimitTests {
    private static let anything = TestEvaluation(schema: .object())

    private func outcome(
        _ answer: @escaping @Sendable () -> AirshipJSON
    ) async -> AirshipAI.EvaluationRecord.Outcome? {
        let fixture = Fixture(ScriptedModel({ _ in answer() }, attempts: 1))
        _ = await fixture.evaluate(Self.anything)
        return await fixture.records.first?.outcome
    }

    @Test("an answer may have so many values and not one more, however they are nested")
    func values() async {
        let most = CoreLimits.answerValueMax
        // The object and its array are values too.
        let fits = await outcome { ["a": .array(Array(repeating: true, count: most - 2))] }
        guard case .completed = fits else { return #expect(fits == nil) }
        let error = AirshipAI.EvaluationRecord.Outcome.failed(AirshipCoreError.answerTooLarge)
        #expect(
            await outcome { ["a": .array(Array(repeating: true, count: most - 1))] } == error)
        let members = (0...most).map { (String($0), AirshipJSON.null) }
        #expect(
            await outcome { .object(Dictionary(uniqueKeysWithValues: members)) } == error)
    }

    @Test("the bytes of texts and names are bounded together")
    func bytes() async {
        let half = String(repeating: "ö", count: CoreLimits.answerByteMax / 4)
        let fits = await outcome { .object([half: .string(half)]) }
        guard case .completed = fits else { return #expect(fits == nil) }
        let error = AirshipAI.EvaluationRecord.Outcome.failed(AirshipCoreError.answerTooLarge)
        #expect(await outcome { .object([half: .string(half + ".")]) } == error)
        #expect(
            AirshipAI.ErrorClass(classifying: AirshipCoreError.answerTooLarge) == .badResponse)
    }

    @Test(
        "an answer that a model nests deeper than any stack is a failure and no crash",
        arguments: [CoreLimits.jsonDepthMax + 1, 200_000])
    func depth(levels: Int) async {
        let array = await outcome {
            (1..<levels).reduce(into: AirshipJSON.null) { json, _ in json = [json] }
        }
        #expect(array == .failed(AirshipCoreError.nestedTooDeep))
        let object = await outcome {
            (1..<levels).reduce(into: AirshipJSON.null) { json, _ in json = ["a": json] }
        }
        #expect(object == .failed(AirshipCoreError.nestedTooDeep))
    }

    @Test("an answer that shares its parts is as large as what it says, and refused at once")
    func shared() async {
        let array = await outcome {
            (1..<60).reduce(into: AirshipJSON.null) { json, _ in json = [json, json] }
        }
        #expect(array == .failed(AirshipCoreError.answerTooLarge))
        let object = await outcome {
            (1..<60).reduce(into: AirshipJSON.null) { json, _ in json = ["a": json, "b": json] }
        }
        #expect(object == .failed(AirshipCoreError.answerTooLarge))
        // Deeper than any stack, too.
        let both = await outcome {
            (1..<200_000).reduce(into: AirshipJSON.null) { json, number in
                json = number % 2 == 0 ? [json, ["a": json], json] : ["a": json]
            }
        }
        #expect(both == .failed(AirshipCoreError.nestedTooDeep))
    }

    @Test(
        "a number that JSON cannot hold is a bad response, also where no schema speaks of it",
        arguments: [Double.nan, -.nan, .infinity, -.infinity])
    func notFinite(number: Double) async {
        for place in 0...2 {
            let answer = await outcome {
                switch place {
                case 0: ["a": .number(number)]
                case 1: ["a": [["b": .number(number)]]]
                default: ["a": [1, .number(number), 2]]
                }
            }
            #expect(answer == .failed(AirshipCoreError.nonFiniteNumber))
        }
        #expect(
            AirshipAI.ErrorClass(classifying: AirshipCoreError.nonFiniteNumber) == .badResponse)
    }

    @Test("the deepest answer that may be read from text is accepted")
    func deepest() async {
        let levels = CoreLimits.jsonDepthMax
        let answer = await outcome {
            (1..<levels).reduce(into: AirshipJSON.null) { json, _ in json = ["a": json] }
        }
        guard case .completed = answer else { return #expect(answer == nil) }
    }

    @Test("a schema that is nested too deep is nobody's to be asked about: one record, no attempt")
    func schema() async throws {
        let schema = (1..<CoreLimits.jsonDepthMax).reduce(AirshipJSONSchema.boolean()) {
            schema, _ in
            .array(items: schema)
        }
        for (schema, isAsked) in [(schema, false), (.array(items: .boolean()), true)] {
            let model = ScriptedModel(ScriptedModel.answer([true]))
            let fixture = Fixture(model)
            let result = await fixture.evaluate(TestEvaluation(schema: schema))
            #expect(model.requests.isEmpty == !isAsked)
            let record = try #require(await fixture.records.first)
            if isAsked { continue }
            let error = AirshipCoreError.invalidSchema(path: "$")
            #expect(result == .failed(error))
            #expect(record.outcome == .failed(error))
            #expect((record.attempts, record.duration) == (0, 0))
            #expect(AirshipAI.ErrorClass(classifying: error) == .other)
        }
    }
}
