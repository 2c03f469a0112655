// Carries out a plan for one stream, step after step, under the maintenance lock. Each step leaves the
// log whole, so it may be stopped, or killed, between any two file calls.

/// How much is done at a time.
package struct MaintenanceBudget: Sendable {
    package var segmentCount: Int
    package var byteCount: Int64

    package static let unlimited = Self(segmentCount: .max, byteCount: .max)
    /// For a process that has something else to do.
    package static let inBackground = Self(
        segmentCount: LogLimits.backgroundSegmentCount, byteCount: LogLimits.backgroundByteCount)

    package init(segmentCount: Int, byteCount: Int64) {
        self.segmentCount = segmentCount
        self.byteCount = byteCount
    }

    /// Takes a step's share; false where nothing is left. The last one may be larger than what is, or
    /// what is large would never be done.
    fileprivate mutating func take(_ step: MaintenanceStep) -> Bool {
        guard segmentCount > 0, byteCount > 0 else { return false }
        segmentCount -= step.segments.count
        // Deleting costs the same whatever the size.
        if step.kind != .prune { byteCount -= step.byteCount }
        return true
    }
}

/// What maintenance did to one stream.
package struct MaintenanceReport: Sendable {
    /// What was done of one kind.
    package struct Done: Hashable, Sendable {
        /// Segments, and their bytes, before and after.
        package var segmentCount = 0
        package var byteCount: Int64 = 0
        package var newSegmentCount = 0
        package var newByteCount: Int64 = 0
        /// Lines that were in them.
        package var lineCount: UInt64 = 0
    }

    package fileprivate(set) var done: [MaintenanceStep.Kind: Done] = [:]
    /// Lines that could not be read and are known holes now.
    package fileprivate(set) var unreadableCount: UInt64 = 0
    /// Bytes that no reader understood, which are in `LOG/aside/` now.
    package fileprivate(set) var asideByteCount: Int64 = 0
    /// Files in the making that dead processes left, and kept bytes that had their time.
    package fileprivate(set) var clearedCount = 0
    /// Segments left as they are because they changed meanwhile, or are in use after all.
    package fileprivate(set) var skipped: [SegmentName] = []
    /// Segments that writers hold, or held so lately that nobody may take them for dead.
    package fileprivate(set) var inUse: [SegmentName] = []
    /// Steps that were not begun, because the budget was used up or somebody wanted an end.
    package fileprivate(set) var leftCount = 0
    /// What ended it early. What was done before stays done.
    package fileprivate(set) var failure: LogError?
}

