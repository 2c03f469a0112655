// What a pass over a segment's headers has learned, and where it can go on.

/// A member found by its header, ready to be read.
struct BlockEntry {
    var header: BlockHeader
    /// Index of its segment in the catalog.
    var segment = 0
    var offset: Int64
    /// From the member's start to its deflate bytes.
    var dataOffset: Int
    /// In a pack: the lines of the member that come before its own.
    var lineOffset: UInt32 = 0
    /// In a pack: all lines of the member; else 0.
    var packLineCount: UInt32 = 0
    /// Whether the chain of the member behind it says that its trailer is as it was written.
    var isTrailerProven = false

    /// Its bytes in the file; those of a pack are counted once.
    var byteCount: Int64 { lineOffset == 0 ? Int64(header.memberByteCount) : 0 }
}

/// What a scan has learned of one segment, and where it can go on when the file has grown.
struct SegmentScan {
    /// The members of one writer that follow each other.
    struct Run {
        var writer: WriterID
        /// The least sequence that a next block of the run may begin with.
        var next: UInt64
        var seal: BlockHeader.Flags?
    }

    /// The member that ends at `offset`.
    struct Previous {
        /// Whether it was taken, so that the next one's chain leads to it.
        var isTaken: Bool
        var offset: Int64
        var dataOffset: Int
        var header: BlockHeader
        /// CRC-32 of the subfield that the chain goes on from.
        var fieldChecksum: UInt32
    }

    /// The end of what was understood.
    var offset: Int64 = 0
    var run: Run?
    var previous: Previous?
    var blocks: [BlockEntry] = []
    /// Seals, holes, and headers of blocks that are cut off: they prove sequences.
    var marks: [BlockEntry] = []
    var damages: [Damage] = []
    /// Whether bytes behind the last whole member were not understood.
    var hasTornTail = false
    /// Whether the first member does not begin the file.
    var hasDamagedHead = false
    /// Whether a live writer holds the segment.
    var isLocked = false

    /// Whether the file ends inside a block whose header is whole: what is cut off is known then.
    var endsInsideBlock: Bool {
        guard hasTornTail, let last = marks.last, let damage = damages.last else { return false }
        return last.header.isBlock && last.offset == damage.offset
    }
    /// Whether the segment ends on a seal.
    var isSealed: Bool { run?.seal != nil && !hasTornTail }
}

extension SegmentScan {
    mutating func add(_ segment: String, _ range: Range<Int64>, _ reason: Damage.Reason) {
        damages.append(
            Damage(
                segment: segment, offset: range.lowerBound,
                byteCount: range.upperBound - range.lowerBound, reason: reason))
    }

    /// Why a whole member with a valid header is not taken; nil where it is in its place.
    func objection(to found: Member.Found, in name: SegmentName) -> Damage.Reason? {
        let (header, runs) = (found.header, found.runs)
        if header.version != BlockHeader.currentVersion { return .newerVersion }
        if header.stream != name.kind.rawValue { return .wrongStream }
        if header.flags.contains(.packed), runs.isEmpty { return .subfield }
        guard let run, !name.isMerged else { return nil }
        if run.seal != nil { return previous?.isTaken == true && header.chain == 0 ? nil : .stale }
        if header.flags.contains(.packed) { return .stale }
        if header.writer != run.writer {
            // Where the file's head is not its own, the name says whose it is.
            return header.writer == name.writer ? nil : .stale
        }
        return header.flags.contains(.seal) || header.first >= run.next ? nil : .stale
    }

    /// Takes a whole member that is in its place.
    mutating func take(_ found: Member.Found, at offset: Int64) {
        let header = found.header
        var entry = BlockEntry(header: header, offset: offset, dataOffset: found.dataOffset)
        guard header.flags.contains(.packed) else {
            take(header)
            if header.isBlock { blocks.append(entry) } else { marks.append(entry) }
            return
        }
        entry.packLineCount = header.count
        for (run, block) in zip(found.runs, found.blocks) {
            take(run)
            entry.header = run
            marks.append(entry)
            entry.header = block
            blocks.append(entry)
            entry.lineOffset += run.count
        }
        if header.flags.contains(.mergedEnd) { run?.seal?.insert(.mergedEnd) }
    }

    mutating func take(_ header: BlockHeader) {
        let isSeal = header.flags.contains(.seal)
        run = Run(
            writer: header.writer, next: header.sequences.upperBound,
            seal: isSeal ? header.flags : nil)
    }

    /// A whole member that was not taken ends earlier than its header says.
    mutating func trimDamage(to end: Int64) {
        guard let last = damages.last, last.end > end, last.offset < end else { return }
        damages[damages.count - 1].byteCount = end - last.offset
    }

    /// Passes over a segment whose lines are all known already.
    mutating func skip(toSeal seal: BlockHeader, end: Int64) {
        take(seal)
        offset = end
    }

    /// What its last seal alone says of a segment.
    init(closing seal: BlockHeader, byteCount: Int64) {
        skip(toSeal: seal, end: byteCount)
        let start = byteCount - Int64(Member.sealByteCount)
        marks = [
            BlockEntry(header: seal, offset: start, dataOffset: Member.headerByteCount)
        ]
    }

    /// Keeps only what it takes to go on.
    mutating func forgetFindings() {
        blocks = []
        marks = []
        damages = []
    }
}
