// The threads that tasks share, as a test sees them when other work blocks them all.

import AirshipCore
import Dispatch

/// Runs jobs one after the other, but none between ``hold()`` and ``release()``.
final class HeldExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "held")
    private let isHeld = Locked(false)
    private let need = Rendezvous<Void>()

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        if isHeld.withLock({ $0 }) { need.settle(()) }
    }

    /// Begins once no job runs: what a job awaits by then needs another one.
    func hold() {
        queue.sync {}
        queue.suspend()
        isHeld.withLock { $0 = true }
    }

    /// Returns once a job came that has to wait, or the test's time limit is over; may be called
    /// once.
    func isNeeded() async { await need.value(ifCancelled: ()) }

    func release() { queue.resume() }
}
