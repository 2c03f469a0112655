// Against a real model behind a real server, where `MODEL_URL` names one.

import AirshipCore
import ChatModels
import Foundation
import LongInput
import Testing

private let liveURL = ProcessInfo.processInfo.environment["MODEL_URL"].flatMap(URL.init(string:))

@Suite(.enabled(if: liveURL != nil, "MODEL_URL names no server"), .serialized)
struct LiveModelTests {
    private func model(_ options: ChatCompletionsModel.Options = .init()) throws
        -> ChatCompletionsModel
    {
        ChatCompletionsModel(
            baseURL: try #require(liveURL), model: "any", options: options)
    }

    private static let schema = AirshipJSONSchema.object(
        properties: [
            "category": .string(choices: ["billing", "delivery"]), "urgent": .boolean(),
            "note": .string(choices: ["seen", "new"]), "tags": .array(items: .integer()),
        ], required: ["category", "urgent"])

    private func request(_ words: [Int], schema: AirshipJSONSchema) -> AirshipAI.Request {
        AirshipAI.Request(
            instructions: "Classify the text.", schema: schema,
            context: .init(
                items: words.enumerated().map { index, count in
                    .init(
                        content: Array(repeating: "parcel", count: count).joined(separator: " "),
                        priority: Double(index))
                }),
            render: { ["My parcel is late.", $0.renderBullets()].compactMap(\.self).joined() })
    }

    @Test("a server that obeys strict schemas answers with what conforms")
    func conforms() async throws {
        var options = ChatCompletionsModel.Options()
        options.maxTokens = 120
        let answer = try await model(options).respond(request([], schema: Self.schema))
        try Self.schema.validate(answer)
    }

    @Test("a root that is no object comes back as it was asked for")
    func scalar() async throws {
        let schema = AirshipJSONSchema.string(choices: ["billing", "delivery"])
        try schema.validate(await model().respond(request([], schema: schema)))
    }

    @Test("what does not fit the window is given up until it does")
    func trims() async throws {
        var options = ChatCompletionsModel.Options()
        options.promptBudget = .unlimited
        let schema = AirshipJSONSchema.object(
            properties: ["urgent": .boolean()], required: ["urgent"])
        let answer = try await model(options).respond(request([20, 3_000, 9_000], schema: schema))
        try schema.validate(answer)
    }

    @Test("an answer cut by its length limit is told as such")
    func truncated() async throws {
        var options = ChatCompletionsModel.Options()
        options.maxTokens = 2
        let error = await failure(
            of: try model(options), asked: request([], schema: Self.schema))
        #expect(error == .truncated)
    }

    /// What one question to an evaluator came to.
    private func record(
        of question: some AirshipAI.Evaluation, asking model: any AirshipAI.ModelProtocol,
        context: AirshipAI.Context = .empty
    ) async -> AirshipAI.EvaluationRecord? {
        let evaluator = AirshipAI.Evaluator(
            privacy: AirshipPrivacyManager(storage: MemoryFeatureStorage()))
        evaluator.setModelResolver { _ in .custom(model) }
        evaluator.setDefaultContextProvider { context }
        let (records, received) = AsyncStream.makeStream(of: AirshipAI.EvaluationRecord.self)
        evaluator.setEvaluationObserver { received.yield($0) }
        _ = await evaluator.evaluate(question)
        await evaluator.drained()
        received.finish()
        return await records.first { _ in true }
    }

    @Test("a question whose context is too long is answered, with less of it")
    func longContext() async throws {
        var options = ChatCompletionsModel.Options()
        options.promptBudget = .unlimited
        let words = [20, 3_000, 9_000].map { Array(repeating: "parcel", count: $0) }
        let context = AirshipAI.Context(
            items: words.enumerated().map {
                .init(content: $1.joined(separator: " "), priority: Double($0))
            })
        let record = try #require(
            await record(of: Question(), asking: try model(options), context: context))
        guard case .completed = record.outcome else {
            Issue.record("it was not answered")
            return
        }
        #expect(record.attempts == 1)
    }

