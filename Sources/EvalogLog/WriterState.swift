// What callers and the writer's thread share under the lock, and what is to be done next.

struct WriterState {
    /// One step of the thread.
    enum Job {
        case write(TextBlock, StreamAppender, StreamKind)
        case sync(StreamAppender, StreamKind)
        /// Finds out whether maintenance asked for the end of the segment.
        case look(StreamAppender, StreamKind)
        /// Seals and closes each, or only closes the one whose last attempt failed.
        case finish([(appender: StreamAppender, failure: LogError?)])
        case stop
    }

    var process: Int32
    var appenders: [StreamAppender]
    var writers: [WriterID]
    var streams = StreamKind.allCases.map(StreamBuffer.init)
    /// Raised in a forked child; an older thread ends.
    var epoch = 0
    var isClosing = false
    private(set) var isClosed = false
    private(set) var closingError: LogError?

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

    /// Nothing will be written any more; nil where everything was.
    mutating func end(_ error: LogError?) {
        isClosing = true
        isClosed = true
        closingError = error
    }

    /// Why a line cannot be taken now; nil where it can.
    func obstacle(
        for lineByteCount: Int, _ kind: StreamKind, _ patience: WriterEngine.Patience
    ) -> RefusalCause? {
        let stream = streams[Int(kind.rawValue)]
        // Where space is short the facts come first, whichever stream has noticed.
        let shortage = kind == .content ? streams.first { $0.backoff.isShortOfSpace } : nil
        let failure = stream.backoff.failure ?? shortage?.backoff.failure
        let isOpen = kind == .facts || failure == nil
        if isOpen, stream.hasRoom(for: lineByteCount, isReserved: patience == .reserve) {
            return nil
        }
        return failure.map { RefusalCause($0.error) } ?? .bufferFull
    }

    /// Everything accepted so far is to be written, and synced where blocks are, at once.
    mutating func demandAll(wallTime: Int64) {
        for index in streams.indices {
            streams[index].closeOpenBlock(wallTime: wallTime)
            streams[index].syncTarget = streams[index].acceptedCount
            streams[index].backoff.demand()
        }
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
        streams[index].confirm(but: appender.unconfirmedLineCount)
        streams[index].unconfirmedByteCount = appender.unconfirmedByteCount
        streams[index].unconfirmedSince =
            appender.unconfirmedByteCount == 0 ? nil : streams[index].unconfirmedSince ?? now
        streams[index].lookAt =
            appender.hasSegment ? streams[index].lookAt ?? now + LogLimits.rollLookAge : nil
    }

    /// The next step, facts first; nil where nothing is due.
    mutating func nextJob(_ now: Int64, isSynced: Bool, wallTime: () -> Int64) -> Job? {
        for index in streams.indices {
            if let deadline = streams[index].deadline, deadline <= now {
                streams[index].closeOpenBlock(wallTime: wallTime())
            }
        }
        for kind in StreamKind.allCases {
            let index = Int(kind.rawValue)
            let backoff = streams[index].backoff
            // A writer that closes tries each stream once more and waits for none.
            let isGivenUp = isClosing && backoff.hasFailedSinceDemand
            guard !isGivenUp, backoff.isDue(now) else { continue }
            if !isClosing, let lookAt = streams[index].lookAt, lookAt <= now {
                streams[index].lookAt = now + LogLimits.rollLookAge
                return .look(appenders[index], kind)
            }
            streams[index].backoff.begin()
            if isSynced, isSyncDue(streams[index], now) { return .sync(appenders[index], kind) }
            if let block = streams[index].takeBlock() {
                return .write(block, appenders[index], kind)
            }
        }
        guard isClosing, !isClosed else { return nil }
        return .finish(
            zip(appenders, streams).map { appender, stream in
                let isGivenUp = stream.backoff.hasFailedSinceDemand
                return (appender, isGivenUp ? stream.backoff.failure?.error : nil)
            })
    }

    private func isSyncDue(_ stream: StreamBuffer, _ now: Int64) -> Bool {
        guard let since = stream.unconfirmedSince else { return false }
        return stream.unconfirmedByteCount >= LogLimits.syncByteCount
            || now - since >= LogLimits.syncAge || stream.backoff.failure != nil
            || (stream.writtenCount >= stream.syncTarget
                && stream.confirmedCount < stream.syncTarget)
    }

    /// When something becomes due that is not due now, monotonic.
    func nextDeadline(isSynced: Bool) -> Int64? {
        streams.compactMap { stream in
            if let failure = stream.backoff.failure { return failure.retryAt }
            let syncAt = isSynced ? stream.unconfirmedSince.map { $0 + LogLimits.syncAge } : nil
            return [stream.deadline, syncAt, stream.lookAt].compactMap(\.self).min()
        }.min()
    }
}
