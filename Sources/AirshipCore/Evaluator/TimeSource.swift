// The two clocks and the alarm that evaluations need, so that tests can move them by hand.

package import Foundation

/// Tells time and calls back later.
package protocol TimeSource: Sendable {
    /// The wall clock: only for time stamps, it may jump.
    var date: Date { get }

    /// Time since some fixed moment; never runs backwards.
    var elapsed: Duration { get }

    /// Calls once, after at least the delay, on a thread that no model can block.
    func schedule(after delay: Duration, _ call: @escaping @Sendable () -> Void) -> any Alarm
}

/// A scheduled call.
package protocol Alarm: Sendable {
    /// Lets go of the call if it has not begun; harmless afterwards.
    func cancel()
}

extension TimeSource {
    /// Returns after the delay, or at once when the task is cancelled.
    package func sleep(for delay: Duration) async {
        let pause = Rendezvous<Void>()
        let alarm = schedule(after: delay) { pause.settle(()) }
        await pause.value(ifCancelled: ())
        alarm.cancel()
    }
}

/// The system's clocks.
///
/// Elapsed time is the continuous clock's, which goes on while the device sleeps: a duration is
/// what the user waited, and an answer from before an hour's sleep is late. Alarms stand still
/// during sleep; the evaluator reads the clock when an answer arrives.
package struct SystemTime: TimeSource {
    private let origin = ContinuousClock.now

    package init() {}

    package var date: Date { Date() }

    package var elapsed: Duration { origin.duration(to: .now) }

    package func schedule(
        after delay: Duration, _ call: @escaping @Sendable () -> Void
    ) -> any Alarm {
        AlarmThread.shared.schedule(after: delay, call)
    }
}

extension Duration {
    /// As the time interval that records carry.
    package var timeInterval: TimeInterval {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}
