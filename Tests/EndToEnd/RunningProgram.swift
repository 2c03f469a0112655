// A program started by a test: its streams are pipes, its end is awaited, its hanging is a failure.

import Synchronization
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// What a program left behind.
struct Finished {
    /// The exit status; a signal's number, negative, where one ended the program.
    let status: Int32
    let output: [UInt8]
    let errors: String

    var text: String { String(decoding: output, as: UTF8.self) }
    /// The lines of the output without their newlines.
    var lines: [String] { text.split(separator: "\n").map(String.init) }
}

/// A process that could not be started.
struct SpawnFailure: Error {
    let program: String
    let code: Int32
}

/// One process. Used by one test at a time; kills what is left of it when the test lets go.
final class RunningProgram {
    /// Nothing here takes that long: a program that does hangs.
    private static let patienceSeconds = 60
    let process: pid_t
    private var input: Int32
    private var output: Int32
    private var errors: Int32
    private var pendingInput: [UInt8]
    private var taken: [UInt8] = []
    private var complaints: [UInt8] = []
    private var status: Int32?

    /// - Parameters:
    ///   - environment: All of it but `PATH`.
    ///   - input: What comes on its standard input before that ends.
    ///   - terminal: Stands in for the pipe on standard output.
    ///   - isTyped: Whether the terminal stands in for standard input as well.
    init(
        _ program: String, _ arguments: [String], in folder: String,
        environment: [String: String] = [:], input text: [UInt8] = [], terminal: Int32? = nil,
        isTyped: Bool = false
    ) throws {
        // `sh` is there for the folder only: it becomes the program.
        let words = ["/bin/sh", "-c", "cd \"$1\" && shift && exec \"$@\"", "sh", folder, program]
        let started = Self.starting.withLock { _ in
            Self.spawn(words + arguments, environment, terminal, isTyped: isTyped)
        }
        input = started.input
        output = started.output
        errors = started.errors
        process = started.process
        pendingInput = text
        guard started.code == 0 else {
            status = -1
            throw SpawnFailure(program: program, code: started.code)
        }
        for number in [input, output, errors] {
            _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK)
        }
        if text.isEmpty { Self.shut(&input) }
    }

    deinit {
        if status == nil {
            kill(process, SIGKILL)
            _ = wait()
        }
        Self.shut(&input)
        Self.shut(&output)
        Self.shut(&errors)
    }

    func send(_ signal: Int32) { kill(process, signal) }

    /// Whether it has not ended yet.
    var isRunning: Bool {
        guard status == nil else { return false }
        var information = siginfo_t()
        // What it left is still there for `finish()`.
        return waitid(P_PID, id_t(process), &information, WEXITED | WNOHANG | WNOWAIT) == 0
            && information.si_signo == 0
    }

    /// Waits until a signal has stopped it.
    func waitUntilStopped() {
        var word: Int32 = 0
        while waitpid(process, &word, WUNTRACED) < 0, errno == EINTR {}
        #expect(word & 0xFF == 0x7F, "the program ended instead")
    }

    /// The next line of the output; nil at its end.
    func nextLine() -> [UInt8]? {
        while true {
            if let end = taken.firstIndex(of: 0x0A) {
                let line = Array(taken[..<end])
                taken.removeFirst(end + 1)
                return line
            }
            guard output >= 0, exchange() else { return nil }
        }
    }

    /// What stands on its standard error so far, once `isEnough` of it is there.
    func errors(until isEnough: (String) -> Bool) -> String {
        while !isEnough(String(decoding: complaints, as: UTF8.self)), errors >= 0, exchange() {}
        return String(decoding: complaints, as: UTF8.self)
    }

    /// Waits for its end and returns what was not taken yet.
    func finish() -> Finished {
        while output >= 0 || errors >= 0, exchange() {}
        let status = wait()
        return Finished(
            status: status, output: taken, errors: String(decoding: complaints, as: UTF8.self))
    }

    private func wait() -> Int32 {
        if let status { return status }
        var word: Int32 = 0
        while waitpid(process, &word, 0) < 0, errno == EINTR {}
        let signal = word & 0x7F
        let result = signal == 0 ? (word >> 8) & 0xFF : -signal
        status = result
        return result
    }

    // MARK: Streams

    /// Waits until a stream moves, and moves it; false, with an issue, if none ever does.
    private func exchange() -> Bool {
        var watched = [
            pollfd(fd: output, events: Int16(POLLIN), revents: 0),
            pollfd(fd: errors, events: Int16(POLLIN), revents: 0),
            pollfd(fd: input, events: Int16(POLLOUT), revents: 0),
        ]
        let count = poll(&watched, nfds_t(watched.count), Int32(Self.patienceSeconds * 1_000))
        guard count > 0 || (count < 0 && errno == EINTR) else {
            Issue.record("the program hangs")
            kill(process, SIGKILL)
            Self.shut(&output)
            Self.shut(&errors)
            return false
        }
        if watched[0].revents != 0 { Self.take(&output, into: &taken) }
        if watched[1].revents != 0 { Self.take(&errors, into: &complaints) }
        if watched[2].revents != 0 { feed() }
        return true
    }

    private static func take(_ number: inout Int32, into bytes: inout [UInt8]) {
        var room = [UInt8](repeating: 0, count: 1 << 16)
        let count = read(number, &room, room.count)
        if count > 0 {
            bytes += room[..<count]
        } else if count == 0 || (errno != EAGAIN && errno != EINTR) {
            shut(&number)
        }
    }

    private func feed() {
        let count = pendingInput.withUnsafeBytes { write(input, $0.baseAddress, $0.count) }
        if count > 0 { pendingInput.removeFirst(count) }
        let isRefused = count < 0 && errno != EAGAIN && errno != EINTR
        if pendingInput.isEmpty || isRefused { Self.shut(&input) }
    }

    private static func shut(_ number: inout Int32) {
        if number >= 0 { close(number) }
        number = -1
    }

    // MARK: Starting

    private struct Started {
        var process: pid_t = 0
        var code: Int32 = 0
        var input: Int32
        var output: Int32
        var errors: Int32
    }

    /// Between the making of a pipe and its mark that no program inherits it, none may start: its
    /// copy would keep another test's pipe open.
    private static let starting = Mutex(())

    private static func pipe() -> (end: Int32, start: Int32) {
        var ends: [Int32] = [-1, -1]
        precondition(systemPipe(&ends) == 0, "no pipe")
        for number in ends { _ = fcntl(number, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    private static func spawn(
        _ words: [String], _ environment: [String: String], _ terminal: Int32?, isTyped: Bool
    ) -> Started {
        // A program that closes its input early must not end the tests.
        signal(SIGPIPE, SIG_IGN)
        let (inputEnd, inputStart) = pipe()
        let (outputEnd, outputStart) = pipe()
        let (errorsEnd, errorsStart) = pipe()
        defer { for number in [inputEnd, outputStart, errorsStart] { close(number) } }
        #if canImport(Glibc)
            var actions = posix_spawn_file_actions_t()
            var attributes = posix_spawnattr_t()
        #else
            var actions: posix_spawn_file_actions_t?
            var attributes: posix_spawnattr_t?
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        let typed = isTyped ? terminal : nil
        for (number, stream) in [typed ?? inputEnd, terminal ?? outputStart, errorsStart]
            .enumerated()
        {
            posix_spawn_file_actions_adddup2(&actions, stream, Int32(number))
        }
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // As in a terminal: the tests ignore one signal, what started them perhaps another, and the
        // threads that run them block most.
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        for number in [SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGQUIT] { sigaddset(&signals, number) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
        let path = environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"
        let variables = environment.merging(["PATH": path]) { $1 }
        let arguments = words.map { strdup($0) } + [nil]
        let settings = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in arguments + settings { free(text) } }
        var started = Started(input: inputStart, output: outputEnd, errors: errorsEnd)
        started.code = posix_spawn(
            &started.process, words[0], &actions, &attributes, arguments, settings)
        return started
    }
}

/// `pipe`, out of reach of the method of that name.
private func systemPipe(_ ends: inout [Int32]) -> Int32 { pipe(&ends) }
