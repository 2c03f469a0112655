// The work behind a writer: callers fill buffers under a lock, one thread takes blocks out of
// them, deflates and writes. `nextJob` decides, `perform` acts, `commit` tells the callers.

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

final class WriterEngine: Sendable {
    /// What a caller does when there is no room.
    enum Patience { case none, reserve, waiting }

    private let directory: LogDirectory
    private let options: WriterOptions
    private let monitor: Monitor<WriterState>

    init(_ directory: LogDirectory, options: WriterOptions) {
        self.directory = directory
        self.options = options
        monitor = Monitor(
            WriterState(
                process: options.processID(), appenders: Self.makeAppenders(directory, options)))
        if options.hasThread { startThread(epoch: 0) }
    }

    private static func makeAppenders(
        _ directory: LogDirectory, _ options: WriterOptions
    ) -> [StreamAppender] {
        let writer = options.makeWriterID()
        let deflater = Deflater(level: options.level)
        return StreamKind.allCases.map {
            StreamAppender($0, in: directory, writer: writer, options: options, deflater: deflater)
        }
    }

    private func startThread(epoch: Int) {
        let isStarted = options.startThread { [self] in
            while performNextJob(epoch: epoch) {}
        }
        // Without a thread nothing would ever be written: callers must hear of it at once.
        if !isStarted { monitor.withLock { $0.end(.disk(Self.noThread)) } }
    }

    private static var noThread: DiskError {
        DiskError(operation: .write, path: "", code: EAGAIN)
    }

    // MARK: Callers

    func append(
        _ line: UnsafeRawBufferPointer, to kind: StreamKind, eventTime: Int64, patience: Patience
    ) -> AppendOutcome {
        if let base = line.baseAddress, memchr(base, 0x0a, line.count) != nil {
            return refuse(.notALine, kind)
        }
        if line.count > LogLimits.lineByteCountMax { return refuse(.tooLong, kind) }
        let clock = options.clock
        let process = options.processID()
        let body = { (state: inout WriterState) -> Monitor<WriterState>.Check<AppendOutcome?> in
            guard state.process == process else { return .done(nil) }
            if state.isClosing { return .done(.refused(.closed)) }
            let index = Int(kind.rawValue)
            if let cause = state.obstacle(for: line.count, kind, patience) {
                if patience == .waiting, cause == .bufferFull { return .wait(microseconds: nil) }
                state.streams[index].refuse(cause, wallTime: clock.wallTime())
                return .done(.refused(cause))
            }
            let hadWork = state.streams[index].deadline != nil
            let queued = state.streams[index].queue.count
            let sequence = state.streams[index].accept(
                line, eventTime: eventTime, wallTime: clock.wallTime,
                monotonicTime: clock.monotonicTime())
            if !hadWork || state.streams[index].queue.count > queued { self.monitor.notify() }
            return .done(.accepted(sequence: sequence))
        }
        while true {
            if let outcome = settle(body) { return outcome }
            checkProcess()
        }
    }

    private func refuse(_ cause: RefusalCause, _ kind: StreamKind) -> AppendOutcome {
        monitor.withLock {
            $0.streams[Int(kind.rawValue)].refuse(cause, wallTime: options.clock.wallTime())
        }
        return .refused(cause)
    }

    func flush() throws(LogError) {
        checkProcess()
        let wallTime = options.clock.wallTime()
        let (targets, failureCounts, ending) = monitor.withLock { state in
            state.demandAll(wallTime: wallTime)
            return (
                state.streams.map(\.acceptedCount), state.streams.map(\.backoff.failureCount),
                state.isClosed ? state.closingError ?? .closed : nil
            )
        }
        if let ending { throw ending }
        monitor.notify()
        let isSynced = options.durability == .synced
        let failure: LogError? = settle { state in
            var failure: LogError?
            for (index, stream) in state.streams.enumerated() {
                let doneCount = isSynced ? stream.confirmedCount : stream.writtenCount
                if doneCount >= targets[index] { continue }
                if let failed = stream.backoff.failure,
                    stream.backoff.failureCount > failureCounts[index]
                {
                    failure = failure ?? failed.error
                } else if state.isClosed {
                    return .done(state.closingError ?? .closed)
                } else {
                    return .wait(microseconds: nil)
                }
            }
            return .done(failure)
        }
        if let failure { throw failure }
    }

    func roll() {
        checkProcess()
        let wallTime = options.clock.wallTime()
        monitor.withLock { state in
            for index in state.streams.indices {
                state.streams[index].closeOpenBlock(wallTime: wallTime)
                state.streams[index].rollBeforeNextBlock()
            }
        }
        monitor.notify()
    }

    func withdraw(_ kind: StreamKind) {
        checkProcess()
        let wallTime = options.clock.wallTime()
        monitor.withLock { $0.streams[Int(kind.rawValue)].withdraw(wallTime: wallTime) }
        monitor.notify()
    }

    func close() throws(LogError) {
        checkProcess()
        letGo()
        let error: LogError? = settle { state in
            state.isClosed ? .done(state.closingError) : .wait(microseconds: nil)
        }
        if let error { throw error }
    }

