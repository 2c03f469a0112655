// A command is one thread from start to end; what it waits for may suspend.

import AirshipCore
import Dispatch

/// Runs work that suspends, and waits for it.
func waiting<Value: Sendable>(
    for work: @escaping @Sendable () async -> Value
) -> Value {
    let done = DispatchSemaphore(value: 0)
    let result = Locked<Value?>(nil)
    Task {
        let value = await work()
        result.withLock { $0 = value }
        done.signal()
    }
    done.wait()
    guard let value = result.withLock({ $0 }) else {
        preconditionFailure("signalled too early")
    }
    return value
}
