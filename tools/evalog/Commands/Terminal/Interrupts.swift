// Signals that end a run. What must not be left half done is finished or taken back first, on a
// thread of its own, which may do more than a signal handler.
//
//     nothing special      ends at once
//     atEnd { … }          first takes back what is half done, such as a file in the making
//     whole { … }          waits until this is done: renames that belong together
//     stopping { … }       asks the work to end soon; two seconds later it is over anyway
//
// The process then dies of the signal as if it had not caught it: a shell shows 130 for Ctrl-C.

import AirshipCore
import EvalogLog
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// SIGINT, SIGTERM, SIGHUP and SIGPIPE of this process.
enum Interrupts {
    private struct State {
        /// The signal that asked for the end.
        var signal: Int32?
        /// Nothing goes on any more.
        var isEnding = false
        var wholeDepth = 0
        var stop: (@Sendable () -> Void)?
        var endings: [UInt64: @Sendable () -> Void] = [:]
        var nextEnding: UInt64 = 0
        /// From the start, as a service has it.
        var ignoresPipe = false
    }

    private static let state = Mutex(State())
    private static let graceMicroseconds: UInt32 = 2_000_000

    /// Takes over those of the signals that are not ignored. Before other threads start, which then
    /// leave them to the watching one.
    static func watch() {
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGINT, SIGTERM, SIGHUP] {
            // As nohup and a shell's background jobs have it.
            if isIgnored(number) { continue }
            sigaddset(&signals, number)
        }
        // A reader that goes away shows as EPIPE, so that the run can take back what is half done.
        state.withLock { $0.ignoresPipe = isIgnored(SIGPIPE) }
        signal(SIGPIPE, SIG_IGN)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        let watched = signals
        _ = startDetachedThread {
            var signals = watched
            var number: Int32 = 0
            while sigwait(&signals, &number) == 0 { take(number) }
        }
    }

    /// Work that takes back what is half done, should the run end before ``Ending/cancel()``.
    ///
    /// - Parameter body: Quick, on another thread; what it touches is safe for that.
    @discardableResult
    static func atEnd(_ body: @escaping @Sendable () -> Void) -> Ending {
        standBackIfEnding()
        return state.withLock { state in
            state.nextEnding += 1
            state.endings[state.nextEnding] = body
            return Ending(number: state.nextEnding)
        }
    }

    struct Ending: Sendable {
        fileprivate let number: UInt64

        func cancel() { state.withLock { _ = $0.endings.removeValue(forKey: number) } }
    }

    /// Work that is done as a whole. It may hold more of the same.
    static func whole<Result>(_ body: () throws -> Result) rethrows -> Result {
        standBackIfEnding { $0.wholeDepth += 1 }
        defer {
            let signal = state.withLock { state -> Int32? in
                state.wholeDepth -= 1
                return state.wholeDepth == 0 && state.stop == nil ? state.signal : nil
            }
            if let signal { end(of: signal) }
        }
        return try body()
    }

    /// Work that ends soon after it was asked to. After a signal nothing behind it happens.
    ///
    /// - Parameters:
    ///   - ask: Quick, on another thread.
    ///   - body: What it throws after a signal is of no interest any more.
    static func stopping<Result>(
        _ ask: @escaping @Sendable () -> Void, _ body: () throws -> Result
    ) rethrows -> Result {
        standBackIfEnding { $0.stop = ask }
        defer {
            let signal = state.withLock { state -> Int32? in
                state.stop = nil
                return state.signal
            }
            if let signal { end(of: signal) }
        }
        return try body()
    }

    /// Work that asks now and then whether it is to stop.
    static func stoppable<Result>(
        _ body: (_ shouldStop: @escaping @Sendable () -> Bool) throws -> Result
    ) rethrows -> Result {
        let isAsked = Locked(false)
        return try stopping({ isAsked.withLock { $0 = true } }) {
            try body { isAsked.withLock { $0 } }
        }
    }

    /// Returns only where the run goes on: for whoever is about to say something, or to end it.
    static func standBackIfEnding() { standBackIfEnding { _ in } }

    private static func standBackIfEnding(_ enter: (inout sending State) -> Void) {
        let isEnding = state.withLock { state in
            if !state.isEnding { enter(&state) }
            return state.isEnding
        }
        while isEnding { pause() }
    }

    /// Ends the process as the closed pipe would have if that had not been caught; returns only where
    /// it was ignored from the start.
    static func endOfPipe() {
        if !state.withLock({ $0.ignoresPipe }) { end(of: SIGPIPE) }
    }

    // MARK: Signals

    private static func take(_ number: Int32) {
        enum Reaction { case end, wait, ask(@Sendable () -> Void) }
        let reaction = state.withLock { state -> Reaction in
            // Whoever presses Ctrl-C again must not cut short what is being taken back.
            guard state.signal == nil else { return .wait }
            state.signal = number
            if let stop = state.stop { return .ask(stop) }
            return state.wholeDepth > 0 ? .wait : .end
        }
        switch reaction {
        case .end: end(of: number)
        case .wait: break
        case .ask(let stop):
            stop()
            _ = startDetachedThread {
                usleep(graceMicroseconds)
                stopWaiting()
            }
        }
    }

    private static func stopWaiting() {
        let signal = state.withLock { state -> Int32? in
            state.stop = nil
            return state.wholeDepth > 0 ? nil : state.signal
        }
        if let signal { end(of: signal) }
    }

    /// Ends the process as if it had not caught the signal.
    private static func end(of number: Int32) -> Never {
        let endings = state.withLock { state -> [@Sendable () -> Void]? in
            if state.isEnding { return nil }
            state.isEnding = true
            return state.endings.sorted { $0.key > $1.key }.map(\.value)
        }
        guard let endings else { while true { pause() } }
        for ending in endings { ending() }
        signal(number, SIG_DFL)
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, number)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        raise(number)
        _exit(128 + number)
    }

    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        sigaction(number, nil, &action)
        #if canImport(Glibc)
            let handler = action.__sigaction_handler.sa_handler
        #else
            let handler = action.__sigaction_u.__sa_handler
        #endif
        return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}
