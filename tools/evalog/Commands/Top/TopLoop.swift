// Waits for facts, keys, signals and time, and redraws.

import EvalogLog
import EvalogMetrics
import EvalogReplay

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The loop of evalog top on a terminal.
final class TopLoop {
    enum Ending { case key, signal(Int32) }

    /// The others of the kind are passed on by ``Interrupts``.
    private static let caught = [SIGQUIT, SIGTSTP, SIGWINCH]
    private static let deadly = [SIGTERM, SIGQUIT]
    private static let milliseconds: Int32 = 500
    private let receiver: TopReceiver
    private let replay: LiveReplay<TopReceiver>
    private let console: Console
    private let terminal: TerminalScreen
    private let signals: SignalPipe
    private var keys = KeyReader()
    private var isInputOpen: Bool

    init(_ receiver: TopReceiver, _ replay: LiveReplay<TopReceiver>, _ console: Console) throws {
        self.receiver = receiver
        self.replay = replay
        self.console = console
        terminal = TerminalScreen(console.output)
        signals = try SignalPipe(Self.caught)
        isInputOpen = terminal.hasKeys
    }

    /// Runs until a key or a signal ends it. The terminal is as before, also after an error.
    func run() throws -> Ending {
        defer { terminal.leave() }
        try terminal.enter()
        while true {
            if !(try replay.poll().damages.isEmpty) { receiver.screen.isDamaged = true }
            try draw()
            let (hasKey, hasSignal) = wait()
            if hasSignal {
                for number in signals.take() {
                    if number == SIGTSTP { try pause() }
                    if Self.deadly.contains(number) { return .signal(number) }
                }
            }
            if hasKey, isQuitting() { return .key }
        }
    }

    private func draw() throws {
        let now = console.now()
        receiver.screen.table.advance(to: now)
        try terminal.draw(
            receiver.screen.lines(fitting: terminal.size, now: now),
            isFirstBold: console.hasColor)
    }

    /// Lets the shell have the terminal until it continues this process.
    private func pause() throws {
        terminal.leave()
        raise(SIGSTOP)
        try terminal.enter()
    }

    private func wait() -> (hasKey: Bool, hasSignal: Bool) {
        var watched = [
            pollfd(fd: signals.exit, events: Int16(POLLIN), revents: 0),
            pollfd(fd: isInputOpen ? STDIN_FILENO : -1, events: Int16(POLLIN), revents: 0),
        ]
        let count = poll(&watched, nfds_t(watched.count), Self.milliseconds)
        // A signal that interrupts the wait is in the pipe by now.
        guard count >= 0 else { return (false, true) }
        return (watched[1].revents != 0, watched[0].revents != 0)
    }

    private func isQuitting() -> Bool {
        var room = [UInt8](repeating: 0, count: 64)
        let count = read(STDIN_FILENO, &room, room.count)
        if count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN) { isInputOpen = false }
        for byte in room.prefix(max(0, count)) {
            guard let key = keys.key(byte) else { continue }
            if receiver.screen.press(key) == .quit { return true }
        }
        return false
    }
}
