import AirshipCore
import Foundation
import ModelConsent
import TestSupport
import Testing

@testable import LongInput

/// A question about one text, which stands between marks.
private struct Question: AirshipAI.Evaluation {
    typealias Output = AirshipJSON

    var text: String
    var schema = AirshipJSONSchema.string()
    let usage = AirshipAI.Usage<String>(rawValue: "test_usage")
    var subject: String { text }

    func instructions() -> String { "Summarise." }
    var passage: String? { text }

    func prompt(context: AirshipAI.Context) -> String { prompt(passage: text, context: context) }

    func prompt(passage: String, context: AirshipAI.Context) -> String {
        "<\(passage)>" + (context.renderBullets() ?? "")
    }

    func decode(_ output: AirshipJSON) throws -> AirshipJSON { output }
}

/// Answers what the test makes of the prompt, and keeps prompts.
private final class Reader: AirshipAI.ModelProtocol {
    private let asked = Locked<[String]>([])
    private let answer: @Sendable (String, Int) async throws -> AirshipJSON
    let maxAttempts: Int
    let label: String? = "reader"

    /// - Parameter answer: Gets what stands between the marks, and the number of the call from 1.
    init(attempts: Int = 1, _ answer: @escaping @Sendable (String, Int) async throws -> AirshipJSON)
    {
        maxAttempts = attempts
        self.answer = answer
    }

    var prompts: [String] { asked.withLock { $0 } }
    var texts: [String] { prompts.map(Self.text) }

    private static func text(_ prompt: String) -> String {
        String(prompt.dropFirst().prefix { $0 != ">" })
    }

    func respond(_ request: AirshipAI.Request) async throws -> AirshipJSON {
        let prompt = request.prompt()
        let number = asked.withLock { asked in
            asked.append(prompt)
            return asked.count
        }
        return try await answer(Self.text(prompt), number)
    }
}

private struct Overflow: AirshipAI.ClassifiedError {
    let errorClass = AirshipAI.ErrorClass.contextOverflow
}

