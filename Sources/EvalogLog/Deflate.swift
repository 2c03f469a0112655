// zlib, reused: one stream per thread for each direction, and its CRC-32. What it inflates is what is
// right; `StraightInflater` is quicker at most of it.

import CZlib

/// CRC-32 as gzip computes it, going on from an earlier value.
func checksum(_ bytes: UnsafeRawBufferPointer, from start: UInt32 = 0) -> UInt32 {
    guard let base = bytes.bindMemory(to: UInt8.self).baseAddress else { return start }
    return UInt32(truncatingIfNeeded: crc32(uLong(start), base, uInt(bytes.count)))
}

/// A raw deflate stream for one block after the other. Not for use by two threads at once.
final class Deflater {
    // zlib keeps a pointer back to its stream, which therefore must not move.
    private let stream: UnsafeMutablePointer<z_stream>

    /// - Parameter level: 1 (fast) to 9 (small).
    init(level: Int) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let status = czlib_deflate_init_raw(stream, Int32(min(max(level, 1), 9)))
        precondition(status == Z_OK, "zlib needs 256 KiB of memory")
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
    }

    /// The most that deflating so much text can give, in bytes.
    func bound(of textByteCount: Int) -> Int {
        Int(deflateBound(stream, uLong(textByteCount)))
    }

    /// Deflates all of the text and returns how many bytes that gave.
    ///
    /// - Parameter target: At least as long as the text's ``bound(of:)``.
    func deflate(
        _ text: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer
    ) -> Int {
        deflateReset(stream)
        // zlib takes no null pointer, not even for nothing.
        let source = text.baseAddress ?? UnsafeRawPointer(stream)
        stream.pointee.next_in = UnsafeMutablePointer(
            mutating: source.assumingMemoryBound(to: UInt8.self))
        stream.pointee.avail_in = uInt(text.count)
        stream.pointee.next_out = target.bindMemory(to: UInt8.self).baseAddress
        stream.pointee.avail_out = uInt(target.count)
        let status = CZlib.deflate(stream, Z_FINISH)
        precondition(status == Z_STREAM_END, "the target holds at least the bound")
        return target.count - Int(stream.pointee.avail_out)
    }
}

/// A raw inflate stream for one block after the other. Not for use by two threads at once.
final class Inflater {
    private let stream: UnsafeMutablePointer<z_stream>

    init() {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let status = czlib_inflate_init_raw(stream)
        precondition(status == Z_OK, "zlib needs 40 KiB of memory")
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Inflates all of the bytes; false unless they are one whole stream that gives exactly as
    /// much text as the target holds.
    func inflate(
        _ bytes: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer
    ) -> Bool {
        inflateReset(stream)
        guard let source = bytes.bindMemory(to: UInt8.self).baseAddress,
            let output = target.bindMemory(to: UInt8.self).baseAddress
        else { return false }
        stream.pointee.next_in = UnsafeMutablePointer(mutating: source)
        stream.pointee.avail_in = uInt(bytes.count)
        stream.pointee.next_out = output
        stream.pointee.avail_out = uInt(target.count)
        let status = CZlib.inflate(stream, Z_FINISH)
        return status == Z_STREAM_END && stream.pointee.avail_in == 0
            && stream.pointee.avail_out == 0
    }
}
