// A lock with one condition, and plain threads: what the C library offers and nothing above it.

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// State behind a lock, whose holders may wait for a change.
package final class Monitor<State>: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var state: State

    package init(_ state: State) {
        self.state = state
        pthread_mutex_init(mutex, nil)
        #if canImport(Darwin)
            pthread_cond_init(condition, nil)
        #else
            var attributes = pthread_condattr_t()
            pthread_condattr_init(&attributes)
            // A wall clock set back must not stretch a wait.
            pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
            pthread_cond_init(condition, &attributes)
            pthread_condattr_destroy(&attributes)
        #endif
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    package func withLock<Result, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&state)
    }

    /// Wakes everyone who waits.
    func notify() { pthread_cond_broadcast(condition) }

    /// What a waiter's check says.
    enum Check<Result> {
        case done(Result)
        /// Ask again after a change, or after so many microseconds at the latest.
        case wait(microseconds: Int64?)
    }

    /// Asks again and again, under the lock, until there is a result.
    func wait<Result>(until check: (inout State) -> Check<Result>) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            switch check(&state) {
            case .done(let result): return result
            case .wait(nil): pthread_cond_wait(condition, mutex)
            case .wait(let microseconds?): wait(atMost: max(microseconds, 0))
            }
        }
    }

    private func wait(atMost microseconds: Int64) {
        #if canImport(Darwin)
            var span = timespec(
                tv_sec: Int(microseconds / 1_000_000),
                tv_nsec: Int(microseconds % 1_000_000) * 1_000)
            pthread_cond_timedwait_relative_np(condition, mutex, &span)
        #else
            var end = timespec()
            clock_gettime(CLOCK_MONOTONIC, &end)
            let nanoseconds = end.tv_nsec + Int(microseconds % 1_000_000) * 1_000
            end.tv_sec += Int(microseconds / 1_000_000) + nanoseconds / 1_000_000_000
            end.tv_nsec = nanoseconds % 1_000_000_000
            pthread_cond_timedwait(condition, mutex, &end)
        #endif
    }
}

/// Starts a thread of its own for the body; false where the system has none to give.
package func startDetachedThread(_ body: @escaping @Sendable () -> Void) -> Bool {
    guard let thread = Thread(body) else { return false }
    thread.detach()
    return true
}

/// A thread that runs one closure.
struct Thread {
    private let thread: pthread_t

    private final class Work: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Starts the thread; nil where the system has none to give.
    init?(_ body: @escaping @Sendable () -> Void) {
        let work = Unmanaged.passRetained(Work(body))
        #if canImport(Darwin)
            var started: pthread_t?
        #else
            var started = pthread_t()
        #endif
        let status = pthread_create(&started, nil, Thread.main, work.toOpaque())
        guard status == 0 else {
            work.release()
            return nil
        }
        #if canImport(Darwin)
            guard let started else { return nil }
        #endif
        thread = started
    }

    #if canImport(Darwin)
        private typealias Start =
            @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer?
        private static let main: Start =
            { pointer in
                Unmanaged<Work>.fromOpaque(pointer).takeRetainedValue().body()
                return nil
            }
    #else
        private typealias Start =
            @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?
        private static let main: Start =
            { pointer in
                if let pointer { Unmanaged<Work>.fromOpaque(pointer).takeRetainedValue().body() }
                return nil
            }
    #endif

    func join() { pthread_join(thread, nil) }
    func detach() { pthread_detach(thread) }

    /// Runs the body for 0, 1, … `count`-1 at the same time, 0 on the caller's thread, and
    /// returns when all have ended. Where threads cannot be had, fewer run.
    static func parallel(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
        var others: [Thread] = []
        for index in 1..<max(count, 1) {
            if let thread = Thread({ body(index) }) { others.append(thread) }
        }
        body(0)
        for thread in others { thread.join() }
    }
}