@Suite("a text longer than the window", .timeLimit(.minutes(10))) struct ChunkedModelTests {
    private let privacy = AirshipPrivacyManager(storage: MemoryFeatureStorage())

    /// All records of one evaluation, of which there has to be one.
    private func record(
        of question: Question, by model: any AirshipAI.ModelProtocol,
        context: AirshipAI.Context = .empty
    ) async throws -> AirshipAI.EvaluationRecord {
        let evaluator = AirshipAI.Evaluator(privacy: privacy)
        let (records, received) = AsyncStream.makeStream(of: AirshipAI.EvaluationRecord.self)
        evaluator.setEvaluationObserver { received.yield($0) }
        evaluator.setModelResolver { _ in .custom(model) }
        _ = await evaluator.evaluate(question, additionalContext: context)
        await evaluator.drained()
        received.finish()
        var all: [AirshipAI.EvaluationRecord] = []
        for await record in records { all.append(record) }
        #expect(all.count == 1)
        return try #require(all.first)
    }

    private static let sentences = (1...9).map { "Sentence number \($0) is here. " }.joined()
    /// Of the instructions, the schema and the marks.
    private static let fixed = "Summarise.".count + #"{"type":"string"}"#.count + 2

    /// A window with room for so many characters of text.
    private func window(_ room: Int) -> PromptBudget { .characters(Self.fixed + room) }

    @Test("what fits is asked as it is, once, with its context")
    func whole() async throws {
        let reader = Reader { _, _ in "short" }
        let context = AirshipAI.Context(items: [.init(content: "fact")])
        let record = try await record(
            of: Question(text: "A text."), by: ChunkedModel(reader, window: .characters(100)),
            context: context)
        #expect(record.outcome == .completed("short") && record.attempts == 1)
        #expect(reader.prompts == ["<A text.>- fact"])
    }

    @Test("parts are asked about one after the other, then their answers: one record, all calls")
    func parts() async throws {
        let reader = Reader { text, number in .string("\(text.prefix(0))s\(number)") }
        let model = ChunkedModel(reader, window: window(90))
        let record = try await record(of: Question(text: Self.sentences), by: model)
        #expect(reader.texts.dropLast().joined() == Self.sentences)
        #expect(reader.texts.dropLast().allSatisfy { $0.count <= 90 && $0.hasSuffix(". ") })
        #expect(reader.texts.last == "s1\n\ns2\n\ns3")
        #expect(record.outcome == .completed("s4"))
        #expect(record.attempts == 4 && record.model == "reader")
        #expect(record.request.prompt() == "<\(Self.sentences)>")
        #expect(record.duration > 0)
    }

    @Test("answers that are too long together are asked about in parts again")
    func recursion() async throws {
        let reader = Reader { text, number in
            .string(String(text.filter { !$0.isNumber }.prefix(20)) + " \(number).")
        }
        let text = String(repeating: Self.sentences, count: 4)
        let record = try await record(
            of: Question(text: text), by: ChunkedModel(reader, window: window(60)))
        guard case .completed(let answer) = record.outcome else {
            Issue.record("it was not answered")
            return
        }
        #expect(answer.string?.hasSuffix(" \(reader.prompts.count).") == true)
        #expect(record.attempts == reader.prompts.count)
        #expect(reader.texts.allSatisfy { $0.count <= 60 })
        // More than a level of parts and one answer about all of theirs.
        let first = TextSplitter(text, capacity: 60, unit: .scalars).pieces().count
        #expect(reader.prompts.count > first + 1)
    }

    @Test("fields are voted on, and nobody is asked again for them")
    func votes() async throws {
        let answers: [AirshipJSON] = [false, true, true]
        let reader = Reader { _, number in answers[number - 1] }
        let question = Question(text: Self.sentences, schema: .boolean())
        let record = try await record(of: question, by: ChunkedModel(reader, window: window(91)))
        #expect(record.outcome == .completed(true) && record.attempts == 3)
    }

    @Test("a bad answer about a part is asked for again, and counts")
    func attempts() async throws {
        let reader = Reader(attempts: 2) { _, number in number == 2 ? 7 : .string("s") }
        let record = try await record(
            of: Question(text: Self.sentences), by: ChunkedModel(reader, window: window(90)))
        #expect(record.outcome == .completed("s"))
        #expect(record.attempts == 4)
        #expect(reader.texts[1] == reader.texts[2])
        let failing = Reader(attempts: 2) { _, number in number > 1 ? 7 : .string("s") }
        let failed = try await self.record(
            of: Question(text: Self.sentences), by: ChunkedModel(failing, window: window(90)))
        #expect(failed.attempts == 3)
        guard case .failed(let error) = failed.outcome else {
            Issue.record("it did not fail")
            return
        }
        #expect(error as? AirshipCoreError == .offSchema(path: "$", rule: .string))
    }

    @Test("a part that the model finds too long is halved, whatever was estimated")
    func halves() async throws {
        let reader = Reader(attempts: 3) { text, _ in
            guard text.count <= 70 else { throw Overflow() }
            return .string("s")
        }
        for window in [PromptBudget.unlimited, window(200), window(1_000)] {
            let before = reader.prompts.count
            let record = try await record(
                of: Question(text: Self.sentences), by: ChunkedModel(reader, window: window))
            #expect(record.outcome == .completed("s"))
            #expect(record.attempts == reader.prompts.count - before)
            let answered = reader.texts[before...].filter { $0.count <= 70 }
            #expect(answered.joined() == Self.sentences)
        }
    }

    @Test("a model that takes nothing ends as an overflow, after a bounded number of calls")
    func takesNothing() async throws {
        let reader = Reader { _, _ in throw Overflow() }
        let record = try await record(
            of: Question(text: Self.sentences), by: ChunkedModel(reader, window: window(90)))
        guard case .failed(let error) = record.outcome else {
            Issue.record("it did not fail")
            return
        }
        #expect(error is Overflow)
        #expect(reader.prompts.count < 20 && record.attempts == reader.prompts.count)
    }

    @Test("context has half the window at most and goes with every part, the important first")
    func context() async throws {
        let reader = Reader { _, _ in .string("s") }
        let context = AirshipAI.Context(items: [
            .init(content: String(repeating: "x", count: 80), priority: 2),
            .init(content: "fact", priority: 1),
        ])
        _ = try await record(
            of: Question(text: Self.sentences), by: ChunkedModel(reader, window: window(100)),
            context: context)
        #expect(reader.prompts.count > 1)
        #expect(reader.prompts.allSatisfy { $0.hasSuffix(">- fact") })
        #expect(reader.prompts.allSatisfy { $0.count <= 100 + 2 })
    }

    @Test("tokens are estimated as four bytes each")
    func tokens() async throws {
        let reader = Reader { _, _ in .string("s") }
        let question = Question(text: String(repeating: "é é é é. ", count: 60))
        _ = try await record(of: question, by: ChunkedModel(reader, window: .tokens(40)))
        #expect(reader.texts.joined() == question.text)
        for prompt in reader.prompts {
            let budget = PromptBudget.tokens(40)
            let length = [question.instructions(), #"{"type":"string"}"#, prompt]
                .reduce(0) { $0 + budget.length(of: $1) }
            #expect(length <= 40)
        }
    }

    @Test("what cannot be answered says why, and asks nobody in vain")
    func errors() async throws {
        func failure(_ text: String, _ room: Int, _ reader: Reader) async -> LongInputError? {
            let question = Question(text: text)
            let record = try? await record(
                of: question, by: ChunkedModel(reader, window: window(room)))
            guard case .failed(let error) = record?.outcome else { return nil }
            return error as? LongInputError
        }
        let unasked = Reader { _, _ in "" }
        #expect(await failure(Self.sentences, 0, unasked) == .windowTooSmall)
        let most = LongInputLimits.partMax
        #expect(
            await failure(String(repeating: "x", count: 10 * most + 1), 10, unasked)
                == .tooManyParts(most: most))
        #expect(unasked.prompts.isEmpty)
        let wordy = Reader { text, number in .string(text + " and so on \(number)") }
        #expect(await failure(Self.sentences, 90, wordy) == .answersTooLong)
    }

    @Test("on-device AI that goes off between two parts ends it as skipped, with no further call")
    func gate() async throws {
        let reader = Reader { [privacy] _, number in
            if number == 2 { privacy.disableFeatures(.onDeviceAI) }
            return .string("s")
        }
        let record = try await record(
            of: Question(text: Self.sentences), by: ChunkedModel(reader, window: window(90)))
        #expect(record.skipCause == .aiDisabled && record.attempts == 2)
        #expect(reader.prompts.count == 2)
    }

    @Test("cancelling ends it between two parts")
    func cancellation() async throws {
        let (begun, beginning) = AsyncStream<Void>.makeStream()
        let reader = Reader { _, number in
            if number == 2 {
                beginning.yield()
                // Cancelled, and answers all the same.
                while !Task.isCancelled { await Task.yield() }
            }
            return .string("s")
        }
        let question = Question(text: Self.sentences)
        var request = AirshipAI.Request(
            instructions: question.instructions(), schema: question.schema, context: .empty,
            render: { question.prompt(context: $0) })
        request.passage = .init(text: question.text) {
            question.prompt(passage: $0, context: $1)
        }
        let task = Task { [request, window = window(90)] in
            try await ChunkedModel(reader, window: window).respond(request)
        }
        for await _ in begun { break }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(reader.prompts.count == 2)
    }

    @Test("a model that cancels a part, as a withdrawn consent does, is not asked about the next")
    func withdrawn() async throws {
        let reader = Reader(attempts: 3) { _, number in
            if number == 2 { throw CancellationError() }
            return .string("s")
        }
        let record = try await record(
            of: Question(text: Self.sentences), by: ChunkedModel(reader, window: window(90)))
        #expect(record.isCancelled && record.attempts == 2)
        #expect(reader.prompts.count == 2)
    }

    @Test("a consent is looked at for every part")
    func consent() async throws {
        let scratch = ScratchFolder()
        let terms = ConsentTerms(provider: "Example", version: "1", sentData: "The text")
        let store = ConsentStore(file: URL(filePath: scratch.path("consent.json")))
        // As another process does it.
        let other = ConsentStore(file: URL(filePath: scratch.path("consent.json")))
        try store.allow(terms)
        let reader = Reader { _, number in
            if number == 2 { try other.decline(terms) }
            return .string("s")
        }
        let gated = ConsentGatedModel(reader, terms: terms, store: store)
        let record = try await record(
            of: Question(text: Self.sentences), by: ChunkedModel(gated, window: window(90)))
        #expect(record.isCancelled && record.model == "Example/reader")
        #expect(reader.prompts.count == 2)
    }

    @Test("a question without a text that may be split is asked as it is")
    func noPassage() async throws {
        let reader = Reader { _, _ in throw Overflow() }
        let request = AirshipAI.Request(
            instructions: "", schema: .string(), context: .empty,
            render: { _ in Self.sentences })
        await #expect(throws: Overflow.self) {
            try await ChunkedModel(reader, window: .characters(10)).respond(request)
        }
        #expect(reader.prompts == [Self.sentences])
    }

    @Test("a form's text stays between its tags in every part")
    func form() throws {
        let configuration = try TextInputConfiguration(
            json: #"{"prompt":"Which?","output_schema":{"type":"boolean"}}"#)
        let evaluation = try #require(
            TextInputEvaluation(
                typed: Self.sentences, configuration: configuration, fieldID: nil, random: 1))
        let parts = ["one ", "two"].map { evaluation.prompt(passage: $0, context: .empty) }
        #expect(
            parts == [
                "<input_00000001>\none \n</input_00000001>",
                "<input_00000001>\ntwo\n</input_00000001>",
            ])
        #expect(evaluation.passage == evaluation.subject.text)
        #expect(
            evaluation.prompt(context: .empty)
                == evaluation.prompt(passage: evaluation.subject.text, context: .empty))
    }
}
