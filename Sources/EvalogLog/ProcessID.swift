// Which process this is, for whoever has to notice that it was forked.

import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The operating system's number of this process, at the cost of a load: a system call for each
/// line would cost more than the line. Only a fork changes it, and then a handler asks anew in
/// the child before `fork` returns there.
package func currentProcessID() -> Int32 { ProcessID.shared.number.load(ordering: .relaxed) }

private final class ProcessID: Sendable {
    static let shared = ProcessID()
    let number = Atomic(getpid())

    private init() {
        pthread_atfork(nil, nil) { ProcessID.shared.number.store(getpid(), ordering: .relaxed) }
    }
}
