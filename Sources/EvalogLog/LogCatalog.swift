// What a stream's folder holds, known from headers alone.

/// All segments of a stream and every block in them.
package struct LogCatalog: Sendable {
    /// How a segment ends.
    package enum State: String, Hashable, Sendable {
        /// Its writer closed.
        case closed
        /// Its writer went on in another segment.
        case rolled
        /// Its last seal ends a merged file.
        case merged
        /// A live writer holds it.
        case live
        /// Neither sealed nor held: its writer died.
        case dead
    }

    package struct Segment: Sendable {
        package var name: SegmentName
        package var status: FileStatus
        package var state: State
        /// Whether bytes behind the last whole block were not understood.
        package var hasTornTail: Bool
        /// Whether those are all of one block, whose header says which lines they were.
        var endsInsideBlock = false
        /// Whether old bytes of another file stand where its own might have gone on.
        var hasStaleTail = false
        /// Whether no more than its last seal was read.
        var isSealOnly = false
        /// The first header, where something lies before it and no seal says what.
        var damagedHead: BlockHeader?
        var first: BlockHeader?
        /// The last run, as far as it is known.
        var last: (writer: WriterID, next: UInt64)?
    }

    package private(set) var segments: [Segment] = []
    package private(set) var damages: [Damage] = []
    package private(set) var ignored: [LogDirectory.Ignored] = []
    var blocks: [BlockEntry] = []
    /// Seals, holes, and headers of blocks cut off: they prove sequences and hold no lines.
    private(set) var marks: [BlockEntry] = []

    /// Every block's header, with its segment's index and its offset there.
    package var headers: [(header: BlockHeader, segment: Int, offset: Int64)] {
        blocks.map { ($0.header, $0.segment, $0.offset) }
    }

    /// The headers of seals and of holes, and of blocks that are cut off: they tell when lines were written
    /// that cannot be read.
    package var lineless: [BlockHeader] { marks.map(\.header) }

    /// Whether all that a segment tells of was appended before a time.
    package func hasSegment(appendedBefore limit: Int64) -> Bool {
        var latest = [Int64?](repeating: nil, count: segments.count)
        for entry in blocks + marks {
            latest[entry.segment] = max(latest[entry.segment] ?? .min, entry.header.appendTime)
        }
        return latest.contains { $0.map { $0 < limit } ?? false }
    }

    /// The greatest event time of each writer's blocks, in µs since 1970.
    package var latestEventTimes: [WriterID: Int64] {
        blocks.lazy.map(\.header).reduce(into: [:]) { times, header in
            times[header.writer] = max(times[header.writer] ?? .min, header.greatestEventTime)
        }
    }

    /// Reads the headers of every segment.
    ///
    /// - Parameters:
    ///   - countMax: Only so many are looked at, in the order of their names.
    ///   - byteCountMax: Of those above, unless merged or unsealed, only the last seal is read.
    /// - Complexity: About one small read for each block; about 130 bytes of memory.
    /// - Throws: `LogError.disk` where a file cannot be read, `.unsteady` where files keep
    ///   vanishing.
    package static func scan(
        _ directory: LogDirectory, _ stream: LogStream, countMax: Int = .max,
        wholeUpTo byteCountMax: Int64 = .max
    ) throws(LogError) -> LogCatalog {
        for _ in 0..<LogLimits.rescanCount {
            var listing = try directory.list(stream)
            listing.segments = Array(listing.segments.prefix(countMax))
            let catalog = try scan(listing, in: directory, stream.kind, wholeUpTo: byteCountMax)
            if let catalog { return catalog }
        }
        throw .unsteady(path: "\(directory.path)/\(stream.kind.name)")
    }

    /// nil where a file of the listing is gone.
    private static func scan(
        _ listing: LogDirectory.Listing, in directory: LogDirectory, _ kind: StreamKind,
        wholeUpTo byteCountMax: Int64
    ) throws(LogError) -> LogCatalog? {
        var catalog = LogCatalog()
        catalog.ignored = listing.ignored
        guard let folder = try directory.openFolder(of: kind) else { return catalog }
        defer { directory.disk.close(folder) }
        for entry in listing.segments {
            let found = try directory.withSegment(entry.name, in: folder) {
                scanner throws(DiskError) in
                let status = try scanner.status()
                if status.byteCount > byteCountMax,
                    let seal = try scanner.closingSeal(byteCount: status.byteCount)
                {
                    return (status, SegmentScan(closing: seal, byteCount: status.byteCount), true)
                }
                return (status, try scanner.scan(), false)
            }
            guard let (status, scan, isSealOnly) = found else { return nil }
            catalog.add(entry.name, status, scan)
            catalog.segments[catalog.segments.count - 1].isSealOnly = isSealOnly
        }
        return catalog
    }

    mutating func add(_ name: SegmentName, _ status: FileStatus, _ scan: SegmentScan) {
        let index = segments.count
        let first = (scan.blocks.first ?? scan.marks.first)?.header
        // A seal says where its run began, whatever is left of that.
        let isHeadKnown = scan.marks.contains {
            $0.header.flags.contains(.seal) && $0.header.writer == first?.writer
        }
        segments.append(
            Segment(
                name: name, status: status, state: State(scan), hasTornTail: scan.hasTornTail,
                endsInsideBlock: scan.endsInsideBlock,
                hasStaleTail: scan.run?.seal == nil && scan.previous?.isTaken == false,
                damagedHead: scan.hasDamagedHead && !isHeadKnown ? first : nil, first: first,
                last: scan.run.map { ($0.writer, $0.next) }))
        damages += scan.damages
        for var block in scan.blocks {
            block.segment = index
            blocks.append(block)
        }
        for var mark in scan.marks {
            mark.segment = index
            marks.append(mark)
        }
    }
}

extension LogCatalog.State {
    init(_ scan: SegmentScan) {
        switch scan.run?.seal {
        case let seal? where !scan.hasTornTail:
            self = seal.contains(.mergedEnd) ? .merged : seal.contains(.final) ? .closed : .rolled
        default:
            self = scan.isLocked ? .live : .dead
        }
    }
}
