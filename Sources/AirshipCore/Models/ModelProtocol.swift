// What can answer a request, and what an app answers when asked which model to use.

public import Foundation

extension AirshipAI {
    /// A backend that answers requests; only ``respond(_:)`` has no default.
    public protocol ModelProtocol: Sendable {
        /// Whether it is worth asking; read once before an evaluation's first attempt, on the
        /// caller's thread, so it must answer from memory.
        var availability: Availability { get }

        /// Hints that ``availability`` may have changed; the truth is read there.
        var availabilityUpdates: AsyncStream<Availability> { get }

        /// Calls per evaluation, the first included; below 1 counts as 1, above a million as that.
        var maxAttempts: Int { get }

        /// Seconds for all attempts together. Zero and less fail at once; what is not finite, or
        /// more than a day, is a day.
        ///
        /// The evaluation ends then whatever ``respond(_:)`` does. Its caller goes on as soon as there
        /// is a thread for it; see ``respond(_:)`` for how a model can prevent that.
        var responseTimeout: TimeInterval { get }

        /// The name under which records keep this model apart from others, such as `gpt-4o`.
        var label: String? { get }

        /// Answers with JSON that conforms to the request's schema.
        ///
        /// Runs on a thread that may be blocked, as do its child tasks. At the deadline the task is
        /// cancelled and the answer is no longer waited for.
        ///
        /// Blocking work that it hands to a global dispatch queue, or to a task that is no child of
        /// its own (`Task {}`), takes threads that callers need to go on: as many such calls as there
        /// are cores can hold those up beyond the deadline.
        ///
        /// - Throws: Anything; the evaluator tries again, except after a `CancellationError`. An
        ///   error that is a ``ClassifiedError`` tells the log its class.
        func respond(_ request: Request) async throws -> AirshipJSON
    }

    /// Which model an evaluation uses.
    public enum ModelSelector: Sendable {
        /// The registered default, if there is one.
        case defaultModel

        case custom(any ModelProtocol)
    }
}

extension AirshipAI.ModelProtocol {
    public var availability: AirshipAI.Availability { .available }

    /// The current availability, once; then it ends.
    public var availabilityUpdates: AsyncStream<AirshipAI.Availability> { .once(availability) }

    public var maxAttempts: Int { 3 }
    public var responseTimeout: TimeInterval { 30 }
    public var label: String? { nil }
}

extension AsyncStream where Element: Sendable {
    /// That element, and the end.
    package static func once(_ element: Element) -> Self {
        Self { continuation in
            continuation.yield(element)
            continuation.finish()
        }
    }
}
