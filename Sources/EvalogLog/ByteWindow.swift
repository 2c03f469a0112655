// A sliding view of a file, for stepping from header to header without a call for each.

/// Reads a file in small pieces, each at most once while it stays in view.
final class ByteWindow {
    private let disk: any Disk
    private let handle: DiskHandle
    private var buffer = UnsafeMutableRawBufferPointer.allocate(
        byteCount: LogLimits.windowByteCount, alignment: 16)
    private var start: Int64 = 0
    private var count = 0

    init(_ handle: DiskHandle, on disk: any Disk) {
        self.handle = handle
        self.disk = disk
    }

    deinit { buffer.deallocate() }

    /// The bytes at an offset, up to a count; fewer at the end. They live until the next call.
    func bytes(at offset: Int64, count wanted: Int) throws(DiskError) -> UnsafeRawBufferPointer {
        if offset < start || offset + Int64(wanted) > start + Int64(count) {
            if wanted > buffer.count {
                buffer.deallocate()
                buffer = .allocate(byteCount: wanted, alignment: 16)
            }
            start = offset
            count = 0
            count = try disk.readFully(handle, at: offset, into: buffer)
        }
        let skipped = Int(offset - start)
        let available = min(wanted, count - skipped)
        return UnsafeRawBufferPointer(rebasing: buffer[skipped..<(skipped + max(available, 0))])
    }

    /// Forgets what is in view, because the file may have grown.
    func invalidate() { count = 0 }
}
