// The front of recording: what an app calls. Nothing here throws or traps; what does not get into the
// log is counted.

package import EvalogContent
package import EvalogFacts
package import EvalogLog
import EvalogText

/// Writes what evaluators and features tell into a log.
///
/// An observation is reduced to a fact, and its content is kept by choice; both go into memory
/// and from there to the disk within a second, on a thread of the log's own. Where the disk does not
/// take them they wait there, as much as a log's buffers hold. What has no room is counted, and told in
/// the log once it takes lines again.
///
/// The log keeps itself in order: what had its time is deleted, what was killed is sealed, small files
/// are joined, in bounded portions and beside the caller.
///
/// Any thread may call; the lines of a file stand in the order of the calls. The first line, and the
/// first after a suspension, opens the log, and the first text that needs a digest reads or makes the
/// log's key: a few file calls each, and again after a while where they fail. Apart from these only
/// ``flush()``, ``suspend()`` and ``close()`` wait for the disk.
public final class EvaluationRecorder: Sendable {
    /// What is kept of the content.
    public let content: ContentRetention

    private let monitor: Monitor<RecorderState>
    private let upkeep: Upkeep
    private let maintainsLog: Bool

    /// Touches nothing yet.
    ///
    /// - Parameters:
    ///   - directory: The path of the log's folder, which is made where it is missing; a relative one is taken
    ///     from where the process is now. Several
    ///     recorders and processes may write one log.
    ///   - content: What of the confidential half is kept: instructions, context, answers, errors'
    ///     words.
    ///   - device: What facts say of the device where the observation does not.
    public convenience init(
        directory: String, content: ContentRetention, device: DeviceDescription = .current
    ) {
        self.init(
            LogDirectory(path: LogDirectory.absolute(directory)), content: content, device: device,
            options: WriterOptions())
    }

    /// - Parameters:
    ///   - options: The clock is also the recorder's. Without a thread of the writer, the log is
    ///     maintained on the caller's.
    ///   - maintainsLog: Whether what has had its time goes: not from a log that is somebody else's to keep.
    ///   - random: 64 random bits a call, for ids; called under a lock.
    package init(
        _ directory: LogDirectory, content: ContentRetention, device: DeviceDescription,
        options: WriterOptions, maintainsLog: Bool = true,
        random: @escaping @Sendable () -> UInt64 = { .random(in: .min ... .max) }
    ) {
        self.content = content
        let upkeep = Upkeep(directory, contentDays: content.days, options: options)
        if !maintainsLog { upkeep.pause() }
        self.maintainsLog = maintainsLog
        self.upkeep = upkeep
        var options = options
        options.didRoll = { upkeep.begin() }
        let setup = RecorderSetup(
            directory: directory, content: content, device: device, options: options,
            random: random, upkeep: upkeep)
        monitor = Monitor(RecorderState(setup))
    }

    /// Records one evaluation. Call it once for each, before the events that name it.
    public func record(_ observation: ObservedEvaluation) {
        monitor.withLock { $0.record(observation) }
    }

    /// Records an event, a catalog or a change of the gate.
    public func record(_ report: FeatureReport) {
        monitor.withLock { $0.record(report) }
    }

    /// Records how an answer to a case of a test set was judged, with what belongs to it in the content.
    ///
    /// - Returns: Whether the log took the result, or holds it.
    package func record(_ result: TestResultFact, _ content: ContentRecord) -> Bool {
        monitor.withLock { $0.record(result, content) } == nil
    }

    /// Tells how the gate stands, where that is no change of it. The next event has a fact of it
    /// before it.
    package func learnGate(isOnDeviceAIEnabled: Bool) {
        monitor.withLock { $0.learnGate(isOnDeviceAIEnabled: isOnDeviceAIEnabled, since: nil) }
    }

    /// What became of everything so far.
    public var status: RecorderStatus { monitor.withLock { $0.status } }

    /// Waits until everything recorded before is in the files, and every evaluation that an
    /// attached manager has returned before.
    ///
    /// - Returns: False where the disk would not take it, which then stays in memory and is tried
    ///   again; where the log cannot be opened: what was refused since is in ``status``; where
    ///   lines wait for the end of a suspension; and where a manager is held up by another receiver.
    @discardableResult
    public func flush() -> Bool {
        let isComplete = takeIn()
        let (writer, isBehind) = monitor.withLock { ($0.openedWriter, $0.isBehind) }
        guard let writer else { return !isBehind && isComplete }
        return flush(writer) == nil && isComplete
    }

