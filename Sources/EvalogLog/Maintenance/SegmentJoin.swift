// Several segments → one merged file with the same lines under the same identities: each once, from its
// greatest generation, in as few blocks as may be.

/// What became of segments that were to be joined.
enum JoinOutcome {
    /// The bytes of the merged file.
    case joined(byteCount: Int64)
    /// One of them is gone, changed, damaged or in use.
    case changed
    /// A block of this one cannot be read: it has to be finished first.
    case damaged(SegmentName)
    /// Somebody wanted an end.
    case stopped
}

/// Joins segments of one stream, which nobody writes.
struct SegmentJoin {
    private let directory: LogDirectory
    private let kind: StreamKind
    private let clock: any LogClock
    private let reader: BlockReader
    private let deflater: Deflater

    init(_ rewriter: SegmentRewriter) {
        directory = rewriter.directory
        kind = rewriter.kind
        clock = rewriter.clock
        reader = rewriter.reader
        deflater = rewriter.deflater
    }

    private var disk: any Disk { directory.disk }

    /// Writes the merged file, and deletes what it stands for once the disk has confirmed it.
    ///
    /// - Parameters:
    ///   - names: In the order of their times; the first one's is that of the new file.
    ///   - id: Tells the new file from others.
    ///   - traces: As for `SegmentRewriter.rewrite`.
    ///   - shouldStop: Asked between blocks.
    /// - Throws: `LogError` where a file cannot be read or written; all lines are there then.
    func run(
        _ names: [SegmentName], as id: WriterID, among traces: WriterTraces,
        shouldStop: () -> Bool
    ) throws(LogError) -> JoinOutcome {
        guard let first = names.first, let folder = try directory.openFolder(of: kind) else {
            return .changed
        }
        defer { disk.close(folder) }
        guard let catalog = try scan(names, in: folder) else { return .changed }
        let name = SegmentName(merged: id, after: first)
        let draft = try writing { () throws(DiskError) in
            try SegmentDraft(name, in: folder, on: disk, deflater: deflater)
        }
        do {
            for writer in WriterLines.all(of: catalog, among: traces) {
                if let obstacle = try add(writer, of: catalog, to: draft, shouldStop) {
                    draft.discard()
                    return obstacle
                }
            }
            guard !draft.isEmpty else {
                draft.discard()
                return .changed
            }
            try writing { () throws(DiskError) in
                try draft.publish()
                for name in names {
                    do throws(DiskError) {
                        try disk.unlink(name.description, in: folder)
                    } catch  where error.isMissing {}
                }
                try disk.syncFolder(folder)
            }
        } catch {
            draft.discard()
            throw error
        }
        return .joined(byteCount: draft.byteCount)
    }

    /// nil where one is not as it must be.
    private func scan(
        _ names: [SegmentName], in folder: DiskHandle
    ) throws(LogError) -> LogCatalog? {
        var catalog = LogCatalog()
        for name in names {
            let found = try directory.withSegment(name, in: folder) {
                scanner throws(DiskError) in (try scanner.status(), try scanner.scan())
            }
            guard let (status, scan) = found, scan.damages.isEmpty else { return nil }
            catalog.add(name, status, scan)
        }
        let now = clock.wallTime()
        let isAtRest = SegmentOutline.all(of: catalog).allSatisfy { !$0.isInUse(at: now) }
        return isAtRest ? catalog : nil
    }

    /// Adds all that there is of one writer, as one run; nil where that is done.
    private func add(
        _ writer: WriterLines, of catalog: LogCatalog, to draft: SegmentDraft,
        _ shouldStop: () -> Bool
    ) throws(LogError) -> JoinOutcome? {
        for item in writer.items {
            if shouldStop() { return .stopped }
            switch item {
            case .hole(let range):
                let isOpen = range.lowerBound == writer.openStart
                try writing { () throws(DiskError) in
                    try draft.addHole(range, like: writer.seal, isOpen: isOpen)
                }
            case .lines(let task):
                let segment = catalog.segments[catalog.blocks[task.block].segment].name
                switch try reader.read(task, of: catalog) {
                case .vanished: return .changed
                case .damaged: return .damaged(segment)
                case .lines(let lines):
                    for range in task.wanted.ranges {
                        let block = DraftBlock(lines, wanted: range, joins: !segment.isMerged)
                        try writing { () throws(DiskError) in try draft.add(block) }
                    }
                }
            }
        }
        try writing { () throws(DiskError) in
            try draft.endRun(isFinal: writer.isFinal, covering: writer.seal)
        }
        return nil
    }

