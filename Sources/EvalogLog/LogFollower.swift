// Follows a stream while it grows: by position, never by time or file name, so that rolls,
// copies, merges and deletions neither repeat nor hide a line.

/// Delivers each new line of a stream once, in each writer's order.
///
/// Between polls no file is open, and what is kept of a segment is where its scan stopped. A
/// segment that has not changed costs one status call.
package final class LogFollower {
    /// What a poll came across besides lines.
    package struct Report: Sendable {
        package var lineCount: UInt64 = 0
        /// Damage seen for the first time.
        package var damages: [Damage] = []
        /// Segments that became shorter under their writer.
        package var truncated: [String] = []
        /// Segments deleted, moved or merged since the last poll.
        package var vanished: [String] = []
    }

    /// A segment as it was left, without the blocks found in it.
    private struct Known {
        var status: FileStatus
        var scan: SegmentScan
    }

    /// Everything delivered, and where it started.
    package private(set) var position: Position

    private let directory: LogDirectory
    private let stream: LogStream
    private let isWanted: (BlockHeader) -> Bool
    private var known: [SegmentName: Known] = [:]
    private var reported: Set<Damage>

    /// - Parameters:
    ///   - position: Lines that are not to be delivered.
    ///   - damages: Damage that is not to be reported again.
    ///   - isWanted: Asked once for each block; one that is not wanted counts as delivered.
    package init(
        _ directory: LogDirectory, _ stream: LogStream, from position: Position = .init(),
        knowing damages: [Damage] = [],
        where isWanted: @escaping (BlockHeader) -> Bool = { _ in true }
    ) {
        reported = Set(damages)
        self.isWanted = isWanted
        self.directory = directory
        self.stream = stream
        self.position = position
    }

    /// Looks once and delivers what is new.
    ///
    /// - Parameter body: Called with a block on loan. Once it returns, its lines count as
    ///   delivered; where it throws, they come again with the next poll.
    /// - Throws: `LogError` where a file cannot be read, or the body's error.
    package func poll(_ body: (LineBlock) throws -> Void) throws -> Report {
        var report = Report()
        for _ in 0..<LogLimits.rescanCount {
            // A file that vanishes may be on its way into another: look again before anything
            // is delivered, or a writer's later lines would come before its earlier ones.
            guard let (news, seen) = try gather(&report) else { continue }
            guard try deliver(news, &report, body) else { continue }
            report.vanished = known.keys.filter { seen[$0] == nil }.sorted().map(\.description)
            // Only now: what was found and not delivered has to be found again.
            known = seen
            report.damages = Damage.normalized(report.damages).filter {
                reported.insert($0).inserted
            }
            return report
        }
        throw LogError.unsteady(path: "\(directory.path)/\(stream.kind.name)")
    }

    // MARK: Looking

    /// What is new, and what will be known once it is delivered; nil where a file is gone.
    private func gather(
        _ report: inout Report
    ) throws(LogError) -> (news: LogCatalog, seen: [SegmentName: Known])? {
        var news = LogCatalog()
        var seen: [SegmentName: Known] = [:]
        let listing = try directory.list(stream)
        guard let folder = try directory.openFolder(of: stream.kind) else {
            return (news, seen)
        }
        defer { directory.disk.close(folder) }
        seen.reserveCapacity(listing.segments.count)
        for entry in listing.segments {
            if let before = known[entry.name], before.status == entry.status {
                seen[entry.name] = before
                continue
            }
            let found = try directory.withSegment(entry.name, in: folder) {
                scanner throws(DiskError) in try look(at: entry.name, scanner, &report)
            }
            guard var now = found else { return nil }
            news.add(entry.name, now.status, now.scan)
            now.scan.forgetFindings()
            seen[entry.name] = now
        }
        report.damages += news.damages
        return (news, seen)
    }

    /// Scans what is new in a segment since the last look.
    private func look(
        at name: SegmentName, _ scanner: SegmentScanner, _ report: inout Report
    ) throws(DiskError) -> Known {
        let status = try scanner.status()
        if let before = known[name], before.status.inode == status.inode {
            if status.byteCount >= before.scan.offset {
                var scan = before.scan
                try scanner.advance(&scan)
                return Known(status: status, scan: scan)
            }
            report.truncated.append(name.description)
        }
        var scan = SegmentScan()
        if let seal = try scanner.closingSeal(byteCount: status.byteCount),
            position[stream.kind][seal.writer]?.contains(seal.sequences) == true
        {
            scan.skip(toSeal: seal, end: status.byteCount)
        } else {
            try scanner.advance(&scan)
        }
        return Known(status: status, scan: scan)
    }

    // MARK: Delivering

    /// false where a file changed between the look and the reading.
    private func deliver(
        _ news: LogCatalog, _ report: inout Report, _ body: (LineBlock) throws -> Void
    ) throws -> Bool {
        let reader = BlockReader(directory, stream.kind)
        var failed: Set<Int> = []
        while true {
            let tasks = ReadPlan.tasks(
                news.blocks, done: position[stream.kind], failed: failed)
            let failedBefore = failed.count
            for task in DeliveryOrder.sorted(tasks, news.blocks) {
                let header = news.blocks[task.block].header
                guard isWanted(header) else {
                    position.insert(task.wanted, of: header.writer, in: stream.kind)
                    continue
                }
                switch try reader.read(task, of: news) {
                case .vanished:
                    return false
                case .damaged(let damage):
                    failed.insert(task.block)
                    report.damages.append(damage)
                case .lines(let block):
                    try body(block)
                    position.insert(task.wanted, of: block.header.writer, in: stream.kind)
                    report.lineCount += task.wanted.count
                }
            }
            if failed.count > failedBefore { continue }
            // What was erased must not come back with an older copy that is found later.
            for header in failed.map({ news.blocks[$0].header }) where header.generation > 0 {
                position.insert(
                    SequenceSet(header.sequences), of: header.writer, in: stream.kind)
            }
            return true
        }
    }
}
