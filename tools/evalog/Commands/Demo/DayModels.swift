// Which model answers what on the demonstration's day: a recording's, or one behind a server.

import AirshipCore
import ChatModels
import Foundation

/// The models of a day.
protocol DayModels: Sendable {
    /// - Parameters:
    ///   - isUpdated: After the system's update.
    ///   - holds: What a good model would say of the scene in question.
    func model(
        for usage: AirshipAI.AnyUsage, isUpdated: Bool, holds: Bool
    ) -> any AirshipAI.ModelProtocol
}

/// Plays the sample: its first model before the update, its last one afterwards.
struct RecordedModels: DayModels {
    private struct Choice: Hashable {
        let usage: String
        let isUpdated: Bool
        let holds: Bool
    }

    private let models: [Choice: RecordedModel]

    /// - Throws: ``CommandFailure`` where the recording has no exchanges.
    init(recording: Data, seed: UInt64, time: any TimeSource) throws {
        var models: [Choice: RecordedModel] = [:]
        for (holds, data) in [(true, recording), (false, Self.decliningScenes(in: recording))] {
            // What took no time cannot be overtaken.
            let exchanges = RecordedExchange.read(ndjson: data).filter { $0.latency > .zero }
            guard let first = exchanges.first?.model, let last = exchanges.last?.model else {
                throw CommandFailure("the sample has no exchanges with a model")
            }
            let newest = exchanges.last { $0.model != first }?.model ?? last
            for usage in Set(exchanges.map(\.usage)) {
                for (isUpdated, name) in [(false, first), (true, newest)] {
                    models[Choice(usage: usage, isUpdated: isUpdated, holds: holds)] =
                        RecordedModel(
                            exchanges.filter { $0.usage == usage && $0.model == name }, seed: seed,
                            time: time)
                }
            }
        }
        self.models = models
    }

    func model(
        for usage: AirshipAI.AnyUsage, isUpdated: Bool, holds: Bool
    ) -> any AirshipAI.ModelProtocol {
        models[Choice(usage: usage.rawValue, isUpdated: isUpdated, holds: holds)]
            ?? RecordedModel([], seed: 0)
    }

    /// The recording with no in place of yes: its models allowed every message, also those whose
    /// condition does not hold.
    private static func decliningScenes(in recording: Data) -> Data {
        let usage = AirshipAI.InAppMessageSuppression.usage.rawValue
        let lines = recording.split(separator: UInt8(ascii: "\n")).map { line -> Data in
            guard let json = try? AirshipJSON.from(data: line), json["usage"]?.string == usage,
                var record = json.object, var output = record["output"]?.object
            else { return line }
            output["allow"] = false
            record["output"] = .object(output)
            return (try? Data(AirshipJSON.object(record).toString().utf8)) ?? line
        }
        return Data(lines.joined(separator: [UInt8(ascii: "\n")]))
    }
}

/// Asks a server. After the update without structured output, as from servers that have none:
/// small models then break the schema, which is what attempts are for.
struct LiveModels: DayModels {
    private let structured: ChatCompletionsModel
    private let plain: ChatCompletionsModel

    init(baseURL: URL, name: String, key: String?) {
        let provider = key.map { key -> ChatCompletionsModel.KeyProvider in { key } }
        func model(_ format: ChatCompletionsModel.AnswerFormat) -> ChatCompletionsModel {
            var options = ChatCompletionsModel.Options()
            options.answerFormat = format
            options.maxTokens = 200
            // At 0 small models repeat themselves up to the limit, and in every attempt the same.
            options.temperature = 1
            return ChatCompletionsModel(
                baseURL: baseURL, model: name, options: options, key: provider)
        }
        structured = model(.jsonSchema)
        plain = model(.plainText)
    }

    func model(
        for usage: AirshipAI.AnyUsage, isUpdated: Bool, holds: Bool
    ) -> any AirshipAI.ModelProtocol {
        isUpdated ? plain : structured
    }
}

/// A model that the system may take away for a while.
struct SystemModel: AirshipAI.ModelProtocol {
    let model: any AirshipAI.ModelProtocol
    let availability: AirshipAI.Availability

    var maxAttempts: Int { model.maxAttempts }
    var responseTimeout: TimeInterval { model.responseTimeout }
    var label: String? { model.label }

    func respond(_ request: AirshipAI.Request) async throws -> AirshipJSON {
        try await model.respond(request)
    }
}
