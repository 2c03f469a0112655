// The front of a writer: what an app calls. Everything that touches the disk happens behind it,
// in `WriterEngine`.

/// How a writer behaves; everything that the world decides is a parameter.
package struct WriterOptions: Sendable {
    package var durability: Durability
    /// zlib's level, 1 to 9.
    package var level: Int
    package var segments: SegmentPolicy
    package var clock: any LogClock
    package var makeWriterID: @Sendable () -> WriterID
    /// Tells a forked child that the segments belong to its parent.
    package var processID: @Sendable () -> Int32
    /// Whether a thread of the writer's own does the work. Without one, calls do what is due
    /// before they return, and one thread at a time may call: for simulations and tests.
    package var hasThread: Bool
    /// Starts that thread; where it returns false the writer is closed from the start.
    package var startThread: @Sendable (@escaping @Sendable () -> Void) -> Bool
    /// Told of each segment that was full and is sealed now, on the thread that writes.
    package var didRoll: @Sendable () -> Void = {}

    package init(
        durability: Durability = .buffered, level: Int = 6, segments: SegmentPolicy = .init(),
        clock: any LogClock = SystemClock(),
        makeWriterID: @escaping @Sendable () -> WriterID = { .random() },
        processID: @escaping @Sendable () -> Int32 = currentProcessID, hasThread: Bool = true,
        startThread: @escaping @Sendable (@escaping @Sendable () -> Void) -> Bool =
            startDetachedThread
    ) {
        self.durability = durability
        self.level = level
        self.segments = segments
        self.clock = clock
        self.makeWriterID = makeWriterID
        self.processID = processID
        self.hasThread = hasThread
        self.startThread = startThread
    }
}

/// Appends lines to a log, under an identity of its own: one open of the log by one process.
///
/// Opening reads nothing, and the first file appears with the first block. Any thread may call.
/// While a segment is open the writer's thread looks once a second, by one status call, whether
/// maintenance asked for its end; then it goes on under a new identity.
/// A writer that is let go without `close` still writes what it accepted, in the background.
///
/// In a forked child a writer starts over under an identity of its own, and what the parent had
/// in memory stays the parent's. That holds where no thread of the parent was inside a call when
/// it forked: a lock held then is held for ever in the child, which hangs with its first call.
/// Where others append while a process forks, the child opens a writer of its own.
package final class LogWriter: Sendable {
    private let engine: WriterEngine

    /// Opens a log for appending, and makes it where it is missing: so it can be told from a folder
    /// that is no log before its first line.
    ///
    /// - Throws: `LogError.disk` where the path is no folder, or a link, or cannot be made. A
    ///   full disk is no reason: the writer waits for space as later.
    package init(_ directory: LogDirectory, options: WriterOptions = .init()) throws(LogError) {
        do {
            try directory.make()
        } catch  where error.isNoSpace {}
        engine = WriterEngine(directory, options: options)
    }

    deinit { engine.letGo() }

    /// Appends one line; costs a copy and never waits for the disk.
    ///
    /// - Parameters:
    ///   - line: Without its newline; at most `LogLimits.lineByteCountMax` bytes.
    ///   - eventTime: Microseconds since 1970; goes into the block's header.
    package func append(
        _ line: UnsafeRawBufferPointer, to stream: LogStream, eventTime: Int64
    ) -> AppendOutcome {
        engine.append(line, to: stream.kind, eventTime: eventTime, patience: .none)
    }

    /// Appends one line, using the room kept free for lines that tell of refused ones.
    package func appendReserved(
        _ line: UnsafeRawBufferPointer, to stream: LogStream, eventTime: Int64
    ) -> AppendOutcome {
        engine.append(line, to: stream.kind, eventTime: eventTime, patience: .reserve)
    }

    /// Appends one line and waits for room as long as the disk takes what comes before it.
    ///
    /// - Returns: A refusal only for a line that no waiting helps, or once the disk fails.
    package func appendWaiting(
        _ line: UnsafeRawBufferPointer, to stream: LogStream, eventTime: Int64
    ) -> AppendOutcome {
        engine.append(line, to: stream.kind, eventTime: eventTime, patience: .waiting)
    }

    /// Returns once every line accepted before is as safe as the durability promises.
    ///
    /// - Throws: What an attempt to write failed with. The lines stay accepted and are tried
    ///   again, later and by the next flush.
    package func flush() throws(LogError) { try engine.flush() }

    /// Takes back the lines of a stream that its thread was not given to write, or could not; they
    /// count as refused. What it is writing, and has written, stays.
    package func withdraw(_ stream: LogStream) { engine.withdraw(stream.kind) }

    /// Lets the next block of every stream begin a new segment. The old one is sealed then.
    package func roll() { engine.roll() }

    /// Writes everything, seals the segments for good and ends the writer. Later calls do
    /// nothing; later lines are refused.
    ///
    /// - Throws: What failed. Lines not written by then are lost, and the segments stay unsealed.
    package func close() throws(LogError) { try engine.close() }

    /// The writer whose lines those of a stream are, as far as they are written: another one after
    /// maintenance asked for the end of a segment, after a deletion from outside and in a forked child.
    package func identity(in stream: LogStream) -> WriterID { engine.identity(in: stream.kind) }

    /// Lines refused since last asked, facts first.
    package func takeRefusals() -> [Refusals] { engine.takeRefusals() }
}

extension LogWriter {
    package func append(_ line: [UInt8], to stream: LogStream, eventTime: Int64) -> AppendOutcome {
        line.withUnsafeBytes { append($0, to: stream, eventTime: eventTime) }
    }

    package func appendReserved(
        _ line: [UInt8], to stream: LogStream, eventTime: Int64
    ) -> AppendOutcome {
        line.withUnsafeBytes { appendReserved($0, to: stream, eventTime: eventTime) }
    }

    package func appendWaiting(
        _ line: [UInt8], to stream: LogStream, eventTime: Int64
    ) -> AppendOutcome {
        line.withUnsafeBytes { appendWaiting($0, to: stream, eventTime: eventTime) }
    }
}
