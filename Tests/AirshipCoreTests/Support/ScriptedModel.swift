// A model that does what the test says, call by call, and remembers what it was asked.

import AirshipCore
import Foundation

final class ScriptedModel: AirshipAI.ModelProtocol {
    typealias Step = @Sendable (AirshipAI.Request) async throws -> AirshipJSON

    private let steps: [Step]
    private let asked = Locked<[AirshipAI.Request]>([])
    private let waiting = Locked<[(count: Int, rendezvous: Rendezvous<Void>)]>([])
    private let state: Locked<AirshipAI.Availability>
    let maxAttempts: Int
    let responseTimeout: TimeInterval
    let label: String?

    /// - Parameter steps: One a call; the last one repeats.
    init(
        _ steps: Step..., attempts: Int = 3, budget: TimeInterval = 30, label: String? = nil,
        availability: AirshipAI.Availability = .available
    ) {
        self.steps = steps
        maxAttempts = attempts
        responseTimeout = budget
        self.label = label
        state = Locked(availability)
    }

    var requests: [AirshipAI.Request] { asked.withLock { $0 } }

    /// Returns once the model was called so often, or the test's time limit is over.
    func asked(_ count: Int) async {
        let rendezvous = Rendezvous<Void>()
        waiting.withLock { $0.append((count, rendezvous)) }
        tellWaiting()
        await rendezvous.value(ifCancelled: ())
    }

    private func tellWaiting() {
        let count = requests.count
        let reached = waiting.withLock { waiting in
            defer { waiting.removeAll { $0.count <= count } }
            return waiting.filter { $0.count <= count }
        }
        for waiter in reached { waiter.rendezvous.settle(()) }
    }

    var availability: AirshipAI.Availability {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    func respond(_ request: AirshipAI.Request) async throws -> AirshipJSON {
        let number = asked.withLock { asked in
            asked.append(request)
            return asked.count
        }
        tellWaiting()
        return try await steps[min(number, steps.count) - 1](request)
    }
}

extension ScriptedModel {
    static func answer(_ json: AirshipJSON) -> Step { { _ in json } }

    static func fail(_ error: any Error = ModelFailure()) -> Step { { _ in throw error } }

    /// Waits until its task is cancelled.
    static let hang: Step = { _ in
        let never = AsyncStream<Never> { _ in }
        for await _ in never {}
        throw CancellationError()
    }
}

struct ModelFailure: Error {}

/// A model whose updates the test sends.
final class LiveModel: AirshipAI.ModelProtocol {
    private let state = Locked(AirshipAI.Availability.available)
    let (availabilityUpdates, updates) = AsyncStream<AirshipAI.Availability>.makeStream()
    var availability: AirshipAI.Availability { state.withLock { $0 } }
    func respond(_ request: AirshipAI.Request) async throws -> AirshipJSON { nil }

    func become(_ availability: AirshipAI.Availability) {
        state.withLock { $0 = availability }
        updates.yield(availability)
    }
}
