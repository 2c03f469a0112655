// What callers and the writer's thread share under the lock, and what is to be done next.

struct WriterState {
    /// One step of the thread.
    enum Job {
        case write(TextBlock, StreamAppender, StreamKind)
        case sync(StreamAppender, StreamKind)
        /// Seals and closes, or only closes where an error came before.
        case finish([StreamAppender], LogError?)
        case stop
    }

    /// The last attempt to write failed.
    struct Failure {
        var error: LogError
        var delay: Int64
        /// Monotonic time of the next attempt.
        var retryAt: Int64
    }

    var process: Int32
    var appenders: [StreamAppender]
    var writers: [WriterID]
    var streams = StreamKind.allCases.map(StreamBuffer.init)
    /// Raised in a forked child; an older thread ends.
    var epoch = 0
    var failure: Failure?
    var failureCount = 0
    var isClosing = false
    var isClosed = false
    var closingError: LogError?
    /// An attempt is due in spite of an earlier failure.
    private var isForced = false
    private var failureCountAtDemand = 0

    init(process: Int32, appenders: [StreamAppender]) {
        self.process = process
        self.appenders = appenders
        writers = appenders.map(\.writer)
    }

    mutating func restart(process: Int32, appenders: [StreamAppender]) {
        let epoch = epoch + 1
        self = Self(process: process, appenders: appenders)
        self.epoch = epoch
    }

    /// Why a line cannot be taken now; nil where it can.
    func obstacle(
        for lineByteCount: Int, _ kind: StreamKind, _ patience: WriterEngine.Patience
    ) -> RefusalCause? {
        // Where space is short the facts come first.
        let isShort = failure != nil && kind == .content
        let stream = streams[Int(kind.rawValue)]
        if !isShort, stream.hasRoom(for: lineByteCount, isReserved: patience == .reserve) {
            return nil
        }
        return failure.map { RefusalCause($0.error) } ?? .bufferFull
    }

    /// Everything accepted so far is to be written, and synced where blocks are, at once.
    mutating func demandAll(wallTime: Int64) {
        for index in streams.indices {
            streams[index].closeOpenBlock(wallTime: wallTime)
            streams[index].syncTarget = streams[index].acceptedCount
        }
        isForced = failure != nil
        failureCountAtDemand = failureCount
    }

    mutating func fail(_ error: LogError, at now: Int64) {
        let doubled = failure.map { min($0.delay * 2, LogLimits.retryDelayMax) }
        let delay = doubled ?? LogLimits.retryDelay
        failure = Failure(error: error, delay: delay, retryAt: now + delay)
        failureCount += 1
    }

    /// Takes over what the disk's side knows after a step.
    mutating func update(
        _ kind: StreamKind, from appender: StreamAppender, now: Int64, wallTime: Int64
    ) {
        let index = Int(kind.rawValue)
        let gone = appender.takeGoneLineCount()
        if gone > 0 { streams[index].refuse(.ioError, count: gone, wallTime: wallTime) }
        if writers[index] != appender.writer {
            writers[index] = appender.writer
            streams[index].renumber(nextWritten: appender.nextSequence)
        }
        let written = streams[index].writtenCount
        streams[index].confirmedCount = written - min(written, appender.unconfirmedLineCount)
        streams[index].unconfirmedByteCount = appender.unconfirmedByteCount
        streams[index].unconfirmedSince =
            appender.unconfirmedByteCount == 0 ? nil : streams[index].unconfirmedSince ?? now
    }

    /// The next step, facts first; nil where nothing is due.
    mutating func nextJob(_ now: Int64, isSynced: Bool, wallTime: () -> Int64) -> Job? {
        for index in streams.indices {
            if let deadline = streams[index].deadline, deadline <= now {
                streams[index].closeOpenBlock(wallTime: wallTime())
            }
        }
        if let failure {
            if isClosing, failureCount > failureCountAtDemand {
                return .finish(appenders, failure.error)
            }
            if !isForced, now < failure.retryAt { return nil }
        }
        isForced = false
        for kind in StreamKind.allCases {
            let index = Int(kind.rawValue)
            if isSynced, isSyncDue(streams[index], now) { return .sync(appenders[index], kind) }
            if let block = streams[index].takeBlock() {
                return .write(block, appenders[index], kind)
            }
        }
        return isClosing && !isClosed ? .finish(appenders, nil) : nil
    }

    private func isSyncDue(_ stream: StreamBuffer, _ now: Int64) -> Bool {
        guard let since = stream.unconfirmedSince else { return false }
        return stream.unconfirmedByteCount >= LogLimits.syncByteCount
            || now - since >= LogLimits.syncAge || failure != nil
            || (stream.writtenCount >= stream.syncTarget
                && stream.confirmedCount < stream.syncTarget)
    }

    /// When something becomes due that is not due now, monotonic.
    func nextDeadline(isSynced: Bool) -> Int64? {
        if let failure { return failure.retryAt }
        var deadlines = streams.compactMap(\.deadline)
        if isSynced {
            deadlines += streams.compactMap(\.unconfirmedSince).map { $0 + LogLimits.syncAge }
        }
        return deadlines.min()
    }
}
