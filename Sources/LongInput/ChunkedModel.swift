// A model for texts that are longer than its window.

public import AirshipCore
public import Foundation

/// Asks a model about a long text part by part, each in a request of its own, and makes one answer of
/// theirs.
///
/// It is one evaluation: one record, whose attempts are all calls of the model. What fits is asked as it
/// is. Only a text that a feature marks as one is split; what stands around it, and half a window
/// of context at most, goes with every part.
public struct ChunkedModel: AirshipAI.ModelProtocol {
    private let model: any AirshipAI.ModelProtocol
    private let window: PromptBudget

    /// Seconds for all parts together.
    public let responseTimeout: TimeInterval

    /// - Parameters:
    ///   - model: Each of its calls has the attempts that it asks for. A gate belongs here, so that each
    ///     part passes it.
    ///   - window: Of one request: instructions, schema and prompt. Leave room for the answer, and
    ///     stay within what the model trims to by itself.
    ///   - responseTimeout: The model's own unless set.
    public init(
        _ model: any AirshipAI.ModelProtocol, window: PromptBudget,
        responseTimeout: TimeInterval? = nil
    ) {
        self.model = model
        self.window = window
        self.responseTimeout = responseTimeout ?? model.responseTimeout
    }

    public var availability: AirshipAI.Availability { model.availability }

    public var availabilityUpdates: AsyncStream<AirshipAI.Availability> {
        model.availabilityUpdates
    }

    public var label: String? { model.label }

    /// Attempts are those of each part; all of it is not begun again.
    public var maxAttempts: Int { 1 }

    /// Answers about the whole text.
    ///
    /// - Throws: ``LongInputError``, else what the model throws for a part.
    public func respond(_ request: AirshipAI.Request) async throws -> AirshipJSON {
        var question = ChunkedQuestion(model: model, window: window, request: request)
        return try await question.answer()
    }
}
