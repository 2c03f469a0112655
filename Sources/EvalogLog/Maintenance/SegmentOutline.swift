// What planning knows of a segment, from headers alone.

/// One segment in figures: whose lines, how many, from when.
struct SegmentOutline {
    let name: SegmentName
    let status: FileStatus
    let state: LogCatalog.State
    /// From the least to behind the greatest sequence of each writer that headers and seals tell of.
    private(set) var writers: [WriterID: Range<UInt64>] = [:]
    /// Least and greatest append time; nil where no header is left.
    private(set) var appended: ClosedRange<Int64>?
    private(set) var lineCount: UInt64 = 0
    private(set) var blockCount = 0
    private(set) var blockByteCount: Int64 = 0
    /// Whether rewriting would take something out that is not understood.
    private(set) var isDamaged = false
    /// Whether it has members of a later version, which only that one may move.
    private(set) var isNewer = false
    /// Whether nothing is known of its blocks.
    let isSealOnly: Bool

    /// The outlines of all segments of a catalog, in its order.
    static func all(of catalog: LogCatalog) -> [Self] {
        var outlines = catalog.segments.map {
            Self($0)
        }
        var indices: [String: Int] = [:]
        for (index, outline) in outlines.enumerated() { indices["\(outline.name)"] = index }
        for damage in catalog.damages {
            guard let index = indices[damage.segment] else { continue }
            outlines[index].add(damage)
        }
        for block in catalog.blocks {
            outlines[block.segment].add(block.header)
            outlines[block.segment].lineCount += UInt64(block.header.count)
            outlines[block.segment].blockCount += 1
            outlines[block.segment].blockByteCount += Int64(block.header.memberByteCount)
        }
        for mark in catalog.marks { outlines[mark.segment].add(mark.header) }
        return outlines
    }

    private init(_ segment: LogCatalog.Segment) {
        name = segment.name
        status = segment.status
        state = segment.state
        isSealOnly = segment.isSealOnly
    }

    private mutating func add(_ damage: Damage) {
        switch damage.reason {
        case .newerVersion: isNewer = true
        case .cut: break  // Whoever cut it off has the rest.
        default: isDamaged = true
        }
    }

    private mutating func add(_ header: BlockHeader) {
        let range = header.sequences
        let known = writers[header.writer] ?? range
        writers[header.writer] =
            min(known.lowerBound, range.lowerBound)..<max(known.upperBound, range.upperBound)
        let time = header.appendTime
        let before = appended ?? time...time
        // A seal has the greatest of its run, which says nothing of the least.
        let least = header.flags.contains(.seal) ? before.lowerBound : min(before.lowerBound, time)
        appended = least...max(before.upperBound, time)
    }

    /// Whether nothing is left of a writer's segment.
    var isEmptied: Bool { writers.isEmpty && !name.isMerged }

    /// Whether a writer may still be at work on it, or was lately.
    func isInUse(at now: Int64) -> Bool {
        switch state {
        case .live: true
        case .dead: now - status.modified / 1_000 < LogLimits.deadSegmentAge
        case .closed, .rolled, .merged: false
        }
    }
}
