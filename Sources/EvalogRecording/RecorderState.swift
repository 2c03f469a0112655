// Everything that a recorder changes, under its lock: an observation becomes lines, lines go into
// the writer's memory, and what was refused is remembered until it can be told.

import EvalogContent
import EvalogFacts
import EvalogLog
import EvalogText

/// What a recorder knows and counts. One caller at a time; nothing here waits for lines to be written.
///
/// The key comes with the first text that needs a digest, and stays. Where it cannot be had, the
/// fact is recorded without that text, which is counted, and the key is asked for again later.
struct RecorderState {
    private(set) var status = RecorderStatus()
    private(set) var isClosed = false
    /// Who tells it of observations.
    private(set) var sources: [ObservationSource] = []

    private let setup: RecorderSetup
    private var writer: LogWriter?
    /// The number of the suspension that goes on.
    private var suspension: Int?
    private var suspensionCount = 0
    /// In the order of the calls; empty while there is a writer and no suspension.
    private var held = HeldLines()
    private var opening = Retry()
    /// Why the log could not be opened the last time.
    private var openingCause = GapCause.ioError
    private var reducer = FactReducer(key: nil)
    private var askingForKey = Retry()
    private var gate = GateKnowledge()
    /// Under which id the writer had its lines when that was last looked at; nil without a writer. It
    /// takes another one where its files are gone, and then what they told has to be told again.
    private var identity: WriterID?
    private var evaluations = Recent<UniqueID, Void>(
        countMax: RecordingLimits.rememberedEvaluationCount)
    private var catalogs = CatalogKnowledge()
    private var gaps = GapLedger()
    /// One line at a time; kept for its memory.
    private var line: [UInt8] = []

    init(_ setup: RecorderSetup) {
        self.setup = setup
    }

    // MARK: Recording

    mutating func record(_ observation: ObservedEvaluation) {
        guard !isClosed else { return countClosed() }
        let now = setup.now
        var observation = observation
        observation.os = observation.os ?? setup.device.os
        observation.device = observation.device ?? setup.device.device
        observation.app = observation.app ?? setup.device.app
        observation.time = observation.time ?? now - observation.duration.elapsed
        if FactReducer.needsKey(for: observation) { demandKey() }
        let fact = reduce { [setup] reducer in
            reducer.fact(of: observation, id: setup.timeOrderedID(at: now), assumedTime: now)
        }
        if fact.reason == .aiDisabled, gate.standing == .unknown {
            // Nobody said that it is off, but off it is until somebody says that it is on.
            learnGate(isOnDeviceAIEnabled: false, since: fact.time)
        }
        // Remembered also if refused: the event that names it is no orphan.
        evaluations.remember(fact.id, ())
        guard append(.evaluation(fact), at: now) == nil,
            let content = setup.content.line(of: observation, for: fact)
        else { return }
        if gate.standing == .off {
            status.withheldCount += 1
        } else {
            append(content, time: fact.time, at: now)
        }
    }

    mutating func record(_ report: FeatureReport) {
        guard !isClosed else { return countClosed() }
        let now = setup.now
        if FactReducer.needsKey(for: report) { demandKey() }
        var catalog: ReportCatalog?
        switch report.kind {
        case .gate(let isEnabled):
            learnGate(isOnDeviceAIEnabled: isEnabled, since: report.time ?? now)
        case .formInference(_, let field, _, _): catalog = catalogs[field]
        case .catalog(let field, let values):
            let made = reduce { $0.reportable(values) }
            catalogs.learn(made, of: field)
            // Forms tell theirs each time they are made.
            noticeIdentity()
            if catalogs.isWritten(made, of: field) { return }
            catalog = made
        case .suppressed: break
        }
        let fact = reduce { [setup] reducer in
            reducer.fact(of: report, id: setup.randomID(), time: now, catalog: catalog)
        }
        if let named = fact.evaluation, evaluations[named] == nil { status.orphanCount += 1 }
        if fact.isEvent, let cause = tellGate(at: fact.time, now) {
            // Without that fact nobody could tell that it was off.
            return count(.init(stream: .facts, cause: cause, refused: 1, since: now))
        }
        guard append(fact, at: now) == nil else { return }
        switch report.kind {
        case .gate(let isEnabled): gate.wrote(isOn: isEnabled, at: fact.time)
        case .catalog(let field, _):
            if let catalog { catalogs.wrote(catalog, of: field) }
        case .suppressed, .formInference: break
        }
    }

    /// Nil where the log took the fact, or holds it. Its content follows if content is kept at all.
    mutating func record(_ result: TestResultFact, _ content: ContentRecord) -> GapCause? {
        let now = setup.now
        guard !isClosed else { return .other }
        if let cause = append(.testResult(result), at: now) { return cause }
        if setup.content.keeps(isFailure: result.verdict != .pass) {
            append(.record(content), time: result.time, at: now)
        }
        return nil
    }

