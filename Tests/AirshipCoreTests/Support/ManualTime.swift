// Clocks that stand still until the test moves them, and tell when somebody waits for them.

import AirshipCore
import Foundation

final class ManualTime: TimeSource {
    private struct Pending {
        let due: Duration
        let call: @Sendable () -> Void
    }

    private struct State {
        var elapsed = Duration.zero
        var date = Date(timeIntervalSince1970: 1_800_000_000)
        var alarms: [Int: Pending] = [:]
        var alarmCount = 0
        var waiters: [(count: Int, reached: Rendezvous<Void>)] = []
    }

    private let state = Locked(State())

    var date: Date { state.withLock { $0.date } }
    var elapsed: Duration { state.withLock { $0.elapsed } }

    func schedule(
        after delay: Duration, _ call: @escaping @Sendable () -> Void
    ) -> any Alarm {
        let (id, reached) = state.withLock { state in
            state.alarmCount += 1
            state.alarms[state.alarmCount] = Pending(due: state.elapsed + delay, call: call)
            let count = state.alarmCount
            let reached = state.waiters.filter { $0.count <= count }
            state.waiters.removeAll { $0.count <= count }
            return (count, reached)
        }
        for waiter in reached { waiter.reached.settle(()) }
        return ManualAlarm { [weak self] in
            self?.state.withLock { _ = $0.alarms.removeValue(forKey: id) }
        }
    }

    /// Moves both clocks and fires what is due, in order.
    func advance(by step: Duration) {
        let due = state.withLock { state in
            state.elapsed += step
            state.date += step.timeInterval
            let due = state.alarms.filter { $0.value.due <= state.elapsed }
            for id in due.keys { state.alarms[id] = nil }
            return due.sorted { ($0.value.due, $0.key) < ($1.value.due, $1.key) }
        }
        for alarm in due { alarm.value.call() }
    }

    /// Returns once so many alarms have been scheduled since the beginning, or the test's time limit is
    /// over.
    func alarms(_ count: Int) async {
        let reached = Rendezvous<Void>()
        state.withLock { state in
            if state.alarmCount >= count {
                reached.settle(())
            } else {
                state.waiters.append((count, reached))
            }
        }
        await reached.value(ifCancelled: ())
    }

    var pendingCount: Int { state.withLock { $0.alarms.count } }
}

private struct ManualAlarm: Alarm {
    let release: @Sendable () -> Void
    func cancel() { release() }
}

/// A clock for which every pause is over at once.
struct HastyTime: TimeSource {
    struct Rung: Alarm { func cancel() {} }

    let date = Date(timeIntervalSince1970: 0)
    let elapsed = Duration.zero

    func schedule(after delay: Duration, _ call: @escaping @Sendable () -> Void) -> any Alarm {
        call()
        return Rung()
    }
}
