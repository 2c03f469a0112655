// Threads for code that is not ours: what it blocks is a thread of ours, and none of those that
// tasks share.

package import Foundation

/// An executor that gives every running call a thread of its own and keeps idle ones for a while.
///
/// Tasks share about as many threads as there are cores; a few models that block would stop every
/// task, among them the ones that wait for the deadline.
package final class CallThreads: TaskExecutor {
    private let threadMax: Int
    private let idleSeconds: TimeInterval
    private let work = WorkQueue()
    /// Calls that did not return in time and have not returned since.
    private let strayCount = Locked(0)

    /// - Parameters:
    ///   - threadMax: Jobs beyond that many wait for a thread.
    ///   - idleSeconds: How long a thread waits for a job before it ends.
    package init(threadMax: Int, idleSeconds: TimeInterval) {
        self.threadMax = threadMax
        self.idleSeconds = idleSeconds
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        guard work.push(UnownedJob(job), threadMax: threadMax) else { return }
        // The thread keeps this object alive; it is needed to run jobs.
        let thread = Thread { [self] in
            while let job = work.pop(waiting: idleSeconds) {
                job.runSynchronously(on: asUnownedTaskExecutor())
            }
        }
        thread.name = "evalog.call"
        thread.qualityOfService = .userInitiated
        thread.start()
    }

    /// Ends idle threads, now and from now on as soon as there is no job for them.
    package func retire() { work.retire() }

    /// Threads that exist now, busy or idle.
    package var threadCount: Int { work.threadCount }

    /// A call did not return in time, or has returned after all.
    func strayed(by change: Int) { strayCount.withLock { $0 += change } }

    /// Whether a call is out that did not return in time.
    var hasStrays: Bool { strayCount.withLock { $0 } > 0 }

    /// Whether waiting for a thread is in vain: every one is taken, and there are as many calls
    /// that did not return when they had to. A stray that only sleeps takes no thread.
    var isStuck: Bool {
        strayCount.withLock { $0 } >= threadMax && work.isFull(threadMax: threadMax)
    }
}

/// Jobs that wait for threads and threads that wait for jobs.
private final class WorkQueue: @unchecked Sendable {
    // Everything below is read and written under this condition's lock only.
    private let condition = NSCondition()
    private var jobs: [UnownedJob] = []
    private var firstJobIndex = 0
    private var idleCount = 0
    private var threads = 0
    private var isRetired = false

    private var jobCount: Int { jobs.count - firstJobIndex }

    var threadCount: Int { condition.withLock { threads } }

    func isFull(threadMax: Int) -> Bool {
        condition.withLock { threads >= threadMax && jobCount >= idleCount }
    }

    /// From now on no thread waits for a job.
    func retire() {
        condition.withLock {
            isRetired = true
            condition.broadcast()
        }
    }

    /// Adds a job; true when the caller must start a thread for it.
    func push(_ job: UnownedJob, threadMax: Int) -> Bool {
        condition.withLock {
            jobs.append(job)
            guard jobCount > idleCount, threads < threadMax else {
                condition.signal()
                return false
            }
            threads += 1
            return true
        }
    }

    /// The next job; nil when none came for so long, and then the thread must end.
    func pop(waiting seconds: TimeInterval) -> UnownedJob? {
        condition.withLock {
            let end = Date(timeIntervalSinceNow: seconds)
            while jobCount == 0 {
                if isRetired {
                    threads -= 1
                    return nil
                }
                idleCount += 1
                let isInTime = condition.wait(until: end)
                idleCount -= 1
                if !isInTime, jobCount == 0 {
                    threads -= 1
                    return nil
                }
            }
            let job = jobs[firstJobIndex]
            firstJobIndex += 1
            // Taken jobs are removed once they are the greater part: cheap on average.
            if firstJobIndex * 2 >= jobs.count {
                jobs.removeFirst(firstJobIndex)
                firstJobIndex = 0
            }
            return job
        }
    }
}
