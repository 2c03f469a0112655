// A stand-in for Firebase AI Logic: what the product documentation's example uses. It cannot be
// held to a schema here, so that a test can see what happens then.

public import FoundationModels

public struct FirebaseAI: Sendable {
    public struct Backend: Sendable {
        public static func googleAI() -> Backend { Backend() }
    }

    public static func firebaseAI(backend: Backend) -> FirebaseAI { FirebaseAI() }

    public func geminiLanguageModel(name: String) -> GeminiLanguageModel { GeminiLanguageModel() }
}

public struct GeminiLanguageModel: LanguageModel {
    public var capabilities: LanguageModelCapabilities {
        LanguageModelCapabilities(capabilities: [])
    }
}
