// Threads by whose code they run, so that a model or a provider that gets stuck stops only itself.

package import Foundation

/// The threads of all models and context providers.
package final class CallLanes: Sendable {
    /// Whose code it is. Models have no identity, so those of one type and label are one.
    enum Owner: Hashable {
        case model(ObjectIdentifier, label: String?)
        case provider(usage: String)
        case defaultProvider
    }

    /// The threads of all evaluators of the process.
    package static let shared = CallLanes()

    private let laneMax: Int
    private let makeLane: @Sendable () -> CallThreads
    private let lanes = Locked<[Owner: CallThreads]>([:])
    /// For those who come when there are enough lanes.
    private let common: CallThreads

    /// - Parameters:
    ///   - threadMax: The threads of one lane.
    ///   - laneMax: Owners with threads of their own; further ones share.
    ///   - idleSeconds: How long a thread waits for a call before it ends.
    package init(
        threadMax: Int = CoreLimits.callThreadMax, laneMax: Int = CoreLimits.callLaneMax,
        idleSeconds: TimeInterval = CoreLimits.callThreadIdleSeconds
    ) {
        self.laneMax = laneMax
        makeLane = { CallThreads(threadMax: threadMax, idleSeconds: idleSeconds) }
        common = makeLane()
    }

    /// The threads for calls of that model.
    package func threads(for model: any AirshipAI.ModelProtocol) -> CallThreads {
        threads(of: .model(ObjectIdentifier(type(of: model)), label: model.label))
    }

    func threads(of owner: Owner) -> CallThreads {
        lanes.withLock { lanes in
            if let lane = lanes[owner] { return lane }
            guard lanes.count < laneMax else { return common }
            let lane = makeLane()
            lanes[owner] = lane
            return lane
        }
    }
}
