// A value behind a lock. Foundation's lock and not Synchronization's Mutex: under contention that
// one is invisible to the thread sanitizer, which then reports races that are none.

import Foundation

/// A value that only one thread at a time can read or change.
package final class Locked<Value: Sendable>: @unchecked Sendable {
    // Unchecked: `value` is only touched between lock and unlock.
    private let lock = NSLock()
    private var value: Value

    package init(_ value: Value) {
        self.value = value
    }

    /// Runs the body alone. What it takes out is released after the lock if it returns it.
    package func withLock<Returned>(
        _ body: (inout Value) throws -> Returned
    ) rethrows -> Returned {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}

/// A mirror would read the value without the lock, and show what an app calls its models and
/// whatever else stands behind it.
extension Locked: CustomReflectable {
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
