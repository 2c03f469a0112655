// The way through one segment's members, from the old file into the draft of the new one.

/// One segment on its way into a draft.
struct SegmentRewriting {
    private let rewriter: SegmentRewriter
    private let name: SegmentName
    private let folder: DiskHandle
    private let handle: DiskHandle
    private let status: FileStatus
    private let scan: SegmentScan
    private let traces: WriterTraces
    private let unread: SequencesByWriter
    private let catalog: LogCatalog
    private let members: [Member]
    private let draft: SegmentDraft

    /// A member that proves sequences, in the order of the file.
    private struct Member {
        var header: BlockHeader
        var offset: Int64
        /// Its index among the catalog's blocks; nil where it holds no line that could be read.
        var block: Int?
        /// Its order in the file; the lines of a pack's run come before what seals them.
        var place: (Int64, UInt32, Int)

        init(_ entry: BlockEntry, block: Int?) {
            header = entry.header
            offset = entry.offset
            self.block = block
            place = (entry.offset, entry.lineOffset, block == nil ? 1 : 0)
        }
    }

    private var directory: LogDirectory { rewriter.directory }
    private var disk: any Disk { rewriter.directory.disk }

    init(
        _ rewriter: SegmentRewriter, _ name: SegmentName,
        _ handles: (folder: DiskHandle, segment: DiskHandle),
        _ found: (status: FileStatus, scan: SegmentScan), as newName: SegmentName,
        among traces: WriterTraces, unread: SequencesByWriter
    ) throws(LogError) {
        self.rewriter = rewriter
        self.name = name
        (folder, handle) = handles
        (status, scan) = found
        self.traces = traces
        self.unread = unread
        var catalog = LogCatalog()
        catalog.add(name, status, scan)
        self.catalog = catalog
        let blocks = scan.blocks.enumerated().map { Member($1, block: $0) }
        let marks = scan.marks.map { Member($0, block: nil) }
        members = (blocks + marks).sorted { $0.place < $1.place }
        draft = try rewriter.directory.locating(rewriter.kind, name.description) {
            () throws(DiskError) in
            try SegmentDraft(
                newName, in: handles.folder, on: rewriter.directory.disk,
                deflater: rewriter.deflater)
        }
    }

    /// Writes the new segment and takes the old one away.
    func run(
        shouldStop: () -> Bool, replacing replaced: (BlockHeader) -> SequenceSet
    ) throws(LogError) -> RewriteOutcome {
        var report = RewriteReport()
        do {
            for range in damagedRanges { try discard(range, &report) }
            for index in members.indices {
                if shouldStop() {
                    draft.discard()
                    return .stopped
                }
                guard try add(at: index, replacing: replaced, &report) else {
                    draft.discard()
                    return .vanished
                }
            }
            return try publish(report)
        } catch {
            draft.discard()
            throw error
        }
    }

    /// Stretches that the new segment will not have, each once.
    private var damagedRanges: [Range<Int64>] {
        scan.damages.filter { damage in
            switch damage.reason {
            case .chain, .gzipHeader, .cut, .empty, .newerVersion: false
            default: damage.byteCount > 0
            }
        }.map { $0.offset..<$0.end }
    }

    private func discard(_ range: Range<Int64>, _ report: inout RewriteReport) throws(LogError) {
        report.damagedByteCount += Int64(range.count)
        if rewriter.damaged == .keptAside {
            try AsideFolder(of: directory).keep(range, of: name, handle)
        }
    }

    // MARK: Members

    /// Adds one member, or what stands in for it; false where the file is not what it was.
    private func add(
        at index: Int, replacing replaced: (BlockHeader) -> SequenceSet,
        _ report: inout RewriteReport
    ) throws(LogError) -> Bool {
        let member = members[index]
        let header = member.header
        if header.flags.contains(.seal) {
            try writing { () throws(DiskError) in
                try addMissing(
                    before: header.sequences.upperBound, like: header, from: header.first)
                let isFinal = header.flags.contains(.final)
                try draft.endRun(isFinal: isFinal, covering: header)
            }
            return true
        }
        try writing { () throws(DiskError) in
            let continues = draft.run?.header.writer == header.writer
            let (start, isOpen) = continues ? (0, false) : runStart(at: index)
            try addMissing(before: header.first, like: header, from: start, isOpen: isOpen)
        }
        guard let block = member.block else {
            if header.isBlock { report.unreadableCount += UInt64(header.count) }
            try writing { () throws(DiskError) in try addGone(header) }
            return true
        }
        let task = ReadTask(block: block, wanted: SequenceSet(header.sequences))
        switch try rewriter.reader.read(task, of: catalog) {
        case .vanished:
            return false
        case .damaged(let damage):
            report.unreadableCount += UInt64(header.count)
            // Of a pack's runs the first one stands for all bytes.
            if catalog.blocks[block].byteCount > 0 {
                try discard(damage.offset..<damage.end, &report)
            }
            try writing { () throws(DiskError) in try addGone(header) }
        case .lines(let lines):
            let victims = SequenceSet(header.sequences).intersection(replaced(header))
            report.replacedCount += victims.count
            try writing { () throws(DiskError) in try add(lines, replacing: victims) }
        }
        return true
    }

