// What a suppressed message does to the schedule that it came from.

/// How far a schedule has come.
package struct ScheduleProgress: Hashable, Sendable {
    package enum Phase: Sendable {
        case idle, triggered, finished
    }

    package var phase: Phase
    package var executionCount: Int

    package init(phase: Phase, executionCount: Int) {
        self.phase = phase
        self.executionCount = executionCount
    }

    /// What to do with the stored schedule.
    package enum Effect: Hashable, Sendable {
        /// It is no longer triggered: the decision came too late, a model can take long.
        case ignore
        case remove
        case store(ScheduleProgress)
    }

    /// The effect of suppressing the message for which the schedule was triggered.
    ///
    /// - Parameters:
    ///   - executionLimit: Executions until it is finished; 0 is no limit.
    ///   - isExpired: Whether its end has passed by now.
    package func effect(
        of missBehavior: AirshipAI.MissBehavior, executionLimit: Int, isExpired: Bool
    ) -> Effect {
        guard phase == .triggered else { return .ignore }
        switch missBehavior {
        case .cancel: return .remove
        case .skip: return .store(Self(phase: .idle, executionCount: executionCount))
        case .penalize:
            let count = executionCount + 1
            let isFinished = isExpired || (executionLimit > 0 && count >= executionLimit)
            return .store(Self(phase: isFinished ? .finished : .idle, executionCount: count))
        }
    }
}