    /// Writes how the gate stands, if that is known, before an event: whoever reports it has to know.
    ///
    /// - Returns: Why the log did not take it.
    private mutating func tellGate(at eventTime: Int64, _ now: Int64) -> GapCause? {
        noticeIdentity()
        guard let due = gate.due(before: eventTime, now: now) else { return nil }
        let fact = GateFact(id: setup.randomID(), time: due.time, isOnDeviceAIEnabled: due.isOn)
        if let cause = append(.gate(fact), at: now) { return cause }
        gate.wrote(isOn: due.isOn, at: due.time)
        return nil
    }

    /// What one writer's lines tell, those of the next do not.
    private mutating func noticeIdentity() {
        guard let writer, suspension == nil else { return }
        let identity = writer.identity(in: .facts)
        if self.identity != identity { forgetWritten() }
        self.identity = identity
    }

    /// Once the gate is off, content from before is not written either, as far as it can be stopped.
    ///
    /// - Parameter time: When it was switched; nil where it has stood so.
    mutating func learnGate(isOnDeviceAIEnabled: Bool, since time: Int64?) {
        gate.learn(isOn: isOnDeviceAIEnabled, since: time)
        if isOnDeviceAIEnabled { return }
        status.withheldCount += held.removeAll(of: ContentAccess.stream)
        guard let writer else { return }
        writer.withdraw(ContentAccess.stream)
        gatherRefusals(writer)
    }

    private mutating func countClosed() {
        status.refusedCounts["closed", default: 0] += 1
    }

    private mutating func reduce<Made>(_ body: (inout FactReducer) -> Made) -> Made {
        let before = reducer.replacedCount
        let made = body(&reducer)
        status.replacedCount += reducer.replacedCount - before
        return made
    }

    private mutating func demandKey() {
        let monotonicTime = setup.options.clock.monotonicTime()
        guard !reducer.hasKey, askingForKey.isDue(at: monotonicTime) else { return }
        do throws(LogError) {
            reducer = FactReducer(key: try ContentAccess.key(of: setup.directory))
        } catch {
            askingForKey.failed(at: monotonicTime)
        }
    }

    // MARK: Lines

    /// Nil where the log took the fact, or holds it; else why not.
    private mutating func append(_ fact: Fact, at now: Int64) -> GapCause? {
        line.removeAll(keepingCapacity: true)
        fact.encode(into: &line)
        return put(line, into: .facts, eventTime: fact.time, at: now)
    }

    /// Follows a fact that was taken.
    private mutating func append(_ content: ContentLine, time: Int64, at now: Int64) {
        line.removeAll(keepingCapacity: true)
        content.encode(into: &line)
        _ = put(line, into: ContentAccess.stream, eventTime: time, at: now)
    }

    private mutating func put(
        _ line: [UInt8], into stream: LogStream, eventTime: Int64, at now: Int64
    ) -> GapCause? {
        if suspension != nil {
            if held.hold(line, for: stream, eventTime: eventTime) { return nil }
            count(.init(stream: stream.kind, cause: .bufferFull, refused: 1, since: now))
            return .bufferFull
        }
        guard let writer = openWriter(at: now) else {
            count(.init(stream: stream.kind, cause: openingCause, refused: 1, since: now))
            return openingCause
        }
        return write(line, into: stream, eventTime: eventTime, with: writer, at: now)
    }

    private mutating func write(
        _ line: [UInt8], into stream: LogStream, eventTime: Int64, with writer: LogWriter,
        at now: Int64
    ) -> GapCause? {
        setup.upkeep.beginIfDue()
        let outcome = writer.append(line, to: stream, eventTime: eventTime)
        gatherRefusals(writer)
        if case .refused(let cause) = outcome { return GapCause(cause) }
        switch stream.kind {
        case .facts: status.recordedCount += 1
        case .content: status.contentCount += 1
        }
        report(gaps.take(stream.kind), to: writer, at: now)
        return nil
    }

    /// Opens the log where it is not open, and gives it what was held. Nil where that fails.
    private mutating func openWriter(at now: Int64) -> LogWriter? {
        if let writer { return writer }
        let monotonicTime = setup.options.clock.monotonicTime()
        guard opening.isDue(at: monotonicTime) else { return nil }
        do throws(LogError) {
            setup.directory.makeParents()
            let opened = try LogWriter(setup.directory, options: setup.options)
            writer = opened
            identity = opened.identity(in: .facts)
            opening = Retry()
            setup.upkeep.begin()
            handOver(to: opened, at: now)
            return opened
        } catch {
            openingCause = GapCause(error)
            opening.failed(at: monotonicTime)
            return nil
        }
    }

    private mutating func handOver(to writer: LogWriter, at now: Int64) {
        for line in held.take() {
            _ = write(
                line.bytes, into: line.stream, eventTime: line.eventTime, with: writer, at: now)
        }
    }

    /// Each opening has its own catalogs and gate fact, so that they outlive older segments.
    private mutating func forgetWritten() {
        catalogs.forgetWritten()
        gate.forgetWritten()
    }

    // MARK: Gaps