    /// Writes everything, as ``flush()`` does, ends the files and unlocks them: for an app that goes to
    /// the background, where the system may stop it at any moment. Waits for the disk.
    ///
    /// Until ``resume()`` no file is locked: what is recorded meanwhile waits in memory, as much as
    /// a log's buffers hold, and another call writes it. What does not fit is counted.
    ///
    /// - Returns: False where the disk would not take everything: then lines and locks are kept,
    ///   for nothing would be left of the lines. False also where an attached manager is held up by
    ///   another receiver; then what it tells later waits.
    @discardableResult
    public func suspend() -> Bool {
        upkeep.pause()
        let isComplete = takeIn()
        let (number, opened, isBehind) = monitor.withLock { state in
            let number = state.suspend()
            return (number, state.openedWriter, state.isBehind)
        }
        // Nothing can come to the writer any more, so flushed means that nothing is left to lose.
        if let opened, flush(opened) != nil { return false }
        let taken = monitor.withLock { $0.takeWriter(of: number) }
        let isEnded = taken.map { (try? $0.close()) != nil } ?? true
        upkeep.waitForEnd()
        return isEnded && isComplete && (opened != nil || !isBehind)
    }

    /// Ends a suspension: for an app that comes back to the foreground. Lines go to the log again,
    /// which the next one opens, or this call if lines have waited.
    public func resume() {
        if maintainsLog { upkeep.resume() }
        monitor.withLock { $0.resume() }
    }

    /// Writes everything, as ``flush()`` does, and ends the recorder, which attached managers no longer
    /// tell of what happens. Waits for the disk. Later lines are counted and go nowhere.
    ///
    /// - Returns: False where the disk would not take everything, or an attached manager is held up
    ///   by another receiver. What was not taken is lost; it counts as refused, and the log tells of it if
    ///   it still takes facts.
    @discardableResult
    public func close() -> Bool {
        let isComplete = takeIn()
        let (writer, isBehind, sources) = monitor.withLock { state in
            let sources = state.beginClosing()
            return (state.takeWriter(), state.isBehind, sources)
        }
        for source in sources { source.detach(self) }
        upkeep.pause()
        defer { upkeep.waitForEnd() }
        guard let writer else { return !isBehind && isComplete }
        let failure = flush(writer)
        if let failure { giveUp(writer, because: failure) }
        return (try? writer.close()) != nil && failure == nil && isComplete
    }

    /// Counts what the disk would not take as refused, since nobody will try it again.
    private func giveUp(_ writer: LogWriter, because failure: LogError) {
        monitor.withLock { $0.gatherRefusals(writer) }
        for stream in [.facts, ContentAccess.stream] { writer.withdraw(stream) }
        // A block that is being written is in the file behind this, or taken back as well.
        try? writer.flush()
        monitor.withLock { $0.countGivenUp(by: writer, because: GapCause(failure)) }
    }

    /// Follows who tells this recorder of observations, until it ends; detaches it at once if it has
    /// ended. The latest source of one teller counts.
    package func follow(_ source: ObservationSource) {
        let isClosed = monitor.withLock { state in
            if !state.isClosed { state.follow(source) }
            return state.isClosed
        }
        if isClosed { source.detach(self) }
    }

    /// Takes in what was observed before the call; false where somebody took too long to tell it.
    ///
    /// Without the lock: who tells it comes back here.
    private func takeIn() -> Bool {
        let sources = monitor.withLock { $0.sources }
        return sources.reduce(true) { isDelivered, source in source.deliver() && isDelivered }
    }

    /// What kept lines from the disk; nil where all are written.
    private func flush(_ writer: LogWriter) -> LogError? {
        do throws(LogError) {
            try writer.flush()
            if monitor.withLock({ $0.reportGaps(to: writer) }) { try writer.flush() }
            return nil
        } catch .closed {
            // By a suspension beside, and without an error only when everything is written.
            return nil
        } catch {
            return error
        }
    }
}
