// Gzip input of other programs: any number of members, and what of it is proven.

import CZlib

/// Gzip that cannot be read on. Text before ``provenByteCount`` lay in members whose checksums hold.
struct GzipDamage: Error {
    var provenByteCount: Int64
}

/// Inflates gzip of any number of members, piece by piece. Zeros behind the last one are padding.
final class GzipReader {
    static let magic: [UInt8] = [0x1F, 0x8B]
    private static let pieceByteCount = 256 << 10

    /// Text of whole members so far.
    private(set) var provenByteCount: Int64 = 0
    /// zlib keeps a pointer to its stream, so it must not move.
    private let stream: UnsafeMutablePointer<z_stream>
    private var pending: [UInt8] = []
    private var pendingOffset = 0
    private var textByteCount: Int64 = 0
    private var place = Place.insideMember

    private enum Place { case insideMember, betweenMembers, inPadding }

    init() {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let status = czlib_inflate_init_gzip(stream)
        precondition(status == Z_OK, "zlib has memory, and the version it was built for")
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Takes compressed bytes; call ``nextText()`` until it is empty before the next call.
    func feed(_ bytes: [UInt8]) {
        pending = bytes
        pendingOffset = 0
    }

    /// The next text, or nothing when more compressed bytes are needed.
    ///
    /// - Throws: ``GzipDamage``.
    func nextText() throws -> [UInt8] {
        while pendingOffset < pending.count {
            try enterMember()
            guard place == .insideMember else { return [] }
            let text = try inflateSome()
            if !text.isEmpty { return text }
        }
        return []
    }

    /// - Throws: ``GzipDamage`` if the last member is cut.
    func finish() throws {
        if place == .insideMember { throw GzipDamage(provenByteCount: provenByteCount) }
    }

    private func enterMember() throws {
        if place == .betweenMembers {
            if pending[pendingOffset] == Self.magic[0] {
                inflateReset(stream)
                place = .insideMember
            } else {
                place = .inPadding
            }
        }
        if place == .inPadding {
            guard pending[pendingOffset...].allSatisfy({ $0 == 0 }) else {
                throw GzipDamage(provenByteCount: provenByteCount)
            }
            pendingOffset = pending.count
        }
    }

    private func inflateSome() throws -> [UInt8] {
        var status = Z_OK
        let text = pending.withUnsafeMutableBytes { input in
            [UInt8](unsafeUninitializedCapacity: Self.pieceByteCount) { output, count in
                let left = input.count - pendingOffset
                stream.pointee.next_in = input.baseAddress?.advanced(by: pendingOffset)
                    .assumingMemoryBound(to: UInt8.self)
                stream.pointee.avail_in = UInt32(left)
                stream.pointee.next_out = output.baseAddress
                stream.pointee.avail_out = UInt32(output.count)
                status = inflate(stream, Z_NO_FLUSH)
                pendingOffset += left - Int(stream.pointee.avail_in)
                count = output.count - Int(stream.pointee.avail_out)
            }
        }
        textByteCount += Int64(text.count)
        switch status {
        case Z_OK, Z_BUF_ERROR: break
        case Z_STREAM_END:
            place = .betweenMembers
            provenByteCount = textByteCount
        default: throw GzipDamage(provenByteCount: provenByteCount)
        }
        return text
    }
}