    private func writing<Result>(
        _ body: () throws(DiskError) -> Result
    ) throws(LogError) -> Result {
        try directory.locating(kind, nil, body)
    }
}

/// What a catalog has of one writer: each line once, and what is known to be missing.
private struct WriterLines {
    enum Item {
        case lines(ReadTask)
        case hole(Range<UInt64>)

        var first: UInt64 {
            switch self {
            case .lines(let task): task.wanted.first ?? 0
            case .hole(let range): range.lowerBound
            }
        }
    }

    /// In the order of sequences.
    private(set) var items: [Item] = []
    /// What headers and seals together prove.
    private(set) var seal: BlockHeader
    /// Whether nothing came behind it, here or elsewhere.
    private(set) var isFinal = false
    /// The least line of an open hole.
    private(set) var openStart: UInt64?

    private var lines = SequenceSet()
    private var holes = SequenceSet()
    private var start = Int64.max
    /// One behind the last line of the latest final and the latest rolled seal.
    private var finalEnd: UInt64 = 0
    private var rolledEnd: UInt64 = 0

    /// By the append time of each writer's first block, so that lines of one time stay together.
    static func all(of catalog: LogCatalog, among traces: WriterTraces) -> [Self] {
        var writers: [WriterID: Self] = [:]
        for header in catalog.blocks.map(\.header) + catalog.marks.map(\.header) {
            writers[header.writer, default: Self(header)].prove(header)
        }
        for task in ReadPlan.tasks(catalog.blocks, done: [:]) {
            let writer = catalog.blocks[task.block].header.writer
            writers[writer]?.add(task)
        }
        return writers.values.map { $0.finished(among: traces) }
            .sorted { ($0.start, $0.seal.writer) < ($1.start, $1.seal.writer) }
    }

    private init(_ header: BlockHeader) { seal = header }

    private mutating func prove(_ header: BlockHeader) {
        let range = header.sequences
        let end = max(seal.sequences.upperBound, range.upperBound)
        seal.first = min(seal.first, range.lowerBound)
        seal.count = UInt32(clamping: end - seal.first)
        seal.cover(header)
        if header.isBlock { start = min(start, header.appendTime) }
        if header.flags.contains(.hole) { holes.insert(range) }
        if header.flags.contains(.open) {
            openStart = min(openStart ?? .max, range.lowerBound)
        }
        if header.flags.contains([.seal, .final]) {
            finalEnd = max(finalEnd, range.upperBound)
        } else if header.flags.contains(.seal) {
            rolledEnd = max(rolledEnd, range.upperBound)
        }
    }

    private mutating func add(_ task: ReadTask) {
        lines.formUnion(task.wanted)
        items += task.wanted.ranges.map {
            .lines(ReadTask(block: task.block, wanted: SequenceSet($0)))
        }
    }

    private func finished(among traces: WriterTraces) -> Self {
        var finished = self
        finished.items += holes.subtracting(lines).ranges.map { .hole($0) }
        finished.items.sort { $0.first < $1.first }
        let ownEnd = seal.sequences.upperBound
        let isLast =
            traces.ends[seal.writer] ?? 0 <= ownEnd && !traces.torn.contains(seal.writer)
        // A rolled seal at the very end tells of an unknown loss, whatever else does.
        finished.isFinal = rolledEnd < ownEnd && (finalEnd == ownEnd || isLast)
        return finished
    }
}
