// A stand-in for Apple's FoundationModels: the declarations that our code uses, as Apple documents
// them, and a stage on which a test decides what the models do. Compiled by the tests only.

public import Observation
import Synchronization

/// What the stubs do next, and what they were asked.
public struct Stage: Sendable {
    static let current = Mutex(Stage())

    /// Sets the stage, or looks at it.
    public static func with<Value: Sendable>(_ body: (inout Stage) -> Value) -> Value {
        current.withLock { body(&$0) }
    }

    public var availability = SystemLanguageModel.Availability.available
    public var contextSize = 4_096
    /// Prompts with more characters throw `overflow`.
    public var promptCharacterMax = Int.max
    public var overflow: any Error = LanguageModelSession.GenerationError.exceededContextWindowSize(
        .init(debugDescription: "stub"))
    public var error: (any Error)?
    public var answer = #"{"allow":true,"reason":"stub"}"#
    public var asked: [String] = []
    public var schemas: [String] = []
    public var reasoning: [String] = []
    public var sessionCount = 0

    static func respond(to prompt: Prompt, schema: GenerationSchema) throws -> GeneratedContent {
        try current.withLock { stage in
            stage.asked.append(prompt.text)
            stage.schemas.append(schema.text)
            if prompt.text.count > stage.promptCharacterMax { throw stage.overflow }
            if let error = stage.error { throw error }
            return GeneratedContent(jsonString: stage.answer)
        }
    }
}

public struct Prompt: Sendable {
    let text: String
    public init(_ text: String) { self.text = text }
}

public struct Instructions: Sendable {
    let text: String
    public init(_ text: String) { self.text = text }
}

public struct GenerationOptions: Sendable {
    public init() {}
}

public struct GeneratedContent: Sendable {
    public let jsonString: String
}

public protocol Generable {}
extension String: Generable {}
extension Bool: Generable {}
extension Int: Generable {}
extension Double: Generable {}

public struct GenerationSchema: Sendable {
    let text: String

    public init(root: DynamicGenerationSchema, dependencies: [DynamicGenerationSchema]) throws {
        text = root.text
    }
}

public struct DynamicGenerationSchema: Sendable {
    let text: String

    public struct Property: Sendable {
        let text: String

        public init(
            name: String, description: String? = nil, schema: DynamicGenerationSchema,
            isOptional: Bool = false
        ) {
            text = name + (isOptional ? "?" : "") + ": " + schema.text
        }
    }

    public init(name: String, description: String? = nil, properties: [Property]) {
        text = "\(name){" + properties.map(\.text).joined(separator: ", ") + "}"
    }

    public init(name: String, description: String? = nil, anyOf choices: [String]) {
        text = "\(name)(" + choices.joined(separator: "|") + ")"
    }

    public init(
        arrayOf items: DynamicGenerationSchema, minimumElements: Int? = nil,
        maximumElements: Int? = nil
    ) {
        text = "[\(items.text)]"
    }

    public init<Value: Generable>(type: Value.Type) {
        text = "\(type)"
    }
}

public final class SystemLanguageModel: Sendable, Observable {
    public static let `default` = SystemLanguageModel()

    public enum Availability: Equatable, Sendable {
        case available
        case unavailable(UnavailableReason)

        public enum UnavailableReason: Equatable, Sendable {
            case deviceNotEligible
            case appleIntelligenceNotEnabled
            case modelNotReady
        }
    }

    public var availability: Availability { Stage.with { $0.availability } }
    public var contextSize: Int { Stage.with { $0.contextSize } }

    public func tokenCount(for prompt: Prompt) async throws -> Int { prompt.text.count }
    public func tokenCount(for instructions: Instructions) async throws -> Int {
        instructions.text.count
    }
    public func tokenCount(for schema: GenerationSchema) async throws -> Int { schema.text.count }
}

public protocol Tool: Sendable {}

public final class LanguageModelSession: Sendable {
    public struct Response<Content: Sendable>: Sendable {
        public let content: Content
    }

    public enum GenerationError: Error {
        public struct Context: Sendable {
            public let debugDescription: String
            public init(debugDescription: String) { self.debugDescription = debugDescription }
        }

