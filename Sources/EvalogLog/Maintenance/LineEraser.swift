// Erasing: every copy of a chosen line gives way to a tombstone, and what cannot be read goes.

/// What erasing did to one stream.
package struct EraseReport: Sendable {
    /// Distinct lines that were chosen and are tombstones now.
    package fileprivate(set) var lineCount: UInt64 = 0
    /// Chosen lines that writers appended in segments which began after the erasing did: they stay.
    package fileprivate(set) var laterCount: UInt64 = 0
    /// Chosen lines that stay because their segment could not be rewritten.
    package fileprivate(set) var heldCount: UInt64 = 0
    /// Files that could not be rewritten: writers did not end them in time, or something else
    /// changes them.
    package fileprivate(set) var heldNames: [String] = []
    /// Segments of a later version, which this one cannot read whole.
    package fileprivate(set) var newerNames: [String] = []
    package fileprivate(set) var rewrittenCount = 0
    /// Lines and bytes that could not be read and are gone now.
    package fileprivate(set) var unreadableCount: UInt64 = 0
    package fileprivate(set) var damagedByteCount: Int64 = 0
    /// Files of damaged bytes deleted from `LOG/aside/`.
    package fileprivate(set) var asideCount = 0
    /// Names that are no segments, and were not looked into.
    package fileprivate(set) var foreignNames: [String] = []

    /// Whether no chosen line is left but those appended meanwhile.
    package var isComplete: Bool { heldNames.isEmpty && newerNames.isEmpty }
}

/// Erases lines of one stream.
package struct LineEraser {
    private let lock: MaintenanceLock
    private let stream: LogStream
    private let timing: MaintenanceTiming
    private let threads: Int
    private let makeID: @Sendable () -> WriterID

    /// - Parameter makeID: Draws the ids of segments with tombstones.
    package init(
        _ lock: MaintenanceLock, _ stream: LogStream, threads: Int = 1,
        timing: MaintenanceTiming = .init(),
        makeID: @escaping @Sendable () -> WriterID = { .random() }
    ) {
        self.lock = lock
        self.stream = stream
        self.threads = threads
        self.timing = timing
        self.makeID = makeID
    }

    private var directory: LogDirectory { lock.directory }

    /// Asks live writers to end their segments, waits for them a bounded time, and replaces every
    /// chosen line by a tombstone; those that go last once no other is left.
    ///
    /// Segments are rewritten one after the other, and what is done stays done: after an error or a
    /// kill the same call goes on. Lines that come after the call are not chosen.
    ///
    /// - Parameters:
    ///   - shouldStop: Asked between blocks. What was erased by then is; the report is of no use.
    ///   - prepare: Called with lines before they go, and before others do later.
    ///   - tombstone: What stands in for a line.
    /// - Throws: `LogError` where a file cannot be read or written.
    package func run(
        shouldStop: () -> Bool = { false },
        progress: (@Sendable (ReadProgress) -> Void)? = nil,
        prepare: (_ chosen: SequencesByWriter) throws -> Void = { _ in },
        tombstone:
            @escaping @Sendable (
                _ worker: Int, _ line: UnsafeRawBufferPointer
            ) -> Tombstone = { _, _ in .plain },
        verdict: @escaping @Sendable (_ worker: Int, _ line: UnsafeRawBufferPointer) -> LineVerdict
    ) throws -> EraseReport {
        try dropCovered()
        let settling = SegmentSettling(lock, stream.kind, timing: timing)
        let rewriter = SegmentRewriter(
            lock, stream, damaged: .dropped, clock: timing.clock, makeID: makeID)
        var temporaries = try settling.temporaries()
        var state = EraseState(held: Set(try settling.endSegments()))
        temporaries = try settling.wait(for: temporaries, patience: 0)
        var hasWaited = false
        for _ in 0..<LogLimits.rescanCount {
            let survey = try EraseSurvey.run(
                directory, stream, threads: threads, progress: progress, tombstone: tombstone,
                verdict: verdict)
            try prepare(survey.chosen)
            state.sparesLast = state.sparesLast && !survey.last.isEmpty
            let isDone = try state.rewrite(survey, by: rewriter, shouldStop: shouldStop)
            if shouldStop() { return state.report(survey, unsettled: temporaries) }
            guard isDone else { continue }
            let recent = temporaries + state.recent
            if !recent.isEmpty, !hasWaited {
                let patience = LogLimits.deadSegmentAge + LogLimits.rollPatience
                temporaries = try settling.wait(for: recent, patience: patience)
                    .filter(temporaries.contains)
                hasWaited = true
                continue
            }
            var report = state.report(survey, unsettled: temporaries)
            if state.sparesLast, report.isComplete {
                state.sparesLast = false
                continue
            }
            try clearAside(&report)
            // A power cut brings nothing back, nor takes away what keeps copies from coming back.
            _ = try directory.syncFolders(of: stream.kind)
            return report
        }
        throw LogError.unsteady(path: "\(directory.path)/\(stream.kind.name)")
    }

    /// Replaces lines in older copies of what was erased before: of a log that was copied, of a
    /// segment that was restored. Readers pass over them as it is; then they are gone from the files.
    ///
    /// Asks no writer for anything and leaves damaged bytes where they are, or in `LOG/aside/`.
    /// - Parameter shouldStop: Asked between blocks. What was done by then is; the count is of no use.
    /// - Returns: How many lines that were.
    /// - Complexity: Headers only, unless there is such a copy.
    package func eraseReturned(shouldStop: () -> Bool = { false }) throws -> UInt64 {
        guard EraseSurvey.mayHaveReturned(try LogCatalog.scan(directory, stream)) else { return 0 }
        var lineCount = try dropCovered()
        // A copy that ends without a seal belongs to no writer here.
        let rewriter = SegmentRewriter(
            lock, stream, damaged: .keptAside, deadAge: .min, clock: timing.clock, makeID: makeID)
        var state = EraseState(held: [])
        for _ in 0..<LogLimits.rescanCount {
            var survey = try EraseSurvey.run(directory, stream, threads: threads) { _, line in
                Tombstone(line) == nil ? .keep : .erased
            }
            survey.sparesDamage()
            if try state.rewrite(survey, by: rewriter, shouldStop: shouldStop) || shouldStop() {
                lineCount += state.report(survey, unsettled: []).lineCount
                return lineCount
            }
        }
        throw LogError.unsteady(path: "\(directory.path)/\(stream.kind.name)")
    }

    /// Deletes copies whose every line stands in a merged file as well, as it does where the copy of
    /// a segment comes back that was rewritten, or where a kill left both.
    ///
    /// - Returns: How many lines had been erased of what went.
    @discardableResult
    private func dropCovered() throws(LogError) -> UInt64 {
        try LogMaintainer(lock, stream, timing: timing).dropCovered()
    }

    private func clearAside(_ report: inout EraseReport) throws(LogError) {
        let folder = AsideFolder(of: directory)
        let files = try folder.files(of: stream.kind)
        try folder.delete(files)
        report.asideCount += files.count
    }
}

