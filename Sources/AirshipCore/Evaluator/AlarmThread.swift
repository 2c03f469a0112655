// One thread that keeps all alarms. A timer source of Dispatch costs several system calls to set
// and to cancel, and nearly every alarm here is set for half a minute and cancelled at once.

import Dispatch
import Foundation

/// Calls back at given times, on a thread of its own that no model can block.
final class AlarmThread: Sendable {
    static let shared = AlarmThread()

    fileprivate struct State {
        /// In order of time; the ones cancelled stay until they are due or too many.
        var queue: [(due: DispatchTime, id: Int)] = []
        var calls: [Int: @Sendable () -> Void] = [:]
        var lastID = 0
        var isRunning = false
    }

    private let state = Locked(State())
    /// Wakes the thread when an alarm is the earliest. Its clock does not jump with the wall clock.
    private let isEarlier = DispatchSemaphore(value: 0)

    /// Calls once, no sooner than the delay; the call must be short.
    func schedule(after delay: Duration, _ call: @escaping @Sendable () -> Void) -> any Alarm {
        let due = DispatchTime.now() + delay.dispatchInterval
        let (id, isFirst, mustStart) = state.withLock { state in
            defer { state.isRunning = true }
            let isFirst = state.insert(due, call)
            return (state.lastID, isFirst, !state.isRunning)
        }
        if mustStart { start() }
        if isFirst { isEarlier.signal() }
        return SetAlarm(id: id, thread: self)
    }

    /// Threads are never stopped: one sleeping thread costs less than starting another.
    private func start() {
        let thread = Thread { [self] in
            while true {
                let (calls, next) = state.withLock { $0.takeDue(.now()) }
                for call in calls { call() }
                _ = isEarlier.wait(timeout: next)
            }
        }
        thread.name = "evalog.alarms"
        thread.qualityOfService = .userInitiated
        thread.start()
    }

    private struct SetAlarm: Alarm {
        let id: Int
        let thread: AlarmThread

        func cancel() {
            // The call is released after the lock: its last reference may run other code.
            let cancelled = thread.state.withLock { $0.cancel(id) }
            withExtendedLifetime(cancelled) {}
        }
    }
}

extension AlarmThread.State {
    /// True when the new alarm is the earliest.
    fileprivate mutating func insert(
        _ due: DispatchTime, _ call: @escaping @Sendable () -> Void
    ) -> Bool {
        lastID += 1
        calls[lastID] = call
        // From the back: most alarms are later than all others.
        let index = (queue.lastIndex { $0.due <= due } ?? -1) + 1
        queue.insert((due, lastID), at: index)
        return index == 0
    }

    fileprivate mutating func cancel(_ id: Int) -> (@Sendable () -> Void)? {
        let call = calls.removeValue(forKey: id)
        if queue.count > 2 * calls.count + 64 {
            queue.removeAll { calls[$0.id] == nil }
        }
        return call
    }

    /// The calls that are due, and when to look again.
    fileprivate mutating func takeDue(
        _ now: DispatchTime
    ) -> (calls: [@Sendable () -> Void], next: DispatchTime) {
        let dueCount = queue.firstIndex { $0.due > now } ?? queue.count
        let due = queue.prefix(dueCount).compactMap { calls.removeValue(forKey: $0.id) }
        queue.removeFirst(dueCount)
        return (due, queue.first?.due ?? .distantFuture)
    }
}

extension Duration {
    /// In nanoseconds, rounded down, within a day.
    fileprivate var dispatchInterval: DispatchTimeInterval {
        let (seconds, attoseconds) = min(max(self, .zero), CoreLimits.budgetMax).components
        return .nanoseconds(Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000))
    }
}
