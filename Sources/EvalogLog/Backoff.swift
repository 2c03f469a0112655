// When a stream whose writes fail is tried again: after ever longer waits, or when someone asks.

/// What is known of a stream's attempts to write.
struct Backoff {
    /// The last attempt failed.
    struct Failure {
        var error: LogError
        var delay: Int64
        /// Monotonic time of the next attempt.
        var retryAt: Int64
    }

    /// nil after a success.
    private(set) var failure: Failure?
    private(set) var failureCount = 0
    /// An attempt is due in spite of an earlier failure.
    private var isForced = false
    private var failureCountAtDemand = 0

    /// Whether an attempt may be made now.
    func isDue(_ now: Int64) -> Bool { failure.map { isForced || $0.retryAt <= now } ?? true }

    /// Whether the attempt that was asked for last was in vain.
    var hasFailedSinceDemand: Bool { failure != nil && failureCount > failureCountAtDemand }

    /// Whether space ran out. A second failed sync in a row counts as that.
    var isShortOfSpace: Bool {
        guard case .disk(let error) = failure?.error else { return false }
        return error.isNoSpace || error.operation == .syncFile || error.operation == .syncFolder
    }

    /// Asks for one attempt without waiting.
    mutating func demand() {
        isForced = failure != nil
        failureCountAtDemand = failureCount
    }

    /// An attempt begins.
    mutating func begin() { isForced = false }

    mutating func succeed() { failure = nil }

    mutating func fail(_ error: LogError, at now: Int64) {
        let doubled = failure.map { min($0.delay * 2, LogLimits.retryDelayMax) }
        let delay = doubled ?? LogLimits.retryDelay
        failure = Failure(error: error, delay: delay, retryAt: now + delay)
        failureCount += 1
    }
}