    /// Asks for the end without waiting for it.
    func letGo() {
        let wallTime = options.clock.wallTime()
        let process = options.processID()
        let isOwn = monitor.withLock { state in
            // What a forked child finds here is the parent's to write.
            guard state.process == process else { return false }
            state.demandAll(wallTime: wallTime)
            state.isClosing = true
            return true
        }
        guard isOwn else { return }
        monitor.notify()
        // Without a thread, whoever lets go does the work.
        if !options.hasThread { while performNextJob(epoch: nil) {} }
    }

    func identity(in kind: StreamKind) -> WriterID {
        checkProcess()
        return monitor.withLock { $0.writers[Int(kind.rawValue)] }
    }

    func takeRefusals() -> [Refusals] {
        monitor.withLock { state in
            state.streams.indices.flatMap { state.streams[$0].takeRefusals() }
        }
    }

    /// Waits for the thread to bring about what is asked for, or does it on the spot.
    private func settle<Result>(
        _ check: (inout WriterState) -> Monitor<WriterState>.Check<Result>
    ) -> Result {
        if options.hasThread { return monitor.wait(until: check) }
        while true {
            if case .done(let result) = monitor.withLock(check) {
                while performDueJob() {}
                return result
            }
            _ = performDueJob()
        }
    }

    /// In a forked child the segments and what is buffered are the parent's: start afresh.
    private func checkProcess() {
        let process = options.processID()
        let epoch: Int? = monitor.withLock { state in
            guard state.process != process else { return nil }
            monitor.forgetWaiters()
            state.restart(process: process, appenders: Self.makeAppenders(directory, options))
            return state.epoch
        }
        if let epoch, options.hasThread { startThread(epoch: epoch) }
    }

    // MARK: The thread

    /// Waits for a job and does it; false after the last one.
    private func performNextJob(epoch: Int?) -> Bool {
        let clock = options.clock
        let isSynced = options.durability == .synced
        let job = monitor.wait { state in
            let now = clock.monotonicTime()
            if state.isClosed || epoch.map({ $0 != state.epoch }) == true {
                return .done(WriterState.Job.stop)
            }
            if let job = state.nextJob(now, isSynced: isSynced, wallTime: clock.wallTime) {
                return .done(job)
            }
            return .wait(microseconds: state.nextDeadline(isSynced: isSynced).map { $0 - now })
        }
        return perform(job)
    }

    /// Does a job that is due now; false where there is none.
    private func performDueJob() -> Bool {
        let clock = options.clock
        let isSynced = options.durability == .synced
        let job = monitor.withLock { state in
            state.isClosed
                ? nil
                : state.nextJob(
                    clock.monotonicTime(), isSynced: isSynced, wallTime: clock.wallTime)
        }
        guard let job else { return false }
        return perform(job)
    }

    private func perform(_ job: WriterState.Job) -> Bool {
        switch job {
        case .stop:
            return false
        case .write(let block, let appender, let kind):
            commit(appender, kind, block) { () throws(LogError) in
                if block.endsWriter {
                    try appender.startAfresh()
                } else {
                    try appender.append(block)
                }
            }
            return true
        case .look(let appender, let kind):
            if appender.isAskedToEnd() { endWriter(of: appender, kind) }
            return true
        case .sync(let appender, let kind):
            commit(appender, kind, nil) { () throws(LogError) in try appender.sync() }
            return true
        case .finish(let endings):
            let result = Self.finish(endings)
            monitor.withLock { $0.end(result) }
            monitor.notify()
            return false
        }
    }

    private func endWriter(of appender: StreamAppender, _ kind: StreamKind) {
        let wallTime = options.clock.wallTime()
        monitor.withLock { state in
            // A child that was forked meanwhile does not know this appender.
            guard state.appenders[Int(kind.rawValue)] === appender else { return }
            state.streams[Int(kind.rawValue)].endWriter(wallTime: wallTime)
        }
    }

    /// Ends every stream by its own state and returns the first error.
    private static func finish(
        _ endings: [(appender: StreamAppender, failure: LogError?)]
    ) -> LogError? {
        var result: LogError?
        for (appender, failure) in endings {
            if let failure {
                appender.abandon()
                result = result ?? failure
                continue
            }
            do {
                try appender.finish()
            } catch {
                appender.abandon()
                result = result ?? error
            }
        }
        return result
    }

    private func commit(
        _ appender: StreamAppender, _ kind: StreamKind, _ block: TextBlock?,
        _ body: () throws(LogError) -> Void
    ) {
        var failure: LogError?
        do { try body() } catch { failure = error }
        let now = options.clock.monotonicTime()
        let wallTime = options.clock.wallTime()
        let result = failure
        monitor.withLock { state in
            // A child that was forked meanwhile does not know this appender.
            guard state.appenders[Int(kind.rawValue)] === appender else { return }
            if let result {
                let isPending = block.map { state.streams[Int(kind.rawValue)].putBack($0) } ?? true
                if isPending {
                    state.streams[Int(kind.rawValue)].backoff.fail(result, at: now)
                } else {
                    // Taken back meanwhile: with nothing left to try, no attempt would end a failure.
                    state.streams[Int(kind.rawValue)].backoff.succeed()
                }
            } else {
                state.streams[Int(kind.rawValue)].backoff.succeed()
                if let block { state.streams[Int(kind.rawValue)].countWritten(block) }
            }
            state.update(kind, from: appender, now: now, wallTime: wallTime)
        }
        monitor.notify()
    }
}
