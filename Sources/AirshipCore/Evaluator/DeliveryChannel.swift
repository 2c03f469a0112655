// The way out: records and events, one at a time, in order, never on the caller's time.

import Dispatch

/// Runs deliveries one after the other on a queue of its own.
///
/// A queue and not a task: an observer that blocks then holds none of the few threads that all
/// tasks share. What waits is not bounded, so that a slow observer never costs a record.
package final class DeliveryChannel: Sendable {
    private let queue = DispatchQueue(label: "evalog.delivery", qos: .utility)

    package init() {}

    /// Delivers after all that was sent before; returns at once.
    package func send(_ delivery: @escaping @Sendable () -> Void) {
        queue.async(execute: delivery)
    }

    /// Returns once everything sent before the call has been delivered.
    package func drained() async {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume() }
        }
    }
}
