// How a view chooses among several pending instances.

public import Foundation

/// The strategy by which an embedded view chooses what it displays.
public enum AirshipEmbeddedSelection: Sendable {
    /// Sorts two instances; `.orderedAscending` displays the first before the second.
    public typealias Comparator =
        @Sendable (AirshipEmbeddedInfo, AirshipEmbeddedInfo) -> ComparisonResult

    /// What was displayed stays while it is pending; else the lowest priority number, the earliest
    /// of equals.
    case priority

    /// The first in sorted order; instances that compare the same keep their order of arrival.
    case comparator(Comparator)

    /// That instance and no other.
    case instance(String)

    /// What a model ranks first; the fallback where it has no opinion.
    case ai(config: AIConfig, fallback: Fallback)

    /// What a model is told, and how its scores are used.
    public struct AIConfig: Hashable, Sendable {
        /// What to look for, in the app's words.
        public var prompt: String
        public var strategy: Strategy
        /// The score from 1 to 10 that the first in order must reach; nil accepts any.
        public var minScoreThreshold: Int?
        /// Whether a better newcomer may replace what is on screen. If not, it is displayed after all
        /// that was in order when it came.
        public var allowDisplayInterruptions: Bool
        /// Words to the app's provider; no model sees them.
        public var subjectHints: [String: String]

        public init(
            prompt: String, strategy: Strategy = .scoreThenPriority,
            minScoreThreshold: Int? = nil, allowDisplayInterruptions: Bool = false,
            subjectHints: [String: String] = [:]
        ) {
            self.prompt = prompt
            self.strategy = strategy
            self.minScoreThreshold = minScoreThreshold
            self.allowDisplayInterruptions = allowDisplayInterruptions
            self.subjectHints = subjectHints
        }
    }

    /// Which of score and priority counts first.
    public enum Strategy: Hashable, Sendable {
        /// The best score; the lower priority number of equals.
        case scoreThenPriority
        /// The lowest priority number; the better score of equals.
        case priorityThenScore
    }

    /// A strategy that needs no model.
    public enum Fallback: Sendable {
        case priority
        case comparator(Comparator)
        case instance(String)
    }

    /// What a model ranks first, with everything but the prompt by default.
    public static func ai(
        prompt: String, strategy: Strategy = .scoreThenPriority, minScoreThreshold: Int? = nil,
        allowDisplayInterruptions: Bool = false, subjectHints: [String: String] = [:],
        fallback: Fallback = .priority
    ) -> Self {
        .ai(
            config: AIConfig(
                prompt: prompt, strategy: strategy, minScoreThreshold: minScoreThreshold,
                allowDisplayInterruptions: allowDisplayInterruptions, subjectHints: subjectHints),
            fallback: fallback)
    }

    /// The part that chooses when no model does.
    var withoutModel: Fallback {
        switch self {
        case .priority: .priority
        case .comparator(let comparator): .comparator(comparator)
        case .instance(let id): .instance(id)
        case .ai(_, let fallback): fallback
        }
    }

    /// What a model is asked by; nil when none is.
    var aiConfig: AIConfig? {
        guard case .ai(let config, _) = self else { return nil }
        return config
    }
}

extension AirshipEmbeddedSelection.Fallback {
    /// Chooses one of the pending.
    ///
    /// - Parameters:
    ///   - pending: In order of arrival.
    ///   - lastDisplayed: What was displayed last for this embedded id, by whatever strategy.
    /// - Returns: Nil when nothing is pending, or not what was asked for.
    func choose(from pending: [AirshipEmbeddedInfo], lastDisplayed: String?) -> String? {
        switch self {
        case .priority:
            if let lastDisplayed, pending.contains(where: { $0.instanceID == lastDisplayed }) {
                return lastDisplayed
            }
            // `min` gives the first of equals: the earliest to arrive.
            return pending.min { $0.priority < $1.priority }?.instanceID
        case .comparator(let compare):
            // Not `min(by:)`: a comparator that is no strict order must not depend on it.
            return pending.dropFirst().reduce(pending.first) { best, next in
                guard let best else { return next }
                return compare(next, best) == .orderedAscending ? next : best
            }?.instanceID
        case .instance(let id):
            return pending.contains { $0.instanceID == id } ? id : nil
        }
    }
}
