// What "appended" promises, and the answers a writer gives.

/// What a kill or a power cut may cost. `LogWriter.flush` returns once the promise holds.
package enum Durability: String, Hashable, Sendable {
    /// A kill costs lines not yet in a block (at most 1 s); a power cut, what the operating
    /// system had not written back.
    case buffered
    /// Confirmed by the disk every 1 s or 4 MiB, and at each flush.
    case synced
}

/// Why a line was not taken.
package enum RefusalCause: String, CaseIterable, Hashable, Sendable {
    /// The disk or a quota is full and the buffer too.
    case noSpace
    /// The disk fails and the buffer is full; also lines of a segment that was deleted or cut
    /// from outside after they were accepted.
    case ioError
    /// The disk is slower than the lines come.
    case bufferFull
    /// Longer than `LogLimits.lineByteCountMax`.
    case tooLong
    /// The system denies access for now, as on a locked phone, and the buffer is full.
    case protected
    /// Holds a newline, so it would be read as two lines.
    case notALine
    /// The writer is closed.
    case closed
    /// Accepted, and taken back by `LogWriter.withdraw` before it was written.
    case withdrawn

    init(_ error: LogError) {
        if error.isNoSpace {
            self = .noSpace
        } else if case .disk(let cause) = error, cause.isProtected {
            self = .protected
        } else {
            self = .ioError
        }
    }
}

/// What became of one line.
package enum AppendOutcome: Hashable, Sendable {
    /// The line is in memory and will be written. The sequence is the one it will have unless
    /// the segment is deleted from outside before, or maintenance asks for its end.
    case accepted(sequence: UInt64)
    /// The line is not in the log; it was counted.
    case refused(RefusalCause)
}

/// Lines refused since last asked.
package struct Refusals: Hashable, Sendable {
    package var stream: StreamKind
    package var cause: RefusalCause
    package var count: UInt64
    /// Wall clock of the first of them, microseconds since 1970.
    package var since: Int64
}
