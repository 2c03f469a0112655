// A value behind a lock.

import Synchronization

/// A value that one thread at a time may touch.
final class Locked<Value: Sendable>: Sendable {
    private let mutex: Mutex<Value>

    init(_ value: Value) {
        mutex = Mutex(value)
    }

    func with<Result: Sendable>(_ body: (inout sending Value) throws -> sending Result) rethrows
        -> sending Result
    {
        try mutex.withLock { try body(&$0) }
    }
}
