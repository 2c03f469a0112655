// Fetches a block, proves it and inflates it, with buffers that are used again for the next.

/// Reads blocks one after the other. One for each thread.
final class BlockReader {
    /// What came of one block.
    enum Outcome {
        case lines(UnsafeRawBufferPointer)
        case damaged(Damage.Reason)
        /// The file is not the one that was scanned.
        case vanished
    }

    private let directory: LogDirectory
    private let kind: StreamKind
    private let inflater = Inflater()
    private var member = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
    private var text = UnsafeMutableRawBufferPointer.allocate(
        byteCount: LogLimits.blockTextByteCount + LogLimits.textPaddingByteCount, alignment: 64)
    private var open: (segment: SegmentName, inode: UInt64, handle: DiskHandle)?

    init(_ directory: LogDirectory, _ kind: StreamKind) {
        self.directory = directory
        self.kind = kind
    }

    deinit {
        closeSegment()
        member.deallocate()
        text.deallocate()
    }

    private func closeSegment() {
        if let open { directory.disk.close(open.handle) }
        open = nil
    }

    /// Reads one block. The text lives until the next call.
    func read(
        _ entry: BlockEntry, in segment: SegmentName, inode: UInt64
    ) throws(LogError) -> Outcome {
        guard let handle = try handle(of: segment, inode: inode) else { return .vanished }
        let length = Int(entry.header.memberByteCount)
        grow(&member, to: length)
        let target = UnsafeMutableRawBufferPointer(rebasing: member[..<length])
        do {
            let count = try directory.disk.readFully(handle, at: entry.offset, into: target)
            if count < length { return .vanished }
        } catch {
            throw directory.located(error, in: kind, name: segment.description)
        }
        return inflate(entry, UnsafeRawBufferPointer(target))
    }

    /// The segment as it was scanned; nil where another file or none has its name now.
    private func handle(of segment: SegmentName, inode: UInt64) throws(LogError) -> DiskHandle? {
        if let open, open.segment == segment, open.inode == inode { return open.handle }
        closeSegment()
        let disk = directory.disk
        guard let folder = try directory.openFolder(of: kind, making: false) else { return nil }
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
            throw directory.located(error, in: kind, name: segment.description)
        }
    }

    private func inflate(_ entry: BlockEntry, _ bytes: UnsafeRawBufferPointer) -> Outcome {
        let header = entry.header
        let end = bytes.count - Member.trailerByteCount
        let data = UnsafeRawBufferPointer(rebasing: bytes[entry.dataOffset..<end])
        guard checksum(data) == header.dataChecksum else { return .damaged(.dataChecksum) }
        let sum = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: end, as: UInt32.self))
        let size = Int(
            UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: end + 4, as: UInt32.self)))
        guard size <= LogLimits.blockTextByteCountMax else { return .damaged(.trailer) }
        grow(&text, to: size + LogLimits.textPaddingByteCount)
        let target = UnsafeMutableRawBufferPointer(rebasing: text[..<size])
        let result = UnsafeRawBufferPointer(target)
        guard inflater.inflate(data, into: target), checksum(result) == sum else {
            return .damaged(.trailer)
        }
        return hasLines(result, count: Int(header.count))
            ? .lines(result) : .damaged(.lineCount)
    }

    private func hasLines(_ text: UnsafeRawBufferPointer, count: Int) -> Bool {
        if let last = text.last, last != UInt8(ascii: "\n") { return false }
        var found = 0
        for byte in text { found &+= byte == UInt8(ascii: "\n") ? 1 : 0 }
        return found == count
    }

    private func grow(_ buffer: inout UnsafeMutableRawBufferPointer, to byteCount: Int) {
        guard byteCount > buffer.count else { return }
        buffer.deallocate()
        buffer = .allocate(byteCount: byteCount, alignment: 64)
    }
}
