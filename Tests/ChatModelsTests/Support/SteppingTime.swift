// Clocks that jump to whatever is waited for, so that waiting takes no time and can be counted.

import AirshipCore
import Foundation

final class SteppingTime: TimeSource {
    private struct State: Sendable {
        var elapsed = Duration.seconds(100)
        var sleeps: [Duration] = []
    }

    private let state = Locked(State())

    let date = Date(timeIntervalSince1970: 784_111_777)  // Sun, 06 Nov 1994 08:49:37 GMT
    var elapsed: Duration { state.withLock { $0.elapsed } }

    /// What was waited for, in order.
    var sleeps: [Duration] { state.withLock { $0.sleeps } }

    func advance(by step: Duration) { state.withLock { $0.elapsed += step } }

    func schedule(
        after delay: Duration, _ call: @escaping @Sendable () -> Void
    ) -> any Alarm {
        state.withLock { state in
            state.elapsed += delay
            state.sleeps.append(delay)
        }
        call()
        return Silent()
    }

    private struct Silent: Alarm {
        func cancel() {}
    }
}
