// A model behind any server with OpenAI's chat completions API. Wire/ turns questions to bytes and
// bytes to answers; ChatCompletionsModel+Respond.swift asks.

public import AirshipCore
public import Foundation

/// Asks a chat completions server for structured answers.
///
/// Copies share what the server said about when to come back. Nothing of it describes more than
/// the model's name: no key, header, address or prompt shows in a description, a dump or an error.
public struct ChatCompletionsModel: AirshipAI.ModelProtocol {
    /// Gives the key for the next request. Called once a request, so a key may be rotated, and
    /// nothing of what it returns or throws is kept.
    public typealias KeyProvider = @Sendable () async throws -> String

    /// How the server is told which shape the answer must have.
    public enum AnswerFormat: Hashable, Sendable {
        /// Structured output, strict.
        case jsonSchema
        /// Any JSON object, the schema in the instructions.
        case jsonObject
        /// The schema in the instructions only, for servers that know no response format.
        case plainText
    }

    /// What servers call the length limit of an answer.
    public enum MaxTokensName: String, Hashable, Sendable {
        /// Nearly all of them.
        case maxTokens = "max_tokens"
        /// OpenAI's own reasoning models refuse the older name.
        case maxCompletionTokens = "max_completion_tokens"
    }

    /// What most apps leave as it is.
    public struct Options: Sendable {
        /// Sent with every request, in place of ours where names are equal; for gateways.
        public var headers: [String: String] = [:]

        public var answerFormat = AnswerFormat.jsonSchema

        /// The answer's length limit in tokens; nil leaves it to the server, which may then let a
        /// string run to the end of its window.
        public var maxTokens: Int? = 512

        public var maxTokensName = MaxTokensName.maxTokens

        /// Nil leaves it to the server; some models accept none but their own.
        public var temperature: Double? = 0

        /// The length to which requests are trimmed before they are sent.
        public var promptBudget = PromptBudget.characters(24_000)

        /// Calls per evaluation, the first included.
        public var maxAttempts = 3

        /// Seconds for all attempts together.
        public var responseTimeout: TimeInterval = 30

        public init() {}
    }

    let model: String
    let baseURL: URL
    let key: KeyProvider?
    let options: Options
    let transport: any HTTPTransport
    let time: any TimeSource
    let pause = ServerPause()

    /// Makes a model that asks over the network.
    ///
    /// - Parameters:
    ///   - baseURL: What comes before `/chat/completions`, such as `https://api.openai.com/v1`; a
    ///     query is kept.
    ///   - model: The server's name for the model; also its label in records.
    ///   - key: Nil sends no `Authorization`.
    public init(
        baseURL: URL, model: String, options: Options = Options(), key: KeyProvider? = nil
    ) {
        self.init(
            baseURL: baseURL, model: model, options: options, key: key,
            transport: URLSessionTransport.shared, time: SystemTime())
    }

    /// Makes a model that asks through that transport, by those clocks.
    package init(
        baseURL: URL, model: String, options: Options = Options(), key: KeyProvider? = nil,
        transport: any HTTPTransport, time: any TimeSource
    ) {
        self.baseURL = baseURL
        self.model = model
        self.options = options
        self.key = key
        self.transport = transport
        self.time = time
    }

    public var label: String? { model }
    public var maxAttempts: Int { options.maxAttempts }
    public var responseTimeout: TimeInterval { options.responseTimeout }
}

extension ChatCompletionsModel: CustomStringConvertible, CustomReflectable {
    public var description: String { "ChatCompletionsModel(\(model))" }
    public var customMirror: Mirror { Mirror(self, children: ["model": model]) }
}

// Headers can hold keys.
extension ChatCompletionsModel.Options: CustomStringConvertible, CustomReflectable {
    public var description: String { "ChatCompletionsModel.Options" }
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
