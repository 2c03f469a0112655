// Everything that a recorder changes, under its lock: an observation becomes lines, lines go into
// the writer's memory, and what was refused is remembered until it can be told.

import EvalogContent
import EvalogFacts
import EvalogLog
import EvalogText

/// Something that may be tried again after a while that doubles with each failure.
private struct Retry {
    private var delay: Int64 = 0
    private var due = Int64.min

    var hasFailed: Bool { delay > 0 }

    func isDue(at monotonicTime: Int64) -> Bool { monotonicTime >= due }

    mutating func failed(at monotonicTime: Int64) {
        delay = min(max(delay * 2, RecordingLimits.retryDelay), RecordingLimits.retryDelayMax)
        due = monotonicTime + delay
    }
}

/// What a recorder knows and counts. One caller at a time; nothing here waits for lines to be written.
///
/// The key comes with the first text that needs a digest, and stays. Where it cannot be had, the
/// fact is recorded without that text, which is counted, and the key is asked for again later.
struct RecorderState {
    /// What is known of the privacy gate.
    private enum Gate { case unknown, on, off }

    private(set) var status = RecorderStatus()
    private(set) var isClosed = false
    /// What to do at the end, by who asked for it.
    var closers: [ObjectIdentifier: @Sendable (EvaluationRecorder) -> Void] = [:]

    private let setup: RecorderSetup
    private var writer: LogWriter?
    private var opening = Retry()
    /// Why the log could not be opened the last time.
    private var openingCause = GapCause.ioError
    private var reducer = FactReducer(key: nil)
    private var askingForKey = Retry()
    private var gate = Gate.unknown
    private var evaluations: Recent<UniqueID, Void>
    private var catalogs: Recent<String, ReportCatalog>
    /// The catalogs that the writer took, by field.
    private var writtenCatalogs: Recent<String, ReportCatalog>
    private var gaps = GapLedger()
    /// One line at a time; kept for its memory.
    private var line: [UInt8] = []

    init(_ setup: RecorderSetup) {
        self.setup = setup
        evaluations = Recent(countMax: RecordingLimits.rememberedEvaluationCount)
        catalogs = Recent(countMax: RecordingLimits.rememberedCatalogCount)
        writtenCatalogs = catalogs
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
        if fact.reason == .aiDisabled, gate == .unknown {
            // Nobody said that it is off, but off it is until somebody says that it is on.
            gate = .off
        }
        // Remembered also if refused: the event that names it is no orphan.
        evaluations.remember(fact.id, ())
        guard append(.evaluation(fact), at: now),
            let content = setup.content.line(of: observation, for: fact)
        else { return }
        if gate == .off {
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
        case .gate(let isEnabled): learnGate(isOnDeviceAIEnabled: isEnabled)
        case .formInference(_, let field, _, _): catalog = catalogs[field]
        case .catalog(let field, let values):
            let made = reduce { $0.reportable(values) }
            catalogs.remember(field, made)
            // Forms tell theirs each time they are made.
            if writer != nil, writtenCatalogs[field] == made { return }
            catalog = made
        case .suppressed: break
        }
        let fact = reduce { [setup] reducer in
            reducer.fact(of: report, id: setup.randomID(), time: now, catalog: catalog)
        }
        if let named = fact.evaluation, evaluations[named] == nil { status.orphanCount += 1 }
        guard append(fact, at: now), case .catalog(let field, _) = report.kind, let catalog else {
            return
        }
        writtenCatalogs.remember(field, catalog)
    }

    mutating func learnGate(isOnDeviceAIEnabled: Bool) { gate = isOnDeviceAIEnabled ? .on : .off }

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

    /// True where the log took the fact.
    @discardableResult
    private mutating func append(_ fact: Fact, at now: Int64) -> Bool {
        guard let writer = openWriter(at: now) else { return false }
        line.removeAll(keepingCapacity: true)
        fact.encode(into: &line)
        let outcome = writer.append(line, to: .facts, eventTime: fact.time)
        gatherRefusals(writer)
        guard case .accepted = outcome else { return false }
        status.recordedCount += 1
        report(gaps.take(.facts), to: writer, at: now)
        return true
    }

    private mutating func append(_ content: ContentLine, time: Int64, at now: Int64) {
        guard let writer else { return }
        line.removeAll(keepingCapacity: true)
        content.encode(into: &line)
        let outcome = writer.append(line, to: ContentAccess.stream, eventTime: time)
        gatherRefusals(writer)
        guard case .accepted = outcome else { return }
        status.contentCount += 1
        report(gaps.take(.content), to: writer, at: now)
    }

    /// Opens the log where it is not open. Nil where that fails; the line counts as refused then.
    private mutating func openWriter(at now: Int64) -> LogWriter? {
        if let writer { return writer }
        let monotonicTime = setup.options.clock.monotonicTime()
        if opening.isDue(at: monotonicTime) {
            do throws(LogError) {
                try setup.directory.makeWithParents()
                let opened = try LogWriter(setup.directory, options: setup.options)
                writer = opened
                // Each opening has its own, so that they outlive older segments.
                forgetWrittenCatalogs()
                opening = Retry()
                let expiry = ContentExpiry(directory: setup.directory, days: setup.content.days)
                setup.inBackground { expiry.run(at: now) }
                return opened
            } catch {
                openingCause = GapCause(error)
                opening.failed(at: monotonicTime)
            }
        }
        count(GapLedger.Gap(stream: .facts, cause: openingCause, refused: 1, since: now))
        return nil
    }

    private mutating func forgetWrittenCatalogs() {
        writtenCatalogs = Recent(countMax: RecordingLimits.rememberedCatalogCount)
    }

    // MARK: Gaps

    /// Takes over what the writer refused, also on its own thread since last asked.
    private mutating func gatherRefusals(_ writer: LogWriter) {
        let refusals = writer.takeRefusals()
        // A catalog may be among the lines that went with a deleted log.
        if !refusals.isEmpty { forgetWrittenCatalogs() }
        for refusal in refusals {
            let cause = "\(GapCause(refusal.cause).name)"
            status.refusedCounts[cause, default: 0] += Int(clamping: refusal.count)
        }
        gaps.add(refusals)
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

    // MARK: Flushing and the end

    /// The writer, if there is one.
    var openedWriter: LogWriter? { writer }

    /// Whether the log could not be opened when it was last needed: lines were refused since.
    var cannotOpen: Bool { opening.hasFailed }

    /// Tells of all gaps after everything was written; true where there were any.
    mutating func reportGaps(to writer: LogWriter) -> Bool {
        gatherRefusals(writer)
        let pending = gaps.take()
        report(pending, to: writer, at: setup.now)
        return !pending.isEmpty
    }

    /// Lines that the log took.
    var lineCount: Int { status.recordedCount + status.contentCount }

    /// Lets go of the writer, which the next line replaces.
    mutating func takeWriter() -> LogWriter? {
        defer { writer = nil }
        return writer
    }

    /// Refuses all lines from now on.
    mutating func beginClosing() { isClosed = true }
}

extension Fact {
    /// The evaluation that an event names; nil for none, and for what is no event.
    fileprivate var evaluation: UniqueID? {
        switch self {
        case .aiSuppressed(let fact): fact.evaluation
        case .formInference(let fact):
            fact.evaluation == FactReducer.noEvaluation ? nil : fact.evaluation
        case .evaluation, .catalog, .gate, .logGap: nil
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
