// Where a command speaks: results on stdout, everything else on stderr.

import AirshipCore
import EvalogText

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The streams and the surroundings of one run.
struct Console: Sendable {
    let output: Output
    let errors: Output
    /// The variables of the environment.
    let environment: [String: String]
    var isQuiet = false
    var hasColor = false
    /// Microseconds since 1970.
    let now: @Sendable () -> Int64

    /// Says something to the person, unless told to be quiet.
    func note(_ text: String) {
        guard !isQuiet else { return }
        warn(text)
    }

    /// Says something that `--quiet` does not silence. A stderr that cannot be written to is no
    /// reason to stop the work.
    func warn(_ text: String) {
        // What fails because the run ends is nothing to tell of.
        Interrupts.standBackIfEnding()
        try? errors.write("evalog: \(Printable.text(text))\n")
        try? errors.flush()
    }

    /// Shows what a run found and returns what it comes to.
    ///
    /// A reader that does not wait for all of it must not hide a verdict that is no, or a failure:
    /// only what would have been a success ends as a closed pipe does.
    func show(
        _ body: () throws -> Void, then verdict: () throws -> ExitStatus
    ) throws -> ExitStatus {
        var obstacle: (any Error)?
        do {
            try body()
            try output.flush()
        } catch {
            obstacle = error
        }
        let status = try verdict()
        guard let obstacle, !(obstacle is ClosedPipe && status != .done) else { return status }
        throw obstacle
    }

    /// The log that the flags and the environment name.
    func logPath(_ arguments: Arguments) -> String {
        arguments.last(.log) ?? environment["EVALOG_LOG"].flatMap { $0.isEmpty ? nil : $0 }
            ?? "evalog-log"
    }

    /// The console as `--quiet` and `--color` ask for it.
    func configured(by arguments: Arguments) throws -> Console {
        var console = self
        console.isQuiet = arguments.has(.quiet)
        switch arguments.last(.color) ?? "auto" {
        case "always": console.hasColor = true
        case "never": console.hasColor = false
        case "auto":
            let isPlain =
                !(environment["NO_COLOR"] ?? "").isEmpty || environment["TERM"] == "dumb"
            console.hasColor = output.isTerminal && !isPlain
        default:
            throw CommandFailure("--color takes auto, always or never", hint: "--color auto")
        }
        return console
    }
}

/// A file descriptor with a buffer, on which no error goes unseen.
///
/// `print` is no use here: on a full disk it succeeds.
final class Output: Sendable {
    /// What a message calls it.
    let name: String
    let descriptor: Int32
    let isTerminal: Bool
    private let buffer: Locked<[UInt8]>
    private static let bufferByteCount = 64 << 10

    /// Does not take the descriptor over: whoever opened it closes it.
    init(descriptor: Int32, name: String) {
        self.name = name
        self.descriptor = descriptor
        isTerminal = isatty(descriptor) == 1
        buffer = Locked([])
    }

    /// Columns of the terminal; nil if it is none or does not tell.
    var terminalWidth: Int? {
        var size = winsize()
        guard isTerminal, ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
            return nil
        }
        return Int(size.ws_col)
    }

    /// Waits so many microseconds.
    ///
    /// - Throws: ``ClosedPipe`` where nobody reads the output any more.
    func waitForReader(_ microseconds: Int64) throws {
        var watched = pollfd(fd: descriptor, events: 0, revents: 0)
        let count = poll(&watched, 1, Int32(microseconds / 1_000))
        if count > 0, watched.revents & Int16(POLLERR | POLLHUP | POLLNVAL) != 0 {
            throw ClosedPipe()
        }
    }

    func write(_ text: String) throws {
        var text = text
        try text.withUTF8 { try write(bytes: UnsafeRawBufferPointer($0)) }
    }

    /// Text as it is; of much at once no copy is made.
    func write(bytes: UnsafeRawBufferPointer) throws {
        try buffer.withLock { pending in
            if bytes.count < Self.bufferByteCount {
                pending.append(contentsOf: bytes)
                if pending.count >= Self.bufferByteCount { try drain(&pending) }
            } else {
                try drain(&pending)
                try writeFully(bytes)
            }
        }
    }

    func write(bytes: [UInt8]) throws {
        try bytes.withUnsafeBytes { try write(bytes: $0) }
    }

    /// UTF-8 that must not steer a terminal, as ``Printable`` shows it.
    func write(printable text: UnsafeRawBufferPointer) throws {
        try write(text, as: Printable.text)
    }

    private func write(
        _ text: UnsafeRawBufferPointer, as printable: (String) -> String
    ) throws {
        var offset = 0
        while offset < text.count {
            let end = UTF8Check.endOfPiece(
                in: text, from: offset, byteCountMax: Self.bufferByteCount)
            try write(printable(String(decoding: text[offset..<end], as: UTF8.self)))
            offset = end
        }
    }

    /// Writes a line of the log as it is; on a terminal, so that it cannot steer it.
    func write(line: UnsafeRawBufferPointer) throws {
        try write(json: line)
        try write("\n")
    }

    /// JSON as it is; on a terminal the same value, so that it cannot steer it.
    func write(json bytes: UnsafeRawBufferPointer) throws {
        if isTerminal { try write(bytes, as: Printable.json) } else { try write(bytes: bytes) }
    }

    func write(json bytes: [UInt8]) throws {
        try bytes.withUnsafeBytes { try write(json: $0) }
    }

    /// - Throws: ``ClosedPipe`` if the reader is gone, ``CommandFailure`` for anything else.
    func flush() throws {
        try buffer.withLock { try drain(&$0) }
    }

    private func drain(_ pending: inout [UInt8]) throws {
        defer { pending.removeAll(keepingCapacity: true) }
        try pending.withUnsafeBytes(writeFully)
    }

    private func writeFully(_ bytes: UnsafeRawBufferPointer) throws {
        var offset = 0
        while offset < bytes.count {
            let count = systemWrite(descriptor, bytes[offset...])
            if count > 0 {
                offset += count
            } else {
                try waitOrThrow(errno)
            }
        }
    }

    private func waitOrThrow(_ code: Int32) throws {
        switch code {
        case EINTR: return
        case EAGAIN:
            // A pipe that somebody set non-blocking: wait for its reader, do not spin.
            var poller = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            _ = poll(&poller, 1, -1)
        case EPIPE: throw ClosedPipe()
        default:
            throw CommandFailure(
                "cannot write \(name): \(SystemError.text(code))",
                hint: code == ENOSPC ? "free some space and run it again" : nil)
        }
    }
}

private func systemWrite(_ descriptor: Int32, _ bytes: Slice<UnsafeRawBufferPointer>) -> Int {
    let rebased = UnsafeRawBufferPointer(rebasing: bytes)
    return write(descriptor, rebased.baseAddress, rebased.count)
}

/// The system's words for an errno.
enum SystemError {
    static func text(_ code: Int32) -> String {
        String(cString: strerror(code))
    }

    /// What to try about one in a log, where that is known.
    static func hint(_ code: Int32) -> String? {
        switch code {
        case ENOSPC, EDQUOT, EFBIG: "free some space and run it again"
        case EACCES, EPERM: "run it as the user who owns the log"
        case ELOOP: "a link stands there, and links are not followed in a log"
        default: nil
        }
    }
}
