// When to try something again that has failed.

/// Something that may be tried again after a while that doubles with each failure.
struct Retry {
    private var delay: Int64 = 0
    private var due = Int64.min

    var hasFailed: Bool { delay > 0 }

    func isDue(at monotonicTime: Int64) -> Bool { monotonicTime >= due }

    mutating func failed(at monotonicTime: Int64) {
        delay = min(max(delay * 2, RecordingLimits.retryDelay), RecordingLimits.retryDelayMax)
        due = monotonicTime + delay
    }
}
