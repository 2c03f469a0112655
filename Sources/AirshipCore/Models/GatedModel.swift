// A model seen through the privacy gate, for those who hold it for long.

package import Foundation

/// A model that is not enabled and is not asked while `onDeviceAI` is off, and follows the switch.
package struct GatedModel: AirshipAI.ModelProtocol {
    private let model: any AirshipAI.ModelProtocol
    private let privacy: AirshipPrivacyManager

    package init(_ model: any AirshipAI.ModelProtocol, privacy: AirshipPrivacyManager) {
        self.model = model
        self.privacy = privacy
    }

    package var availability: AirshipAI.Availability {
        privacy.isEnabled(.onDeviceAI) ? model.availability : .unavailable(reason: .notEnabled)
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
            let gate = Task { for await _ in privacy.featureUpdates { changed() } }
            let updates = Task { for await _ in model.availabilityUpdates { changed() } }
            continuation.onTermination = { _ in
                gate.cancel()
                updates.cancel()
            }
        }
    }

    /// Asks the model if the gate is on now.
    ///
    /// - Throws: ``AirshipCoreError/aiDisabled``, else what the model throws.
    package func respond(_ request: AirshipAI.Request) async throws -> AirshipJSON {
        guard privacy.isEnabled(.onDeviceAI) else { throw AirshipCoreError.aiDisabled }
        return try await model.respond(request)
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