    /// Where the run that a member belongs to begins, as far as its seal or the file's name says, and
    /// whether it may have begun earlier.
    private func runStart(at index: Int) -> (first: UInt64, isOpen: Bool) {
        let header = members[index].header
        let end = members[index...].first {
            $0.header.writer != header.writer || $0.header.flags.contains(.seal)
        }
        if let end, end.header.writer == header.writer {
            return (min(end.header.first, header.first), false)
        }
        guard index == 0 else { return (header.first, false) }
        if name.number == 1, header.writer == name.writer { return (1, false) }
        // Behind a damaged head there was one line at least before this one.
        return scan.hasDamagedHead ? (max(header.first, 2) - 1, true) : (header.first, false)
    }

    /// Adds a hole for what is missing behind the open run of the writer, or behind where a new run
    /// begins.
    private func addMissing(
        before end: UInt64, like header: BlockHeader, from start: UInt64, isOpen: Bool = false
    ) throws(DiskError) {
        var next = start
        if let run = draft.run, run.header.writer == header.writer { next = max(run.next, start) }
        // What no run can hold stays lost, as it was.
        guard next < end, end - next <= UInt64(LogLimits.segmentLineCount) else { return }
        try draft.addHole(next..<end, like: header, isOpen: isOpen)
    }

    /// Adds what stands in for lines whose bytes are damaged or gone.
    private func addGone(_ header: BlockHeader) throws(DiskError) {
        guard header.isBlock, header.generation > 0 else {
            return try draft.addHole(
                header.sequences, like: header, isOpen: header.flags.contains(.open))
        }
        // A hole would let an older copy supply what was replaced. Nobody knows by what.
        try draft.add(
            tombstones(
                header.sequences, like: header, generation: header.generation,
                unread: SequenceSet(header.sequences)))
    }

    private func add(_ lines: LineBlock, replacing victims: SequenceSet) throws(DiskError) {
        let header = lines.header
        if victims.isEmpty { return try draft.add(DraftBlock(lines, wanted: header.sequences)) }
        var kept = SequenceSet(header.sequences).subtracting(victims).ranges[...]
        for range in victims.ranges {
            while let before = kept.first, before.upperBound <= range.lowerBound {
                try draft.add(DraftBlock(lines, wanted: before))
                kept.removeFirst()
            }
            let generation = header.generation == .max ? .max : header.generation + 1
            try draft.add(
                tombstones(
                    range, like: header, generation: generation,
                    unread: unread.lines(of: header)))
        }
        for rest in kept { try draft.add(DraftBlock(lines, wanted: rest)) }
    }

    private func tombstones(
        _ range: Range<UInt64>, like header: BlockHeader, generation: UInt8, unread: SequenceSet
    ) -> DraftBlock {
        var header = header
        header.generation = generation
        header.first = range.lowerBound
        header.count = UInt32(range.count)
        var text: [UInt8] = []
        for sequence in range {
            text += (unread.contains(sequence) ? Tombstone.unread : .plain).line
            text.append(UInt8(ascii: "\n"))
        }
        return DraftBlock(header, text: text)
    }

    // MARK: The end

    private func publish(_ report: RewriteReport) throws(LogError) -> RewriteOutcome {
        guard try isUnchanged() else {
            draft.discard()
            return .vanished
        }
        return try writing { () throws(DiskError) in
            if let run = draft.run { try draft.endRun(isFinal: isFinal(run)) }
            let isGone = draft.isEmpty
            if isGone { try addWitness() }
            let isEnded = scan.run?.seal?.contains(.mergedEnd) == true && !scan.hasTornTail
            try draft.publish(isWhole: isEnded || isGone || !name.isMerged)
            if draft.name != name {
                try disk.unlink(name.description, in: folder)
                try disk.syncFolder(folder)
            }
            return .rewritten(report)
        }
    }

    /// What stands for a segment of which nothing is left.
    ///
    /// Where other segments tell which lines it had, it only has to be there still, with a hole where
    /// there is a line. Else nobody knows how many lines there were, or of whom, if it was a merged
    /// file, which stands under its own name's id then. A rolled seal without a successor says
    /// just that; its hole lies on the last line that is known elsewhere, or else on the first.
    private func addWitness() throws(DiskError) {
        let first = traces.bridged[name]
        let line = first ?? traces.ends[name.writer].map { $0 - 1 } ?? 1
        let time = status.modified / 1_000
        let header = BlockHeader(
            stream: rewriter.kind.rawValue, writer: name.writer, first: line, count: 1,
            leastEventTime: time, greatestEventTime: time, appendTime: time)
        // A first segment began with the first line.
        if name.number == 1, line > 1 { try draft.addHole(1..<2, like: header) }
        try draft.addHole(header.sequences, like: header)
        try draft.endRun(isFinal: first != nil)
    }

    /// Whether a run that its writer did not seal is the last that there was of it. Where that is
    /// not known the seal says rolled, and without a successor that is an unknown loss.
    private func isFinal(_ run: SegmentDraft.Run) -> Bool {
        if let end = traces.ends[run.header.writer], end > run.next { return false }
        if traces.torn.contains(run.header.writer) { return false }
        if scan.previous?.isTaken == false { return false }
        // A block that is cut off behind its header ends the writing as a whole one does.
        return !scan.hasTornTail || scan.endsInsideBlock
    }

    private func isUnchanged() throws(LogError) -> Bool {
        do {
            let now = try disk.status(of: name.description, in: folder)
            return now.inode == status.inode && now.byteCount == status.byteCount
        } catch  where error.isMissing {
            return false
        } catch {
            throw .disk(directory.located(error, in: rewriter.kind, name: name.description))
        }
    }

    private func writing<Result>(
        _ body: () throws(DiskError) -> Result
    ) throws(LogError) -> Result {
        try directory.locating(rewriter.kind, name.description, body)
    }
}
