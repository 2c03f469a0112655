// Fetches a block, proves it and inflates it, with buffers that are used again for the next.

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Reads blocks one after the other. One for each thread.
final class BlockReader {
    /// What came of one planned block.
    enum Outcome {
        /// On loan until the next call.
        case lines(LineBlock)
        case damaged(Damage)
        /// The file is not the one that was scanned.
        case vanished
    }

    private static let memberByteCount = 64 << 10
    private static let textByteCount = LogLimits.blockTextByteCount

    private enum Text {
        case whole(UnsafeRawBufferPointer)
        case damaged(Damage.Reason)
    }

    private let directory: LogDirectory
    private let kind: StreamKind
    private let trustsChain: Bool
    private let straightInflater = StraightInflater()
    private let inflater = Inflater()
    private let longBlocks: LongBlockTurn
    private var hasTurn = false
    private var member = BlockReader.buffer(memberByteCount)
    private var text = BlockReader.buffer(textByteCount)
    private var open: (segment: SegmentName, inode: UInt64, handle: DiskHandle)?
    /// The pack whose text is there, and where its lines were last looked for.
    private var pack: (offset: Int64, text: UnsafeRawBufferPointer, line: UInt32, start: Int)?

    /// - Parameters:
    ///   - trustsChain: Whether a trailer that the chain proves stands for the text: the checksum of
    ///     the deflate bytes has proven what the text comes from.
    ///   - longBlocks: Shared by the readers that work at the same time.
    init(
        _ directory: LogDirectory, _ kind: StreamKind, trustsChain: Bool = false,
        longBlocks: LongBlockTurn = .init()
    ) {
        self.directory = directory
        self.kind = kind
        self.trustsChain = trustsChain
        self.longBlocks = longBlocks
    }

    deinit {
        if hasTurn { longBlocks.giveBack() }
        closeSegment()
        member.deallocate()
        text.deallocate()
    }

    private func closeSegment() {
        if let open { directory.disk.close(open.handle) }
        open = nil
        pack = nil
    }

    /// Reads one planned block of the catalog that it was planned from.
    func read(_ task: ReadTask, of catalog: LogCatalog) throws(LogError) -> Outcome {
        let entry = catalog.blocks[task.block]
        let segment = catalog.segments[entry.segment]
        let name = segment.name.description
        if let text = part(entry, in: segment) {
            return .lines(
                LineBlock(
                    header: entry.header, segment: name, offset: entry.offset, text: text,
                    wanted: task.wanted, body: nil))
        }
        pack = nil
        letGoOfLongBlock()
        guard let bytes = try fetch(entry, in: segment) else { return .vanished }
        switch inflate(entry, bytes) {
        case .whole(let text):
            let isPack = entry.packLineCount > 0
            if isPack { pack = (entry.offset, text, 0, 0) }
            return .lines(
                LineBlock(
                    header: entry.header, segment: name, offset: entry.offset,
                    text: isPack ? lines(of: entry) : text, wanted: task.wanted,
                    body: isPack
                        ? nil : UnsafeRawBufferPointer(rebasing: bytes[entry.dataOffset...])))
        case .damaged(let reason):
            return .damaged(
                Damage(
                    segment: name, offset: entry.offset,
                    byteCount: Int64(entry.header.memberByteCount), reason: reason))
        }
    }

    /// The text of one run of the pack that was read last; nil where that was another one.
    private func part(
        _ entry: BlockEntry, in segment: LogCatalog.Segment
    ) -> UnsafeRawBufferPointer? {
        guard entry.packLineCount > 0, pack?.offset == entry.offset,
            open?.segment == segment.name, open?.inode == segment.status.inode
        else { return nil }
        return lines(of: entry)
    }

    /// The lines of one run out of a proven pack's text.
    private func lines(of entry: BlockEntry) -> UnsafeRawBufferPointer {
        guard var pack, let base = pack.text.baseAddress else { return .init(start: nil, count: 0) }
        if pack.line > entry.lineOffset { (pack.line, pack.start) = (0, 0) }
        let start = Self.end(
            of: entry.lineOffset - pack.line, from: pack.start, base, pack.text.count)
        let end = Self.end(of: entry.header.count, from: start, base, pack.text.count)
        (pack.line, pack.start) = (entry.lineOffset + entry.header.count, end)
        self.pack = pack
        return UnsafeRawBufferPointer(rebasing: pack.text[start..<end])
    }

    /// Behind so many lines from an offset on.
    private static func end(
        of lineCount: UInt32, from start: Int, _ base: UnsafeRawPointer, _ count: Int
    ) -> Int {
        var offset = start
        for _ in 0..<lineCount {
            guard let newline = memchr(base + offset, 0x0A, count - offset) else { return count }
            offset = UnsafeRawPointer(newline) - base + 1
        }
        return offset
    }

