// What a recorder knows of the privacy gate, and what its lines say of it.

/// How the gate stands, and what has to be written of it before an event.
struct GateKnowledge: Sendable {
    enum Standing { case unknown, on, off }

    private(set) var standing = Standing.unknown
    /// Not before when it stands so, as far as anybody told.
    private var since = Int64.min
    /// What the writer's lines say, as of when; in a suspension those that wait.
    private var written: (isOn: Bool, time: Int64)?

    /// - Parameter time: When it was switched; nil where it has stood so.
    mutating func learn(isOn: Bool, since time: Int64?) {
        let known = standing
        standing = isOn ? .on : .off
        if standing != known { since = time ?? .min }
    }

    /// What to write before an event; nil where nobody knows how the gate stands, or lines say so that
    /// are not old.
    ///
    /// Also where that is no news, for the lines that told it may be another's, or older and be
    /// pruned first. It is told as of the event, but of no time before the gate was switched.
    mutating func due(before eventTime: Int64, now: Int64) -> (isOn: Bool, time: Int64)? {
        if standing == .unknown { return nil }
        // A clock that was set back since.
        since = min(since, now)
        let time = max(since, min(eventTime, now))
        let isOn = standing == .on
        if let written, written.isOn == isOn,
            (0..<RecordingLimits.gateAge).contains(time &- written.time)
        {
            return nil
        }
        return (isOn, time)
    }

    /// The log took a line that says so.
    mutating func wrote(isOn: Bool, at time: Int64) { written = (isOn, time) }

    /// The lines that told it may be gone, or are another writer's.
    mutating func forgetWritten() { written = nil }
}