    /// Takes over what the writer refused, also on its own thread since last asked.
    mutating func gatherRefusals(_ writer: LogWriter) {
        var refusals = writer.takeRefusals()
        for withdrawn in refusals where withdrawn.cause == .withdrawn {
            status.contentCount -= Int(clamping: withdrawn.count)
            status.withheldCount += Int(clamping: withdrawn.count)
        }
        refusals.removeAll { $0.cause == .withdrawn }
        // Catalogs and the gate may be among the lines that went with a deleted log.
        if !refusals.isEmpty { forgetWritten() }
        for refusal in refusals {
            let cause = "\(GapCause(refusal.cause).name)"
            status.refusedCounts[cause, default: 0] += Int(clamping: refusal.count)
        }
        gaps.add(refusals)
    }

    /// Counts what a writer took back because it cannot write it, and tells of it where it still takes facts.
    mutating func countGivenUp(by writer: LogWriter, because cause: GapCause) {
        for taken in writer.takeRefusals() {
            let isWithdrawn = taken.cause == .withdrawn
            switch taken.stream {
            case .facts where isWithdrawn: status.recordedCount -= Int(clamping: taken.count)
            case .content where isWithdrawn: status.contentCount -= Int(clamping: taken.count)
            case .facts, .content: break
            }
            count(
                .init(
                    stream: taken.stream, cause: isWithdrawn ? cause : GapCause(taken.cause),
                    refused: Int64(clamping: taken.count), since: taken.since))
        }
        report(gaps.take(), to: writer, at: setup.now)
    }

    private mutating func count(_ gap: GapLedger.Gap) {
        status.refusedCounts["\(gap.cause.name)", default: 0] += Int(clamping: gap.refused)
        gaps.add(gap)
    }

    /// Tells of gaps in the room that is kept free for it.
    ///
    /// Only called after the log took a line without that room, or wrote everything: then there
    /// is enough of it. Gaps of content wait for content that is taken, else every fact in a time
    /// without space would have its own.
    private mutating func report(_ gaps: [GapLedger.Gap], to writer: LogWriter, at now: Int64) {
        for gap in gaps {
            line.removeAll(keepingCapacity: true)
            Fact.logGap(LogGapFact(gap, id: setup.randomID(), time: now)).encode(into: &line)
            let outcome = writer.appendReserved(line, to: .facts, eventTime: now)
            if case .refused = outcome { self.gaps.add(gap) }
        }
    }

    // MARK: Flushing, suspension and the end

    /// The writer, if there is one.
    var openedWriter: LogWriter? { writer }

    /// Whether lines wait that no writer has, or were refused since the log cannot be opened.
    var isBehind: Bool { opening.hasFailed || !held.isEmpty }

    /// Tells of all gaps after everything was written; true where there were any.
    mutating func reportGaps(to writer: LogWriter) -> Bool {
        gatherRefusals(writer)
        let pending = gaps.take()
        report(pending, to: writer, at: setup.now)
        return !pending.isEmpty
    }

    /// Holds all lines from now on. What was held before is the writer's to write.
    ///
    /// - Returns: The number of this suspension, for ``takeWriter(of:)``.
    mutating func suspend() -> Int {
        resume()
        // What waits from now on goes to another writer.
        forgetWritten()
        suspensionCount += 1
        suspension = suspensionCount
        return suspensionCount
    }

    /// Holds no more lines, and opens the log if there are any.
    mutating func resume() {
        suspension = nil
        if held.isEmpty { return }
        let now = setup.now
        if let writer { handOver(to: writer, at: now) } else { _ = openWriter(at: now) }
    }

    /// Lets go of the writer, which the next line replaces.
    mutating func takeWriter() -> LogWriter? {
        defer { (writer, identity) = (nil, nil) }
        return writer
    }

    /// The same, unless something ended that suspension: then there may be newer lines in it.
    mutating func takeWriter(of number: Int) -> LogWriter? {
        suspension == number ? takeWriter() : nil
    }

    /// Refuses all lines from now on, and lets go of who told it. What was held and has no writer is
    /// lost.
    mutating func beginClosing() -> [ObservationSource] {
        resume()
        isClosed = true
        let lost = held.take().count
        if lost > 0 { status.refusedCounts["\(openingCause.name)", default: 0] += lost }
        defer { sources = [] }
        return sources
    }

    /// The latest of one teller counts.
    mutating func follow(_ source: ObservationSource) {
        sources.removeAll { source.hasTeller(of: $0) }
        sources.append(source)
    }
}

extension Fact {
    /// Whether it may be reported.
    fileprivate var isEvent: Bool {
        switch self {
        case .aiSuppressed, .formInference: true
        case .evaluation, .catalog, .gate, .logGap, .testResult: false
        }
    }

    /// The evaluation that an event names; nil for none, and for what is no event.
    fileprivate var evaluation: UniqueID? {
        switch self {
        case .aiSuppressed(let fact): fact.evaluation
        case .formInference(let fact):
            fact.evaluation == FactReducer.noEvaluation ? nil : fact.evaluation
        case .evaluation, .catalog, .gate, .logGap, .testResult: nil
        }
    }
}

extension ObservedDuration {
    /// Microseconds, 0 where none are known.
    fileprivate var elapsed: Int64 {
        guard case .microseconds(let count) = self else { return 0 }
        return min(max(count, 0), Decimal.durationMax)
    }
}
