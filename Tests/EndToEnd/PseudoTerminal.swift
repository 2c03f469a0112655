// A terminal as a test has it: what a program shows comes out, keys and sizes go in.

import Testing

#if os(Linux)

    import Glibc

    /// A pseudo terminal, which is nobody's controlling terminal: signals are sent, not typed.
    final class PseudoTerminal {
        private static let patienceMilliseconds: Int32 = 60_000
        /// TIOCSPTLCK and TIOCGPTN, which are macros that Swift does not see.
        private static let unlock: UInt = 0x4004_5431
        private static let getNumber: UInt = 0x8004_5430
        private let master: Int32
        /// What a program gets as its terminal.
        let slave: Int32
        private var taken: [UInt8] = []

        init(width: Int, height: Int) throws {
            master = open("/dev/ptmx", O_RDWR | O_NOCTTY)
            var number: UInt32 = 0
            var lock: Int32 = 0
            guard master >= 0, ioctl(master, Self.unlock, &lock) == 0,
                ioctl(master, Self.getNumber, &number) == 0
            else { throw FixtureFailure(what: "no pseudo terminal") }
            slave = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
            guard slave >= 0 else { throw FixtureFailure(what: "no end of the pseudo terminal") }
            for number in [master, slave] { _ = fcntl(number, F_SETFD, FD_CLOEXEC) }
            _ = fcntl(master, F_SETFL, fcntl(master, F_GETFL) | O_NONBLOCK)
            resize(width: width, height: height)
        }

        deinit {
            close(slave)
            close(master)
        }

        func resize(width: Int, height: Int) {
            var size = winsize()
            size.ws_col = UInt16(width)
            size.ws_row = UInt16(height)
            _ = ioctl(master, UInt(TIOCSWINSZ), &size)
        }

        func type(_ keys: String) {
            let bytes = Array(keys.utf8)
            _ = write(master, bytes, bytes.count)
        }

        /// Whether what is typed shows, as it does at a shell's prompt.
        var hasEcho: Bool {
            var settings = termios()
            return tcgetattr(slave, &settings) == 0 && settings.c_lflag & tcflag_t(ECHO) != 0
        }

        /// What the program has shown since the last call, once `isEnough` of it is there; all of it,
        /// with an issue, if that never happens.
        @discardableResult
        func shown(until isEnough: (String) -> Bool) -> String {
            defer { taken = [] }
            while true {
                let text = String(decoding: taken, as: UTF8.self)
                if isEnough(text) { return text }
                var watched = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
                guard poll(&watched, 1, Self.patienceMilliseconds) > 0, take() else {
                    Issue.record("the terminal never showed it: \(text.debugDescription)")
                    return text
                }
            }
        }

        private func take() -> Bool {
            var room = [UInt8](repeating: 0, count: 1 << 16)
            let count = read(master, &room, room.count)
            if count > 0 { taken += room.prefix(count) }
            return count > 0 || errno == EAGAIN || errno == EINTR
        }
    }

#endif
