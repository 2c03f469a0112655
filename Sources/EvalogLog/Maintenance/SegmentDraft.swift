// One segment in the making under maintenance. The caller says which lines; blocks, packs, chains,
// seals, the end of a merged file and the way to the disk are decided here:
//
//     create .tmp-maintenance-…            nobody sees it
//     write member after member
//     sync, rename to its name, sync the folder
//
// A kill before the rename leaves a file that the next maintenance deletes, and the log as it was;
// one behind it leaves the whole new segment.

/// Lines of one writer on their way into a segment, together one block at least.
struct DraftBlock {
    /// Range, times and generation.
    private(set) var header: BlockHeader
    /// With their newlines; nil for a block that is too long for anything but to stay as it is.
    fileprivate private(set) var text: [UInt8]?
    /// The member of exactly these lines, where there is one.
    private var member: EncodedBlock?
    /// Nil where the lines stay a block of their own.
    private var appended: ClosedRange<Int64>?

    /// Lines that stay the block that they are.
    init(_ header: BlockHeader, text: [UInt8]) {
        self.header = header
        self.text = text
    }

    /// - Parameters:
    ///   - wanted: Adjoining lines of the block.
    ///   - joins: Whether lines of neighbours may come into the same block.
    init(_ lines: LineBlock, wanted: Range<UInt64>, joins: Bool = false) {
        var lines = lines
        header = lines.header
        appended = joins ? header.appendTime...header.appendTime : nil
        if wanted == header.sequences {
            header.flags = []
            member = lines.body.map { EncodedBlock(header, copying: $0) }
            let isLong = member != nil && lines.text.count > LogLimits.blockTextByteCount
            text = isLong ? nil : Array(lines.text)
            return
        }
        header.first = wanted.lowerBound
        header.count = UInt32(wanted.count)
        lines.wanted = SequenceSet(wanted)
        var text: [UInt8] = []
        lines.forEachLine { _, line in
            text += line
            text.append(UInt8(ascii: "\n"))
        }
        self.text = text
    }

    /// Takes the lines behind its own into the same block; false where they stay apart.
    fileprivate mutating func join(_ next: Self) -> Bool {
        guard let own = appended, let other = next.appended, let text, let nextText = next.text,
            header.writer == next.header.writer, header.generation == next.header.generation,
            header.sequences.upperBound == next.header.first,
            text.count + nextText.count <= LogLimits.blockTextByteCount
        else { return false }
        let span = min(own.lowerBound, other.lowerBound)...max(own.upperBound, other.upperBound)
        guard span.upperBound - span.lowerBound <= LogLimits.joinAge else { return false }
        header.cover(next.header)
        header.count += next.header.count
        self.text?.append(contentsOf: nextText)
        member = nil
        appended = span
        return true
    }

    fileprivate func encoded(_ deflater: Deflater) -> EncodedBlock {
        if let member { return member }
        var header = header
        header.flags = []
        return (text ?? []).withUnsafeBytes { EncodedBlock(header, text: $0, deflater: deflater) }
    }
}

/// Runs of one writer each, written one behind the other and published together.
final class SegmentDraft {
    /// The members of one writer since the last seal.
    struct Run {
        /// Range and times so far, as the seal will say them. The count is behind ``next``.
        fileprivate(set) var header: BlockHeader
        /// The least sequence that the next member may begin with.
        fileprivate(set) var next: UInt64
        /// Whether members of it are in the file.
        fileprivate var isWritten = false
    }

    let name: SegmentName
    /// nil between a seal and the next member.
    private(set) var run: Run?
    private(set) var byteCount: Int64 = 0

    private let file: NewFile
    private let folder: DiskHandle
    private let disk: any Disk
    private let deflater: Deflater
    private var chain: UInt32 = 0
    /// The last lines of the open run, which others may join.
    private var pending: DraftBlock?
    /// Held back until it is known whether something follows it in a merged file.
    private var seal: BlockHeader?
    /// Whole short runs that will share a member, as seals, with their lines.
    private var packed: (runs: [BlockHeader], text: [UInt8]) = ([], [])

    /// Creates an empty file; nothing is seen of it before ``publish(isWhole:)``.
    ///
    /// - Parameters:
    ///   - name: What it will be called; the short runs of a merged file share members.
    ///   - folder: The open folder of the segment's stream, which outlives the draft.
    init(
        _ name: SegmentName, in folder: DiskHandle, on disk: any Disk, deflater: Deflater
    ) throws(DiskError) {
        file = try NewFile(NewFile.maintenanceStem + name.description, in: folder, on: disk)
        self.name = name
        self.folder = folder
        self.disk = disk
        self.deflater = deflater
    }

    deinit { disk.close(file.handle) }

    /// Whether it has no member.
    var isEmpty: Bool { run == nil && seal == nil && packed.runs.isEmpty && byteCount == 0 }

    /// Adds lines. Those that do not continue the open run end it, as rolled, and begin another.
    func add(_ block: DraftBlock) throws(DiskError) {
        try enterRun(of: block.header)
        if pending?.join(block) != true {
            try writePending()
            pending = block
        }
        extendRun(to: block.header)
        // Nothing joins a long one, and another may follow: one at a time is enough.
        if pending?.text == nil { try writePending() }
    }