    /// The bytes of a member; nil where the file is not the one that was scanned.
    private func fetch(
        _ entry: BlockEntry, in segment: LogCatalog.Segment
    ) throws(LogError) -> UnsafeRawBufferPointer? {
        guard let handle = try handle(of: segment.name, inode: segment.status.inode) else {
            return nil
        }
        let length = Int(entry.header.memberByteCount)
        grow(&member, to: length)
        let target = UnsafeMutableRawBufferPointer(rebasing: member[..<length])
        do {
            let count = try directory.disk.readFully(handle, at: entry.offset, into: target)
            return count < length ? nil : UnsafeRawBufferPointer(target)
        } catch {
            throw .disk(directory.located(error, in: kind, name: segment.name.description))
        }
    }

    /// The segment as it was scanned; nil where another file or none has its name now.
    private func handle(of segment: SegmentName, inode: UInt64) throws(LogError) -> DiskHandle? {
        if let open, open.segment == segment, open.inode == inode { return open.handle }
        closeSegment()
        let disk = directory.disk
        guard let folder = try directory.openFolder(of: kind) else { return nil }
        defer { disk.close(folder) }
        do {
            let handle = try disk.openFile(segment.description, in: folder)
            open = (segment, inode, handle)
            if try disk.status(of: handle).inode == inode { return handle }
            closeSegment()
            return nil
        } catch  where error.isMissing {
            return nil
        } catch {
            closeSegment()
            throw .disk(directory.located(error, in: kind, name: segment.description))
        }
    }

    private func inflate(_ entry: BlockEntry, _ bytes: UnsafeRawBufferPointer) -> Text {
        let header = entry.header
        let end = bytes.count - Member.trailerByteCount
        let data = UnsafeRawBufferPointer(rebasing: bytes[entry.dataOffset..<end])
        guard checksum(data) == header.dataChecksum else { return .damaged(.dataChecksum) }
        let sum = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: end, as: UInt32.self))
        let size = Int(
            UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: end + 4, as: UInt32.self)))
        guard size <= LogLimits.blockTextByteCountMax else { return .damaged(.trailer) }
        grow(&text, to: size)
        let target = UnsafeMutableRawBufferPointer(rebasing: text[..<size])
        let result = UnsafeRawBufferPointer(target)
        guard
            straightInflater.inflate(data, into: target) || inflater.inflate(data, into: target),
            trustsChain && entry.isTrailerProven || checksum(result) == sum
        else {
            return .damaged(.trailer)
        }
        let lineCount = entry.packLineCount > 0 ? entry.packLineCount : header.count
        return hasLines(result, count: Int(lineCount))
            ? .whole(result) : .damaged(.lineCount)
    }

    private func hasLines(_ text: UnsafeRawBufferPointer, count: Int) -> Bool {
        guard let start = text.baseAddress, let last = text.last else { return count == 0 }
        guard last == UInt8(ascii: "\n") else { return false }
        let end = start + text.count
        var at = start
        var found = 0
        while at < end, let newline = memchr(at, 0x0A, end - at) {
            found += 1
            at = UnsafeRawPointer(newline) + 1
        }
        return found == count
    }

    private func grow(_ buffer: inout UnsafeMutableRawBufferPointer, to byteCount: Int) {
        guard byteCount + LogLimits.slackByteCount > buffer.count else { return }
        if byteCount > LogLimits.longBlockByteCount, !hasTurn {
            longBlocks.take()
            hasTurn = true
        }
        Self.replace(&buffer, by: byteCount)
    }

    private func letGoOfLongBlock() {
        guard hasTurn else { return }
        Self.replace(&member, by: Self.memberByteCount)
        Self.replace(&text, by: Self.textByteCount)
        longBlocks.giveBack()
        hasTurn = false
    }

    private static func replace(
        _ buffer: inout UnsafeMutableRawBufferPointer, by byteCount: Int
    ) {
        buffer.deallocate()
        buffer = Self.buffer(byteCount)
    }

    private static func buffer(_ byteCount: Int) -> UnsafeMutableRawBufferPointer {
        .allocate(byteCount: byteCount + LogLimits.slackByteCount, alignment: 64)
    }
}

/// Lets one reader at a time hold a long block: those of all threads together could fill the memory.
final class LongBlockTurn: Sendable {
    private let isTaken = Monitor(false)

    /// Waits until nobody has the turn.
    func take() {
        isTaken.wait { taken -> Monitor<Bool>.Check<Void> in
            if taken { return .wait(microseconds: nil) }
            taken = true
            return .done(())
        }
    }

    func giveBack() {
        isTaken.withLock { $0 = false }
        isTaken.notify()
    }
}