/// Maintains one stream of a log.
package final class LogMaintainer {
    private let directory: LogDirectory
    private let stream: LogStream
    private let rules: MaintenanceRules
    private let timing: MaintenanceTiming
    private let rewriter: SegmentRewriter
    private let lock: MaintenanceLock
    private let makeID: @Sendable () -> WriterID
    private var report = MaintenanceReport()
    private var disk: any Disk { directory.disk }
    private var kind: StreamKind { stream.kind }

    /// - Parameter makeID: Draws the ids of merged files.
    package init(
        _ lock: MaintenanceLock, _ stream: LogStream, rules: MaintenanceRules = .init(),
        timing: MaintenanceTiming = .init(),
        makeID: @escaping @Sendable () -> WriterID = { .random() }
    ) {
        self.lock = lock
        directory = lock.directory
        self.stream = stream
        self.rules = rules
        self.timing = timing
        self.makeID = makeID
        rewriter = SegmentRewriter(
            lock, stream, damaged: .keptAside, clock: timing.clock)
    }

    /// Plans and carries out, until nothing is left to do.
    ///
    /// - Parameters:
    ///   - shouldStop: Asked between steps and blocks; what is half done then is discarded.
    ///   - progress: Called before each step, with how many are done and how many there are.
    /// - Returns: What was done, also where an error ended it.
    package func run(
        budget: MaintenanceBudget = .unlimited,
        shouldStop: () -> Bool = { false },
        progress: (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) -> MaintenanceReport {
        report = MaintenanceReport()
        var budget = budget
        do throws(LogError) {
            try clear(at: timing.clock.wallTime())
            for _ in 0..<LogLimits.maintenancePassCount {
                let catalog = try LogCatalog.scan(
                    directory, stream, countMax: rules.lookCount, wholeUpTo: rules.lookByteCount)
                let plan = MaintenancePlan(catalog, kind, rules, at: timing.clock.wallTime())
                report.inUse = plan.inUse
                let done = report.done
                try carryOut(plan, &budget, shouldStop, progress)
                if report.leftCount > 0 || report.done == done { break }
            }
        } catch {
            report.failure = error
        }
        return report
    }

    private func carryOut(
        _ plan: MaintenancePlan, _ budget: inout MaintenanceBudget, _ shouldStop: () -> Bool,
        _ progress: (Int, Int) -> Void
    ) throws(LogError) {
        let traces = WriterTraces(plan.catalog)
        for (index, step) in plan.steps.enumerated() {
            guard !shouldStop(), budget.take(step) else {
                report.leftCount += plan.steps.count - index
                return
            }
            progress(index, plan.steps.count)
            switch step.kind {
            case .prune: try delete(step, of: plan.catalog)
            case .drop: try drop(step, of: plan.catalog)
            case .finish:
                for name in step.segments { try finish(name, step, traces, shouldStop) }
            case .compact, .merge: try join(step, traces, shouldStop)
            }
        }
    }

    /// Drops segments whose every line a merged file has, and does nothing else.
    ///
    /// - Returns: How many of their lines are not in the merged file as they were, but erased.
    package func dropCovered() throws(LogError) -> UInt64 {
        let catalog = try LogCatalog.scan(directory, stream)
        var outlines = SegmentOutline.all(of: catalog)
        let steps = CoverPlan(catalog).takeSteps(from: &outlines, at: timing.clock.wallTime())
        var later: SequencesByWriter = [:]
        for header in catalog.blocks.map(\.header) where header.generation > 0 {
            later.insert(header)
        }
        var dropped: Set<SegmentName> = []
        for step in steps where try drop(step, of: catalog) { dropped.formUnion(step.segments) }
        var erased: SequencesByWriter = [:]
        for block in catalog.blocks where block.header.generation == 0 {
            guard dropped.contains(catalog.segments[block.segment].name) else { continue }
            erased.insert(later.lines(of: block.header), of: block.header.writer)
        }
        return erased.lineCount
    }

    // MARK: Steps

    @discardableResult
    private func drop(_ step: MaintenanceStep, of catalog: LogCatalog) throws(LogError) -> Bool {
        guard try proveCover(of: step, in: catalog) else {
            report.skipped += step.segments
            return false
        }
        // Whoever made the merged file may have died before its name was on the disk.
        _ = try directory.syncFolders(of: kind)
        try delete(step, of: catalog)
        return true
    }

    private func delete(_ step: MaintenanceStep, of catalog: LogCatalog) throws(LogError) {
        guard let folder = try directory.openFolder(of: kind) else { return }
        defer { disk.close(folder) }
        var deleted = MaintenanceReport.Done()
        let names = Set(step.segments)
        for segment in catalog.segments where names.contains(segment.name) {
            guard try delete(segment, in: folder) else { continue }
            deleted.segmentCount += 1
            deleted.byteCount += segment.status.byteCount
        }
        try directory.locating(kind) { () throws(DiskError) in try disk.syncFolder(folder) }
        deleted.lineCount = step.lineCount
        report.count(deleted, as: step.kind)
    }

    /// Deletes a segment that is still the one in the catalog, and at rest; true where it is gone now.
    private func delete(
        _ segment: LogCatalog.Segment, in folder: DiskHandle
    ) throws(LogError) -> Bool {
        let name = segment.name.description
        return try directory.locating(kind, name) { () throws(DiskError) in
            let handle = try disk.openFile(name, in: folder)
            defer { disk.close(handle) }
            let isAtRest = segment.state == .dead ? try disk.hasNoWriter(handle) : true
            guard isAtRest, try disk.status(of: handle) == segment.status else {
                report.skipped.append(segment.name)
                return false
            }
            try disk.unlink(name, in: folder)
            return true
        }
    }

    /// Whether the merged file that has the lines of segments to drop can be read where it has them.
    private func proveCover(
        of step: MaintenanceStep, in catalog: LogCatalog
    ) throws(LogError) -> Bool {
        let names = Set(step.segments)
        var wanted: SequencesByWriter = [:]
        for block in catalog.blocks where names.contains(catalog.segments[block.segment].name) {
            wanted.insert(block.header)
        }
        for (index, block) in catalog.blocks.enumerated()
        where catalog.segments[block.segment].name == step.cover {
            let lines = wanted.lines(of: block.header)
            if lines.isEmpty { continue }
            let task = ReadTask(block: index, wanted: lines)
            guard case .lines = try rewriter.reader.read(task, of: catalog) else { return false }
        }
        return true
    }

    private func finish(
        _ name: SegmentName, _ step: MaintenanceStep, _ traces: WriterTraces,
        _ shouldStop: () -> Bool
    ) throws(LogError) {
        var finished = MaintenanceReport.Done()
        finished.segmentCount = 1
        finished.byteCount = try byteCount(of: name)
        finished.lineCount = step.kind == .finish ? step.lineCount : 0
        let outcome = try rewriter.rewrite(
            name, among: traces, shouldStop: shouldStop, replacing: { _ in SequenceSet() })
        switch outcome {
        case .rewritten(let rewritten):
            finished.newSegmentCount = 1
            finished.newByteCount = try byteCount(of: name)
            report.count(rewritten)
        case .live, .vanished, .newerVersion:
            report.skipped.append(name)
            return
        case .stopped:
            report.leftCount += 1
            return
        }
        report.count(finished, as: .finish)
    }

    private func join(
        _ step: MaintenanceStep, _ traces: WriterTraces, _ shouldStop: () -> Bool
    ) throws(LogError) {
        let outcome = try SegmentJoin(rewriter).run(
            step.segments, as: makeID(), among: traces, shouldStop: shouldStop)
        switch outcome {
        case .joined(let byteCount):
            var joined = MaintenanceReport.Done()
            joined.segmentCount = step.segments.count
            joined.byteCount = step.byteCount
            joined.newSegmentCount = 1
            joined.newByteCount = byteCount
            joined.lineCount = step.lineCount
            report.count(joined, as: step.kind)
        case .damaged(let name):
            // The next pass joins it.
            try finish(name, step, traces, shouldStop)
        case .changed:
            report.skipped += step.segments
        case .stopped:
            report.leftCount += 1
        }
    }

    private func byteCount(of name: SegmentName) throws(LogError) -> Int64 {
        guard let folder = try directory.openFolder(of: kind) else { return 0 }
        defer { disk.close(folder) }
        return try directory.withSegment(name, in: folder) { scanner throws(DiskError) in
            try scanner.status().byteCount
        } ?? 0
    }

    // MARK: What is no segment

    /// Deletes what dead processes had in the making, and kept bytes of segments that would have had
    /// their time by now.
    private func clear(at now: Int64) throws(LogError) {
        let settling = SegmentSettling(lock, kind, timing: timing)
        let temporaries = try settling.temporaries()
        let left = try settling.wait(for: temporaries, patience: 0)
        let folder = AsideFolder(of: directory)
        let limit = SegmentName.time(of: rules.limit(for: kind, at: now))
        let kept = try folder.files(of: kind).filter {
            $0.utf8.lexicographicallyPrecedes(limit.utf8)
        }
        try folder.delete(kept)
        report.clearedCount = temporaries.count - left.count + kept.count
    }
}

extension MaintenanceReport {
    fileprivate mutating func count(_ more: Done, as kind: MaintenanceStep.Kind) {
        var sum = done[kind] ?? Done()
        sum.segmentCount += more.segmentCount
        sum.byteCount += more.byteCount
        sum.newSegmentCount += more.newSegmentCount
        sum.newByteCount += more.newByteCount
        sum.lineCount += more.lineCount
        done[kind] = sum
    }

    fileprivate mutating func count(_ rewritten: RewriteReport) {
        unreadableCount += rewritten.unreadableCount
        asideByteCount += rewritten.damagedByteCount
    }
}
