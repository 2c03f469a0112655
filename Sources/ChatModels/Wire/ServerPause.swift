// What a server's Retry-After means for the next question, which may be another evaluation's.

import AirshipCore

/// Until when a server is left alone, and what it said.
///
/// Shared by all copies of a model: the evaluator asks again at once, and a question that was told
/// to wait longer than its budget must not be repeated before that either.
final class ServerPause: Sendable {
    struct Hold: Sendable {
        let until: Duration
        let error: ChatModelError
    }

    private let current = Locked<Hold?>(nil)

    /// Leaves the server alone until then; a longer pause that is already on stays.
    func begin(_ hold: Hold) {
        current.withLock { current in
            if let current, current.until >= hold.until { return }
            current = hold
        }
    }

    /// The pause that is on at that moment of elapsed time; nil when there is none.
    func hold(at elapsed: Duration) -> Hold? {
        current.withLock { current in
            if let hold = current, hold.until <= elapsed { current = nil }
            return current
        }
    }
}
