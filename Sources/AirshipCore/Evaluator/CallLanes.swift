// Threads by whose code they run, so that a model that gets stuck stops only itself.

package import Foundation

/// The threads of all models, and what threads of context providers are made like.
package final class CallLanes: Sendable {
    /// Models have no identity, so those of one type and label are one.
    private struct Owner: Hashable {
        /// A type is never freed, so no other one gets its identifier.
        let type: ObjectIdentifier
        let label: String?
    }

    /// The threads of all evaluators of the process.
    package static let shared = CallLanes()

    private let threadMax: Int
    private let laneMax: Int
    private let idleSeconds: TimeInterval
    private let lanes = Locked<[Owner: CallThreads]>([:])
    /// For models that come when there are enough lanes.
    private let common: CallThreads

    /// - Parameters:
    ///   - threadMax: The threads of one lane.
    ///   - laneMax: Models with threads of their own; further ones share.
    ///   - idleSeconds: How long a thread waits for a call before it ends.
    package init(
        threadMax: Int = CoreLimits.callThreadMax, laneMax: Int = CoreLimits.callLaneMax,
        idleSeconds: TimeInterval = CoreLimits.callThreadIdleSeconds
    ) {
        self.threadMax = threadMax
        self.laneMax = laneMax
        self.idleSeconds = idleSeconds
        common = CallThreads(threadMax: threadMax, idleSeconds: idleSeconds)
    }

    /// The threads for calls of that model.
    package func threads(for model: any AirshipAI.ModelProtocol) -> CallThreads {
        let owner = Owner(type: ObjectIdentifier(type(of: model)), label: model.label)
        return lanes.withLock { lanes in
            if let lane = lanes[owner] { return lane }
            guard lanes.count < laneMax else { return common }
            let lane = makeThreads()
            lanes[owner] = lane
            return lane
        }
    }

    /// Threads for somebody who keeps them.
    package func makeThreads() -> CallThreads {
        CallThreads(threadMax: threadMax, idleSeconds: idleSeconds)
    }
}
