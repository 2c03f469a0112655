// One segment → the same lines, sealed, without what no reader understands, and with tombstones in
// the place of those that a caller chose. Under the maintenance lock; live writers' segments stay
// as they are.

/// What becomes of bytes that no reader understands when their segment is rewritten.
package enum DamagedBytes: Hashable, Sendable {
    /// They are copied to `LOG/aside/`.
    case keptAside
    /// They go: they may hold what is to be erased.
    case dropped
}

/// What became of a segment.
package enum RewriteOutcome: Hashable, Sendable {
    case rewritten(RewriteReport)
    /// A live writer holds it, or it has not been left alone for long enough.
    case live
    /// It is gone, or it is no longer the file that was looked at.
    case vanished
    /// It holds members of a later version of the format, which a rewriting would lose.
    case newerVersion
    /// Somebody wanted an end; it is as it was.
    case stopped
}

/// What rewriting a segment did to its lines.
package struct RewriteReport: Hashable, Sendable {
    /// Lines that others stand in for now.
    package var replacedCount: UInt64 = 0
    /// Lines that could not be read and are known holes now, or replaced ones still.
    package var unreadableCount: UInt64 = 0
    /// Bytes that no reader understood.
    package var damagedByteCount: Int64 = 0

    package init() {}
}

/// Rewrites segments of one stream, one after the other.
///
/// A line that stays keeps its bytes, sequence, generation and times; blocks without a line to
/// replace are copied as they are compressed. Replaced lines get blocks of their own with the next
/// generation, which wins over any copy. The new segment takes the name of the old one, unless lines were
/// replaced: then it is a merged file with a name of its own, so that a copy of the old one that
/// comes back under its name does not take the replacements' place. A kill leaves the old
/// segment, the new one, or both, which count once.
package final class SegmentRewriter {
    let directory: LogDirectory
    let kind: StreamKind
    let clock: any LogClock
    let damaged: DamagedBytes
    let deadAge: Int64
    private let makeID: @Sendable () -> WriterID
    let reader: BlockReader
    let deflater = Deflater(level: 6)

    /// - Parameters:
    ///   - deadAge: How long nobody has modified a segment that a writer left unsealed.
    ///   - makeID: Draws the ids of merged files.
    package init(
        _ lock: MaintenanceLock, _ stream: LogStream, damaged: DamagedBytes,
        deadAge: Int64 = LogLimits.deadSegmentAge, clock: any LogClock = SystemClock(),
        makeID: @escaping @Sendable () -> WriterID = { .random() }
    ) {
        directory = lock.directory
        kind = stream.kind
        self.clock = clock
        self.damaged = damaged
        self.deadAge = deadAge
        self.makeID = makeID
        reader = BlockReader(lock.directory, stream.kind)
    }

    /// Rewrites a segment.
    ///
    /// - Parameters:
    ///   - traces: What all segments tell of each writer: whether one that left no seal went on
    ///     elsewhere.
    ///   - unread: Those in whose place ``Tombstone/unread`` goes.
    ///   - shouldStop: Asked between blocks.
    ///   - replaced: The lines of a block to replace.
    /// - Throws: `LogError` where a file cannot be read or written; the segment is as it was then.
    package func rewrite(
        _ name: SegmentName, among traces: WriterTraces, unread: SequencesByWriter = [:],
        shouldStop: () -> Bool = { false },
        replacing replaced: (BlockHeader) -> SequenceSet
    ) throws(LogError) -> RewriteOutcome {
        let disk = directory.disk
        guard let folder = try directory.openFolder(of: kind) else { return .vanished }
        defer { disk.close(folder) }
        let handle: DiskHandle
        do {
            handle = try disk.openFile(name.description, in: folder)
        } catch  where error.isMissing {
            return .vanished
        } catch {
            throw .disk(directory.located(error, in: kind, name: name.description))
        }
        defer { disk.close(handle) }
        let state = try directory.locating(kind, name.description) { () throws(DiskError) in
            try settle(name, handle)
        }
        switch state {
        case .live: return .live
        case .changing: return .vanished
        case .settled(let status, let scan):
            if scan.damages.contains(where: { $0.reason == .newerVersion }) { return .newerVersion }
            let replaces = scan.blocks.contains { block in
                let lines = SequenceSet(block.header.sequences)
                return !lines.intersection(replaced(block.header)).isEmpty
            }
            let newName = replaces ? SegmentName(merged: makeID(), after: name) : name
            let rewriting = try SegmentRewriting(
                self, name, (folder, handle), (status, scan), as: newName,
                among: traces, unread: unread)
            return try rewriting.run(shouldStop: shouldStop, replacing: replaced)
        }
    }

    /// How a segment was found.
    private enum State {
        case settled(FileStatus, SegmentScan)
        case live
        case changing
    }

    /// Looks at a segment, and makes sure that nobody goes on writing it.
    private func settle(_ name: SegmentName, _ handle: DiskHandle) throws(DiskError) -> State {
        let disk = directory.disk
        let status = try disk.status(of: handle)
        let scan = try SegmentScanner(name, handle, on: disk).scan()
        if !scan.isSealed {
            let age = clock.wallTime() - status.modified / 1_000
            guard !scan.isLocked, age >= deadAge, try disk.hasNoWriter(handle) else {
                return .live
            }
        }
        let now = try disk.status(of: handle)
        guard now.linkCount > 0, now.byteCount == status.byteCount,
            now.modified == status.modified
        else { return .changing }
        return .settled(status, scan)
    }
}