    @Test("a text longer than the window is answered in parts, as one evaluation")
    func longText() async throws {
        var options = ChatCompletionsModel.Options()
        options.promptBudget = .unlimited
        options.maxTokens = 200
        let names = ["Ada", "Ben", "Cleo", "Dan", "Eve"]
        let places = ["in the yard", "at the depot", "by the door", "with a neighbour"]
        let question = LongQuestion(
            text: (1...200).map { day in
                "\(names[day % 5]) wrote on day \(day) that the parcel lay \(places[day % 4]). "
            }
            .joined())
        let whole = try #require(await record(of: question, asking: try model(options)))
        guard case .failed(let error) = whole.outcome else {
            Issue.record("the text fits")
            return
        }
        #expect(error as? ChatModelError == .contextOverflow)
        let chunked = ChunkedModel(
            try model(options), window: .tokens(1_000), responseTimeout: 600)
        let record = try #require(await record(of: question, asking: chunked))
        guard case .completed(let answer) = record.outcome else {
            Issue.record("it was not answered: \(record)")
            return
        }
        try question.schema.validate(answer)
        #expect(record.attempts > 2)
    }

    @Test("an answer that is none is asked for again, and the next one counts")
    func askedAgain() async throws {
        var prose = ChatCompletionsModel.Options()
        prose.answerFormat = .plainText
        prose.maxTokens = 40
        let model = Improving(first: try model(prose), later: try model())
        let record = try #require(await record(of: Question(tone: prosaic), asking: model))
        guard case .completed = record.outcome else {
            Issue.record("it was not answered")
            return
        }
        #expect(record.attempts == 2)
    }

    @Test("answers that stay none fail, after as many attempts as the model has")
    func neverAnswered() async throws {
        var prose = ChatCompletionsModel.Options()
        prose.answerFormat = .plainText
        prose.maxTokens = 40
        prose.maxAttempts = 2
        let record = try #require(
            await record(of: Question(tone: prosaic), asking: try model(prose)))
        guard case .failed = record.outcome else {
            Issue.record("it was answered")
            return
        }
        #expect(record.attempts == 2)
    }

    private let prosaic = "Write a short poem about the sea. No data, no code, only prose."
}

/// A question that a model answers at once if it is asked for a choice.
private struct Question: AirshipAI.Evaluation {
    struct Output: Decodable, Sendable { let urgent: Bool }

    var tone = "Is the text urgent?"

    let usage = AirshipAI.Usage<String>(rawValue: "live")
    let subject = "text"
    let subjectID: String? = nil
    let schema = AirshipJSONSchema.object(
        properties: ["urgent": .boolean()], required: ["urgent"])

    func instructions() -> String { tone }

    func prompt(context: AirshipAI.Context) -> String {
        ["My parcel is late.", context.renderBullets()].compactMap(\.self).joined(separator: "\n")
    }

    func decode(_ output: AirshipJSON) throws -> Output { try output.decode() }
}

/// A question about a text that may be split.
private struct LongQuestion: AirshipAI.Evaluation {
    typealias Output = AirshipJSON

    let text: String
    let usage = AirshipAI.Usage<String>(rawValue: "live")
    var subject: String { text }
    let schema = AirshipJSONSchema.object(
        properties: ["topic": .string(choices: ["billing", "delivery"]), "summary": .string()],
        required: ["topic", "summary"])

    func instructions() -> String { "Answer with the topic and a title of two words." }
    var passage: String? { text }
    func prompt(context: AirshipAI.Context) -> String { prompt(passage: text, context: context) }
    func prompt(passage: String, context: AirshipAI.Context) -> String { passage }
    func decode(_ output: AirshipJSON) throws -> AirshipJSON { output }
}

/// A server asked in one way first, and in another way from then on.
private actor Improving: AirshipAI.ModelProtocol {
    private let first: ChatCompletionsModel
    private let later: ChatCompletionsModel
    private var isAsked = false

    init(first: ChatCompletionsModel, later: ChatCompletionsModel) {
        (self.first, self.later) = (first, later)
    }

    func respond(_ request: AirshipAI.Request) async throws -> AirshipJSON {
        guard isAsked else {
            isAsked = true
            return try await first.respond(request)
        }
        return try await later.respond(request)
    }
}