    /// Adds a hole: sequences that are known to be missing.
    ///
    /// - Parameters:
    ///   - header: Where the writer, and the times closest to theirs, are taken from.
    ///   - isOpen: Whether nobody knows how many more are missing before them.
    func addHole(
        _ sequences: Range<UInt64>, like header: BlockHeader, isOpen: Bool = false
    ) throws(DiskError) {
        var hole = header
        hole.flags = isOpen ? [.hole, .open] : .hole
        hole.first = sequences.lowerBound
        hole.count = UInt32(sequences.count)
        try enterRun(of: hole)
        try writePending()
        extendRun(to: hole)
        try writeInRun(EncodedBlock(hole, text: .init(start: nil, count: 0), deflater: deflater))
    }

    private func enterRun(of header: BlockHeader) throws(DiskError) {
        if let run, run.header.writer != header.writer || header.first < run.next {
            try endRun(isFinal: false)
        }
        if run == nil { run = Run(header: header, next: header.first) }
    }

    private func extendRun(to header: BlockHeader) {
        run?.header.cover(header)
        run?.next = header.sequences.upperBound
    }

    /// Ends the open run; without one does nothing.
    ///
    /// - Parameters:
    ///   - isFinal: Whether the writer wrote nothing behind it, here or elsewhere.
    ///   - seal: A seal that the run had before, whose times go into the new one.
    func endRun(isFinal: Bool, covering seal: BlockHeader? = nil) throws(DiskError) {
        guard let ended = run else { return }
        var header = ended.header
        if let seal { header.cover(seal) }
        header.flags = isFinal ? [.seal, .final] : .seal
        header.count = UInt32(clamping: ended.next - header.first)
        if name.isMerged, !ended.isWritten, let lines = pending?.text,
            lines.count <= LogLimits.packedRunByteCount
        {
            try pack(header, lines)
        } else {
            try writePending()
            self.seal = header
        }
        pending = nil
        run = nil
    }

    /// Syncs the file, gives it its name, and returns once the disk has confirmed both. A segment
    /// of that name gives way to it at once.
    ///
    /// - Parameter isWhole: Whether a merged file gets the mark of its end.
    /// - Precondition: It has a member, and no run is open.
    func publish(isWhole: Bool = true) throws(DiskError) {
        precondition(run == nil && !isEmpty, "every run of a segment is sealed")
        let end: BlockHeader.Flags = name.isMerged && isWhole ? .mergedEnd : []
        try writePack(end)
        seal?.flags.formUnion(end)
        try writeSeal()
        try disk.syncFile(file.handle)
        try file.replace(name.description)
        try disk.syncFolder(folder)
    }

    /// Deletes the file.
    func discard() { file.discard() }

    // MARK: Packs

    /// Puts a whole run of one block with the others that share a member.
    private func pack(_ run: BlockHeader, _ lines: [UInt8]) throws(DiskError) {
        let isFull =
            packed.text.count + lines.count > LogLimits.blockTextByteCount
            || packed.runs.count == Pack.runCountMax
        if isFull { try writePack([]) }
        packed.runs.append(run)
        packed.text += lines
    }

    private func writePack(_ flags: BlockHeader.Flags) throws(DiskError) {
        guard var header = packed.runs.first else { return }
        try writeSeal()
        chain = 0
        if packed.runs.count == 1 {
            seal = header
            try write(DraftBlock(header, text: packed.text).encoded(deflater))
        } else {
            for run in packed.runs.dropFirst() { header.cover(run) }
            header.flags = flags.union(.packed)
            (header.writer, header.first) = (name.writer, 1)
            header.count = UInt32(clamping: packed.runs.reduce(0) { $0 + UInt64($1.count) })
            header.generation = 0
            let subfield = Pack.encode(packed.runs)
            try write(
                packed.text.withUnsafeBytes {
                    EncodedBlock(header, text: $0, subfields: subfield, deflater: deflater)
                })
        }
        packed = ([], [])
    }

    // MARK: Members

    private func writePending() throws(DiskError) {
        guard let block = pending else { return }
        pending = nil
        try writeInRun(block.encoded(deflater))
    }

    private func writeInRun(_ member: EncodedBlock) throws(DiskError) {
        if run?.isWritten == false {
            try writeSeal()
            chain = 0
            run?.isWritten = true
        }
        try write(member)
    }

    private func writeSeal() throws(DiskError) {
        guard let header = seal else { return }
        seal = nil
        try write(EncodedBlock(header, text: .init(start: nil, count: 0), deflater: deflater))
    }

    private func write(_ member: EncodedBlock) throws(DiskError) {
        var member = member
        chain = member.link(toChain: chain)
        try disk.writeFully(file.handle, at: byteCount, from: member.bytes)
        byteCount += Int64(member.bytes.count)
    }
}

extension BlockHeader {
    /// Widens times and generation to those of another member of the run.
    mutating func cover(_ other: Self) {
        leastEventTime = min(leastEventTime, other.leastEventTime)
        greatestEventTime = max(greatestEventTime, other.greatestEventTime)
        appendTime = max(appendTime, other.appendTime)
        generation = max(generation, other.generation)
    }
}
