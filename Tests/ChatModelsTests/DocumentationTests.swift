// The snippets of docs/models.md, as they stand there.

import AirshipCore
import ChatModels
import Foundation
import LongInput
import Testing

struct DocumentationTests {
    private struct Keychain: Sendable {
        func key(for host: String) async throws -> String { host }
    }

    private let keychain = Keychain()

    private func chatCompletions() {
        let keychain = keychain
        let model = ChatCompletionsModel(
            baseURL: URL(string: "https://api.example.com/v1")!, model: "small-model",
            key: { try await keychain.key(for: "api.example.com") })
        Airship.ai.setModelResolver { _ in .custom(model) }
    }

    private func longText(_ model: ChatCompletionsModel) {
        let patient = ChunkedModel(model, window: .tokens(3_500), responseTimeout: 120)
        Airship.ai.setModelResolver { _ in .custom(patient) }
    }

    private func recording(of file: URL, usage: AirshipAI.AnyUsage) throws -> RecordedModel {
        let exchanges = RecordedExchange.read(ndjson: try Data(contentsOf: file))
        let model = RecordedModel(exchanges, usage: usage, seed: 7, latencyScale: 0)
        return model
    }

    @Test("the documented way to a chat completions model leaves one that resolves")
    func documented() {
        chatCompletions()
        defer { Airship.ai.setModelResolver(nil) }
        let usage = AirshipAI.AnyUsage(AirshipAI.Usage<String>(rawValue: "any"))
        #expect(Airship.ai.model(for: usage)?.label == "small-model")
    }

    @Test("a recording that is not there is an error")
    func missingRecording() {
        let usage = AirshipAI.AnyUsage(AirshipAI.Usage<String>(rawValue: "any"))
        #expect(throws: CocoaError.self) {
            try recording(of: URL(filePath: "/nowhere"), usage: usage)
        }
    }
}
