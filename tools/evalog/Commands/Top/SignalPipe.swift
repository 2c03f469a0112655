// Signals as bytes on a pipe, so that a loop that waits for keys and time sees them in order.

import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Catches some signals of this process for as long as it lives. There is one at a time.
final class SignalPipe {
    /// Where the handler writes; a handler may touch nothing but this and `write`.
    private static let entrance = Atomic<Int32>(-1)
    private let signals: [Int32]
    /// Readable while a signal waits.
    let exit: Int32

    /// - Throws: ``CommandFailure`` if there is no descriptor left.
    init(_ signals: [Int32]) throws {
        self.signals = signals
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            throw CommandFailure("cannot make a pipe: \(SystemError.text(errno))")
        }
        exit = ends[0]
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            // A handler must never wait, however many signals come.
            _ = fcntl(end, F_SETFL, fcntl(end, F_GETFL) | O_NONBLOCK)
        }
        Self.entrance.store(ends[1], ordering: .sequentiallyConsistent)
        for number in signals { signal(number, Self.handle) }
    }

    deinit {
        for number in signals { signal(number, SIG_DFL) }
        let entrance = Self.entrance.exchange(-1, ordering: .sequentiallyConsistent)
        close(entrance)
        close(exit)
    }

    private static let handle: @convention(c) (Int32) -> Void = { number in
        let code = errno
        var byte = UInt8(truncatingIfNeeded: number)
        _ = write(SignalPipe.entrance.load(ordering: .sequentiallyConsistent), &byte, 1)
        errno = code
    }

    /// Has the loop that waits see a signal that somebody else caught.
    static func pass(_ number: Int32) { handle(number) }

    /// The signals that came since, in order.
    func take() -> [Int32] {
        var room = [UInt8](repeating: 0, count: 256)
        let count = read(exit, &room, room.count)
        return count > 0 ? room.prefix(count).map(Int32.init) : []
    }

    /// Ends this process as if it had not caught the signal.
    static func die(of number: Int32) -> Never {
        signal(number, SIG_DFL)
        raise(number)
        // Only where the signal is blocked.
        _exit(128 + number)
    }
}
