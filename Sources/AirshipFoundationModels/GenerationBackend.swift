// The seam between what is tested here and what only Apple's systems can run.

package import AirshipCore

/// One of the framework's models, asked one question at a time.
package protocol GenerationBackend: Sendable {
    /// The name under which records keep it apart from others.
    var label: String { get }

    var availability: AirshipAI.Availability { get }
    var availabilityUpdates: AsyncStream<AirshipAI.Availability> { get }

    /// Whether it can be held to a schema.
    var canGuideGeneration: Bool { get }

    /// What the request takes of the model's window; nil where that cannot be told beforehand.
    func measure(_ request: AirshipAI.Request) async throws -> TokenUse?

    /// Asks once, in a session of its own: sessions remember, and attempts must not.
    ///
    /// - Throws: ``FoundationModelError`` or `CancellationError`.
    func generate(_ request: AirshipAI.Request) async throws -> AirshipJSON
}

/// Tokens of one question.
package struct TokenUse: Hashable, Sendable {
    /// Instructions, schema and prompt together.
    package let tokenCount: Int

    /// What the model can hold, the answer included.
    package let windowSize: Int

    package init(tokenCount: Int, windowSize: Int) {
        self.tokenCount = tokenCount
        self.windowSize = windowSize
    }

    /// Whether room for an answer is left.
    var fits: Bool {
        let (needed, overflows) = tokenCount.addingReportingOverflow(
            FoundationModelDefaults.responseTokenReserve)
        return !overflows && needed <= windowSize
    }
}

extension GenerationBackend {
    /// The current availability, once.
    package var availabilityUpdates: AsyncStream<AirshipAI.Availability> { .once(availability) }
}
