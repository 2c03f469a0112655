// The time in which a day is played: a virtual one, in which nobody waits, or the real one.

import AirshipCore
import EvalogLog
import Foundation

/// The clocks of a day, and what lets a script act while a model is thinking.
protocol DayTime: Sendable {
    /// For evaluations.
    var evaluations: any TimeSource { get }
    /// For the pauses of somebody who types.
    var typing: any TimeSource { get }
    var log: any LogClock { get }
    /// Whether the log writes on a thread of its own.
    var isReal: Bool { get }

    /// Goes on to that minute of the day.
    func go(toMinute minute: Int)
    func pass(seconds: Int)

    /// The app told a model what it knows of its user.
    func contextWasGiven()
    /// From now on time stands still where something waits.
    func hold()
    /// Returns when a model has been thinking for a while about what was asked since ``hold()``.
    func untilThinking() async
    /// Returns once what was asked in its place is under way, and lets time go on.
    func goOn() async
}

/// The system's clocks: the script's pauses are left out, everything else takes what it takes.
final class RealTime: DayTime {
    private static let thinking = Duration.milliseconds(300)
    private let clock = SystemTime()
    private let questions = Tally()
    private let held = Locked(0)

    var evaluations: any TimeSource { clock }
    var typing: any TimeSource { clock }
    let log: any LogClock = SystemClock()
    let isReal = true

    func go(toMinute minute: Int) {}
    func pass(seconds: Int) {}
    func contextWasGiven() { questions.add() }

    func hold() {
        let count = questions.count
        held.withLock { $0 = count }
    }

    func untilThinking() async {
        await questions.reaches(held.withLock { $0 } + 1)
        await clock.sleep(for: Self.thinking)
    }

    func goOn() async {}
}

/// A clock that goes on only when something waits for it, and then at once.
///
/// One thing at a time must be waiting, so that what happens when is the same in every run. While
/// time is held, waits pile up instead, and ``goOn()`` ends the newest; the others were given up.
final class VirtualTime: DayTime {
    /// How long a model thinks before somebody overtakes it.
    private static let thinking: Int64 = 400_000

    private struct Wait: Sendable {
        let isModels: Bool
        let microseconds: Int64
        let end: @Sendable () -> Void
    }

    private struct State: Sendable {
        var now: Int64
        var isHolding = false
        var held: [Wait] = []
        /// How many of those held were looked at.
        var seenCount = 0
    }

    private let midnight: Int64
    private let state: Locked<State>
    private let waits = Tally()
    let isReal = false

    /// - Parameter midnight: Where the day begins, in microseconds since 1970.
    init(midnight: Int64) {
        self.midnight = midnight
        state = Locked(State(now: midnight))
    }

    var evaluations: any TimeSource { View(time: self, role: .evaluator) }
    var typing: any TimeSource { View(time: self, role: .user) }
    /// For the model, whose answers take as long as they took when they were recorded.
    var answers: any TimeSource { View(time: self, role: .model) }
    var log: any LogClock { self }

    func go(toMinute minute: Int) {
        let time = midnight + Int64(minute) * 60_000_000
        state.withLock { $0.now = max($0.now, time) }
    }

    func pass(seconds: Int) { advance(Int64(seconds) * 1_000_000) }

    func contextWasGiven() {}

    func hold() { state.withLock { $0.isHolding = true } }

    func untilThinking() async {
        while true {
            let wait = await nextHeld()
            if wait.isModels { break }
            end(wait)
        }
        advance(Self.thinking)
    }

    func goOn() async {
        let newest = await nextHeld()
        state.withLock { state in
            state.isHolding = false
            state.held = []
        }
        end(newest)
    }

    private func nextHeld() async -> Wait {
        let number = state.withLock { state in
            state.seenCount += 1
            return state.seenCount
        }
        await waits.reaches(number)
        return state.withLock { $0.held[$0.held.count - 1] }
    }

    private func advance(_ microseconds: Int64) { state.withLock { $0.now += microseconds } }

    private func end(_ wait: Wait) {
        advance(wait.microseconds)
        wait.end()
    }

    private func begin(_ wait: Wait) {
        let isHeld = state.withLock { state in
            if state.isHolding { state.held.append(wait) }
            return state.isHolding
        }
        if isHeld { waits.add() } else { end(wait) }
    }

    /// The same clock for somebody who waits by it.
    private struct View: TimeSource {
        enum Role { case evaluator, user, model }

        let time: VirtualTime
        let role: Role

        var date: Date { Date(timeIntervalSince1970: Double(time.wallTime()) / 1_000_000) }
        var elapsed: Duration { .microseconds(time.wallTime()) }

        /// An evaluator's alarm never rings: it reads the clock when an answer arrives, too.
        func schedule(after delay: Duration, _ call: @escaping @Sendable () -> Void) -> any Alarm {
            if role != .evaluator {
                let (seconds, attoseconds) = delay.components
                time.begin(
                    Wait(
                        isModels: role == .model,
                        microseconds: seconds * 1_000_000 + attoseconds / 1_000_000_000_000,
                        end: call))
            }
            return NoAlarm()
        }
    }

    /// Cancelling is the script's: it ends only waits that somebody still waits for.
    private struct NoAlarm: Alarm {
        func cancel() {}
    }
}

extension VirtualTime: LogClock {
    func wallTime() -> Int64 { state.withLock { $0.now } }
    func monotonicTime() -> Int64 { wallTime() }
}
