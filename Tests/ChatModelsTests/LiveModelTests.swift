// Against a real model behind a real server, where `MODEL_URL` names one.

import AirshipCore
import ChatModels
import Foundation
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
}
