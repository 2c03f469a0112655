// A model seen through a gate, such as the switch of on-device AI, for those who hold it for long.

package import Foundation

/// What stands between a model and whoever asks it.
package protocol ModelGate: Sendable {
    /// Whether the model may be asked now; answers from memory.
    var isOpen: Bool { get }

    /// Calls whenever the gate may have opened or closed, until its task is cancelled.
    func follow(_ changed: @Sendable () -> Void) async

    /// Makes the call if the gate is open now.
    func pass(
        _ call: @escaping @Sendable () async throws -> AirshipJSON
    ) async throws -> AirshipJSON
}

/// A model that is not enabled and is not asked while its gate is closed, and follows it.
package struct GatedModel: AirshipAI.ModelProtocol {
    private let model: any AirshipAI.ModelProtocol
    private let gate: any ModelGate

    package init(_ model: any AirshipAI.ModelProtocol, gate: any ModelGate) {
        self.model = model
        self.gate = gate
    }

    package var availability: AirshipAI.Availability {
        gate.isOpen ? model.availability : .unavailable(reason: .notEnabled)
    }

    package var maxAttempts: Int { model.maxAttempts }
    package var responseTimeout: TimeInterval { model.responseTimeout }
    package var label: String? { model.label }

    /// The availability now and at every change, by the model or by the gate; no repeats.
    package var availabilityUpdates: AsyncStream<AirshipAI.Availability> {
        AsyncStream { continuation in
            let changes = Changes(continuation)
            let changed: @Sendable () -> Void = { changes.yield(availability) }
            changed()
            // Both sources repeat their current value first; reading the truth under one lock
            // makes that, and their order, harmless.
            let following = Task { [gate] in await gate.follow(changed) }
            let updates = Task { for await _ in model.availabilityUpdates { changed() } }
            continuation.onTermination = { _ in
                following.cancel()
                updates.cancel()
            }
        }
    }

    /// Asks the model if the gate is open now.
    ///
    /// - Throws: What the gate throws, else what the model throws.
    package func respond(_ request: AirshipAI.Request) async throws -> AirshipJSON {
        try await gate.pass { [model] in try await model.respond(request) }
    }

    /// Passes on only what differs from the last.
    private final class Changes: Sendable {
        private let last = Locked<AirshipAI.Availability?>(nil)
        private let continuation: AsyncStream<AirshipAI.Availability>.Continuation

        init(_ continuation: AsyncStream<AirshipAI.Availability>.Continuation) {
            self.continuation = continuation
        }

        func yield(_ current: @autoclosure () -> AirshipAI.Availability) {
            last.withLock { last in
                let current = current()
                guard current != last else { return }
                last = current
                continuation.yield(current)
            }
        }
    }
}

/// The switch of on-device AI.
extension AirshipPrivacyManager: ModelGate {
    package var isOpen: Bool { isEnabled(.onDeviceAI) }

    package func follow(_ changed: @Sendable () -> Void) async {
        for await _ in featureUpdates { changed() }
    }

    /// - Throws: ``AirshipCoreError/aiDisabled``, else what the call throws.
    package func pass(
        _ call: @escaping @Sendable () async throws -> AirshipJSON
    ) async throws -> AirshipJSON {
        guard isOpen else { throw AirshipCoreError.aiDisabled }
        return try await call()
    }
}