        public struct Refusal: Sendable {
            public init() {}
        }

        case exceededContextWindowSize(Context)
        case assetsUnavailable(Context)
        case guardrailViolation(Context)
        case unsupportedGuide(Context)
        case unsupportedLanguageOrLocale(Context)
        case decodingFailure(Context)
        case rateLimited(Context)
        case concurrentRequests(Context)
        case refusal(Refusal, Context)
    }

    private init() {
        Stage.with { $0.sessionCount += 1 }
    }

    public convenience init(
        model: SystemLanguageModel = .default, tools: [any Tool] = [], instructions: String? = nil
    ) {
        self.init()
    }

    public func respond(
        to prompt: Prompt, schema: GenerationSchema, includeSchemaInPrompt: Bool = true,
        options: GenerationOptions = GenerationOptions()
    ) async throws -> Response<GeneratedContent> {
        Response(content: try Stage.respond(to: prompt, schema: schema))
    }
}

#if FOUNDATION_MODELS_27
    public struct LanguageModelCapabilities: Sendable {
        public enum Capability: Hashable, Sendable {
            case guidedGeneration, reasoning, toolCalling, vision
        }

        private let capabilities: Set<Capability>
        public init(capabilities: [Capability]) { self.capabilities = Set(capabilities) }
        public func contains(_ capability: Capability) -> Bool {
            capabilities.contains(capability)
        }
    }

    public protocol LanguageModel: Sendable {
        var capabilities: LanguageModelCapabilities { get }
    }

    public struct ContextOptions: Sendable {
        public enum ReasoningLevel: Hashable, Sendable {
            case light, moderate, deep
            case custom(String)
        }

        let reasoningLevel: ReasoningLevel?

        public init(includeSchemaInPrompt: Bool? = nil, reasoningLevel: ReasoningLevel? = nil) {
            self.reasoningLevel = reasoningLevel
        }
    }

    extension SystemLanguageModel: LanguageModel {
        public var capabilities: LanguageModelCapabilities {
            LanguageModelCapabilities(capabilities: [.guidedGeneration, .toolCalling])
        }
    }

    public struct PrivateCloudComputeLanguageModel: LanguageModel {
        public enum Availability: Equatable, Sendable {
            case available
            case unavailable(UnavailableReason)

            public enum UnavailableReason: Equatable, Sendable {
                case deviceNotEligible
                case systemNotReady
            }
        }

        public enum Error: Swift.Error {
            public struct Payload: Sendable {
                public init() {}
            }

            case quotaLimitReached(Payload)
            case networkFailure(Payload)
            case serviceUnavailable(Payload)
        }

        public init() {}

        public var availability: Availability {
            switch Stage.with({ $0.availability }) {
            case .available: .available
            case .unavailable(.deviceNotEligible): .unavailable(.deviceNotEligible)
            case .unavailable: .unavailable(.systemNotReady)
            }
        }

        public var capabilities: LanguageModelCapabilities {
            LanguageModelCapabilities(capabilities: [.guidedGeneration, .reasoning])
        }
    }

    public enum LanguageModelError: Error {
        public struct Payload: Sendable {
            public init() {}
        }

        case contextSizeExceeded(Payload)
        case rateLimited(Payload)
        case refusal(Payload)
        case timeout(Payload)
        case guardrailViolation(Payload)
        case unsupportedCapability(Payload)
        case unsupportedTranscriptContent(Payload)
        case unsupportedGenerationGuide(Payload)
        case unsupportedLanguageOrLocale(Payload)
    }

    extension LanguageModelSession {
        public convenience init(
            model: some LanguageModel, tools: [any Tool] = [], instructions: String? = nil
        ) {
            self.init()
        }

        public func respond(
            to prompt: Prompt, schema: GenerationSchema,
            options: GenerationOptions = GenerationOptions(),
            contextOptions: ContextOptions = ContextOptions(), metadata: [String: String] = [:]
        ) async throws -> Response<GeneratedContent> {
            let level = contextOptions.reasoningLevel.map { "\($0)" } ?? "none"
            Stage.with { $0.reasoning.append(level) }
            return Response(content: try Stage.respond(to: prompt, schema: schema))
        }
    }
#endif