/// What was done so far, and what the last look found that could not be done.
private struct EraseState {
    /// Segments whose writers did not end them when they were asked to.
    let held: Set<String>
    /// Segments whose writers seem dead, but not for long enough.
    private(set) var recent: [String] = []
    /// Whether there may be lines that have to go before others.
    var sparesLast = true

    private var report = EraseReport()
    private var done: SequencesByWriter = [:]
    private var later: SequencesByWriter = [:]
    private var left: SequencesByWriter = [:]

    init(held: Set<String>) { self.held = held }

    /// Rewrites what a survey found; false where a file is no longer the one that was surveyed.
    mutating func rewrite(
        _ survey: EraseSurvey, by rewriter: SegmentRewriter, shouldStop: () -> Bool
    ) throws(LogError) -> Bool {
        let (sparesLast, traces) = (sparesLast, survey.traces)
        (recent, later, left) = ([], [:], sparesLast ? survey.last : [:])
        (report.heldNames, report.newerNames) = ([], [])
        var isSteady = true
        for (segment, victims) in survey.segmentsToRewrite(sparesLast: sparesLast) {
            let outcome =
                segment.state == .live
                ? .live
                : try rewriter.rewrite(
                    segment.name, among: traces, unread: survey.unread, shouldStop: shouldStop
                ) { survey.victims(in: $0, sparesLast: sparesLast) }
            isSteady = take(outcome, of: segment, victims) && isSteady
        }
        return isSteady
    }

    /// Takes note of what became of a segment; false where it is no longer the one that was surveyed.
    private mutating func take(
        _ outcome: RewriteOutcome, of segment: LogCatalog.Segment, _ victims: SequencesByWriter
    ) -> Bool {
        let name = segment.name.description
        switch outcome {
        case .rewritten(let rewritten):
            report.add(rewritten)
            done.formUnion(victims)
        case .live where segment.state == .live && !held.contains(name):
            later.formUnion(victims)
        case .live:
            report.heldNames.append(name)
            left.formUnion(victims)
            if segment.state != .live { recent.append(name) }
        case .newerVersion:
            report.newerNames.append(name)
            left.formUnion(victims)
        case .vanished, .stopped: return false
        }
        return true
    }

    /// What came of it all.
    func report(_ survey: EraseSurvey, unsettled: [String]) -> EraseReport {
        var report = report
        report.lineCount = done.lineCount
        report.laterCount = later.lineCount
        report.heldCount = left.lineCount
        report.heldNames += unsettled
        report.foreignNames = survey.foreignNames
        return report
    }
}

extension EraseReport {
    fileprivate mutating func add(_ rewritten: RewriteReport) {
        rewrittenCount += 1
        unreadableCount += rewritten.unreadableCount
        damagedByteCount += rewritten.damagedByteCount
    }
}
