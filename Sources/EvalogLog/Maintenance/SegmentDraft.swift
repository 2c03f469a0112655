// One segment in the making under maintenance. The caller says which members; chains, seals, the
// end of a merged file and the way to the disk are decided here:
//
//     create .tmp-maintenance-…            nobody sees it
//     write member after member
//     sync, rename to its name, sync the folder
//
// A kill before the rename leaves a file that the next maintenance deletes, and the log as it was;
// one behind it leaves the whole new segment.

/// Runs of one writer each, written one behind the other and published together.
final class SegmentDraft {
    /// The members of one writer since the last seal.
    struct Run {
        /// Range and times so far, as the seal will say them. The count is behind ``next``.
        fileprivate(set) var header: BlockHeader
        /// The least sequence that the next member may begin with.
        fileprivate(set) var next: UInt64
    }

    /// nil between a seal and the next member.
    private(set) var run: Run?
    private(set) var byteCount: Int64 = 0

    private let file: NewFile
    private let folder: DiskHandle
    private let disk: any Disk
    private let deflater: Deflater
    private var chain: UInt32 = 0
    /// Held back until it is known whether something follows it in a merged file.
    private var seal: BlockHeader?

    /// Creates an empty file; nothing is seen of it before ``publish(as:isWhole:)``.
    ///
    /// - Parameters:
    ///   - stem: Says in the temporary name what the file will be.
    ///   - folder: The open folder of the segment's stream, which outlives the draft.
    init(
        _ stem: String, in folder: DiskHandle, on disk: any Disk, deflater: Deflater
    ) throws(DiskError) {
        file = try NewFile(NewFile.maintenanceStem + stem, in: folder, on: disk)
        self.folder = folder
        self.disk = disk
        self.deflater = deflater
    }

    deinit { disk.close(file.handle) }

    /// Whether it has no member.
    var isEmpty: Bool { run == nil && seal == nil }

    /// Adds a block, or a hole. One that does not continue the open run ends it, as rolled, and
    /// begins another.
    func add(_ member: EncodedBlock) throws(DiskError) {
        let header = member.header
        if let run, run.header.writer != header.writer || header.first < run.next {
            try endRun(isFinal: false)
        }
        if run == nil {
            try writeSeal()
            chain = 0
            run = Run(header: header, next: header.first)
        }
        run?.header.cover(header)
        run?.next = header.sequences.upperBound
        try write(member)
    }

    /// Adds a hole: sequences that are known to be missing.
    ///
    /// - Parameter header: Where the writer, and the times closest to theirs, are taken from.
    func addHole(_ sequences: Range<UInt64>, like header: BlockHeader) throws(DiskError) {
        var hole = header
        hole.flags = .hole
        hole.first = sequences.lowerBound
        hole.count = UInt32(sequences.count)
        try add(EncodedBlock(hole, text: .init(start: nil, count: 0), deflater: deflater))
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
        self.seal = header
        run = nil
    }

    /// Syncs the file, gives it its name, and returns once the disk has confirmed both. A segment
    /// of that name gives way to it at once.
    ///
    /// - Parameter isWhole: Whether a merged file gets the mark of its end.
    /// - Precondition: It has a member, and no run is open.
    func publish(as name: SegmentName, isWhole: Bool = true) throws(DiskError) {
        precondition(run == nil && seal != nil, "every run of a segment is sealed")
        if name.isMerged, isWhole { seal?.flags.insert(.mergedEnd) }
        try writeSeal()
        try disk.syncFile(file.handle)
        try file.replace(name.description)
        try disk.syncFolder(folder)
    }

    /// Deletes the file.
    func discard() { file.discard() }

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
    fileprivate mutating func cover(_ other: Self) {
        leastEventTime = min(leastEventTime, other.leastEventTime)
        greatestEventTime = max(greatestEventTime, other.greatestEventTime)
        appendTime = max(appendTime, other.appendTime)
        generation = max(generation, other.generation)
    }
}
