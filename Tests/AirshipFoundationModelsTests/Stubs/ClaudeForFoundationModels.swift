// A stand-in for Anthropic's package: what the product documentation's example uses.

public import Foundation
public import FoundationModels

public struct ClaudeLanguageModel: LanguageModel {
    public enum Name: Sendable {
        case opus5
    }

    public enum Authorization: Sendable {
        case proxied(headers: [String: String])
    }

    public init(name: Name, auth: Authorization, baseURL: URL) {}

    public var capabilities: LanguageModelCapabilities {
        LanguageModelCapabilities(capabilities: [.guidedGeneration, .reasoning])
    }
}
