// A count that can be waited for.

import AirshipCore

/// Counts up; whoever waits for a number goes on once it is reached.
final class Tally: Sendable {
    private struct State: Sendable {
        var count = 0
        var waiting: [(count: Int, reached: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Locked(State())

    var count: Int { state.withLock { $0.count } }

    func add() {
        let reached = state.withLock { state in
            state.count += 1
            let reached = state.waiting.filter { $0.count <= state.count }
            state.waiting.removeAll { $0.count <= state.count }
            return reached
        }
        for waiter in reached { waiter.reached.resume() }
    }

    func reaches(_ count: Int) async {
        await withCheckedContinuation { reached in
            let isReached = state.withLock { state in
                if state.count < count { state.waiting.append((count, reached)) }
                return state.count >= count
            }
            if isReached { reached.resume() }
        }
    }
}
