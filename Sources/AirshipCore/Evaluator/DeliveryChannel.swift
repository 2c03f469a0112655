// The way out: records and events, one at a time, in order, never on the caller's time.

package import Dispatch

/// Runs deliveries one after the other on a queue of its own.
///
/// A queue and not a task: an observer that blocks then holds none of the few threads that all
/// tasks share. What waits is not bounded, so that a slow observer never costs a record.
package final class DeliveryChannel: Sendable {
    private let queue = DispatchQueue(label: "evalog.delivery", qos: .utility)
    /// Set on the queue alone: tells whether a caller is one of its own deliveries.
    private let mark = DispatchSpecificKey<Void>()

    package init() {
        queue.setSpecific(key: mark, value: ())
    }

    /// Delivers after all that was sent before; returns at once.
    package func send(_ delivery: @escaping @Sendable () -> Void) {
        queue.async(execute: delivery)
    }

    /// Returns once everything sent before the call has been delivered, or the caller's task is
    /// cancelled.
    package func drained() async {
        let end = Rendezvous<Void>()
        queue.async { end.settle(()) }
        await end.value(ifCancelled: ())
    }

    /// Blocks the thread until everything sent before the call has been delivered.
    ///
    /// - Returns: False where that took longer than the limit. A delivery that calls this gets
    ///   true at once: what was sent after it cannot come before it returns.
    package func drain(within limit: DispatchTimeInterval = CoreLimits.drainLimit) -> Bool {
        if DispatchQueue.getSpecific(key: mark) != nil { return true }
        // An item can be waited for in a way that lends the queue the waiting thread's priority.
        let end = DispatchWorkItem {}
        queue.async(execute: end)
        return end.wait(timeout: .now() + limit) == .success
    }
}
