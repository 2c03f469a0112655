// A model on Apple's Foundation Models framework: trimming, attempts and budgets. Apple/ holds the
// backends, and compiles to nothing where the framework does not exist.

public import AirshipCore
public import Foundation

/// Adapts a model of Apple's Foundation Models framework.
///
/// Linking this module registers the on-device model as the default. Others are made with
/// `privateCloudCompute(reasoningLevel:)` and `backed(by:reasoningLevel:availability:)`.
public struct AirshipFoundationModel: AirshipAI.ModelProtocol {
    /// How much a model may think before it answers; dropped for a model that cannot.
    public enum ReasoningLevel: Hashable, Sendable {
        case light
        case moderate
        case deep
    }

    private let backend: any GenerationBackend
    private let appAvailability: (@Sendable () -> AirshipAI.Availability)?

    public let maxAttempts = FoundationModelDefaults.maxAttempts
    public let responseTimeout: TimeInterval

    /// - Parameter availability: What the app says instead of the backend; nil leaves it to that.
    package init(
        _ backend: any GenerationBackend,
        responseTimeout: TimeInterval = FoundationModelDefaults.responseTimeout,
        availability: (@Sendable () -> AirshipAI.Availability)? = nil
    ) {
        self.backend = backend
        self.responseTimeout = responseTimeout
        appAvailability = availability
    }

    public var label: String? { backend.label }

    public var availability: AirshipAI.Availability {
        appAvailability?() ?? backend.availability
    }

    /// The backend's changes; an app's own availability is told once.
    public var availabilityUpdates: AsyncStream<AirshipAI.Availability> {
        appAvailability.map { .once($0()) } ?? backend.availabilityUpdates
    }

    /// Asks, giving up context until it fits: beforehand where tokens can be counted, and one item
    /// for each overflow that the model reports. All of that is one attempt.
    ///
    /// - Throws: ``FoundationModelError`` or `CancellationError`.
    public func respond(_ request: AirshipAI.Request) async throws -> AirshipJSON {
        guard backend.canGuideGeneration else { throw FoundationModelError.unsupportedSchema }
        var request = request
        try await trim(&request)
        while true {
            do {
                return try await backend.generate(request)
            } catch FoundationModelError.contextOverflow {
                try Task.checkCancellation()
                guard request.dropLowestPriorityContextItem() != nil else {
                    throw FoundationModelError.contextOverflow
                }
            }
        }
    }

    /// A count that fails is no reason to fail: the model itself will say what does not fit.
    private func trim(_ request: inout AirshipAI.Request) async throws {
        let fits = try await request.dropContext { trial in
            try Task.checkCancellation()
            return (try? await backend.measure(trial))?.fits ?? true
        }
        guard fits else { throw FoundationModelError.contextOverflow }
    }
}

extension AirshipFoundationModel: CustomStringConvertible, CustomReflectable {
    public var description: String { "AirshipFoundationModel(\(backend.label))" }
    public var customMirror: Mirror { Mirror(self, children: ["label": backend.label]) }
}
