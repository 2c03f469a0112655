// One gzip member: fixed header, `EL` subfield, raw deflate, trailer. Making them here, finding
// them again in `parse`.

/// A whole gzip member, ready to be written once its place in a run is known.
package struct EncodedBlock: Sendable {
    package fileprivate(set) var header: BlockHeader
    package private(set) var bytes: [UInt8]

    /// Deflates a block's text, or nothing for a seal or a hole.
    ///
    /// - Parameters:
    ///   - text: Whole lines with their newlines, `header.count` of them.
    ///   - subfields: What stands behind `EL` in the extra field.
    init(
        _ header: BlockHeader, text: UnsafeRawBufferPointer, subfields: [UInt8] = [],
        deflater: Deflater
    ) {
        let dataOffset = Member.headerByteCount + subfields.count
        let room = dataOffset + deflater.bound(of: text.count) + Member.trailerByteCount
        var header = header
        // In its place from the start: text that does not compress would be here a third time.
        bytes = [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
            let raw = UnsafeMutableRawBufferPointer(buffer)
            raw.copyBytes(from: Member.prefix)
            let extra = UInt16(BlockHeader.byteCount + 4 + subfields.count)
            raw.storeBytes(of: extra.littleEndian, toByteOffset: 10, as: UInt16.self)
            UnsafeMutableRawBufferPointer(rebasing: raw[Member.headerByteCount...])
                .copyBytes(from: subfields)
            let data = UnsafeMutableRawBufferPointer(rebasing: raw[dataOffset...])
            let end = dataOffset + deflater.deflate(text, into: data)
            header.dataChecksum = checksum(UnsafeRawBufferPointer(rebasing: raw[dataOffset..<end]))
            let size = UInt32(truncatingIfNeeded: text.count)
            raw.storeBytes(of: checksum(text).littleEndian, toByteOffset: end, as: UInt32.self)
            raw.storeBytes(of: size.littleEndian, toByteOffset: end + 4, as: UInt32.self)
            count = end + Member.trailerByteCount
        }
        header.memberByteCount = UInt32(bytes.count)
        // A small one may be kept for long, and its room is mostly empty.
        if bytes.count < room / 2 { bytes = bytes.withUnsafeBytes(Array.init) }
        self.header = header
        link(toChain: 0)
    }

    /// Sets the chain, writes the header anew, and returns the chain of the next member.
    @discardableResult
    mutating func link(toChain chain: UInt32) -> UInt32 {
        header.chain = chain
        let header = header
        return bytes.withUnsafeMutableBytes { raw in
            let start = Member.prefix.count
            let field = UnsafeMutableRawBufferPointer(
                rebasing: raw[start..<(start + BlockHeader.byteCount)])
            header.encode(into: field)
            return BlockHeader.chain(
                after: UnsafeRawBufferPointer(field),
                trailer: UnsafeRawBufferPointer(rebasing: raw[(raw.count - 8)...]))
        }
    }
}

extension EncodedBlock {
    /// Frames deflate bytes and trailer of a proven block anew, as we frame a member.
    init(_ header: BlockHeader, copying body: UnsafeRawBufferPointer) {
        var header = header
        header.memberByteCount = UInt32(Member.headerByteCount + body.count)
        self.header = header
        bytes = Member.prefix + [UInt8](repeating: 0, count: BlockHeader.byteCount) + body
        link(toChain: 0)
    }

    /// Gives the lines another identity. The chain is set when the block is placed.
    mutating func move(to writer: WriterID, first: UInt64) {
        header.writer = writer
        header.first = first
        link(toChain: 0)
    }
}

/// The frame of a member.
enum Member {
    /// The gzip header that every member has: no name, no time, no system, extra field only.
    static let fixed: [UInt8] = [0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 0xff]
    /// Identifier and length of our subfield.
    static let mark: [UInt8] = [
        UInt8(ascii: "E"), UInt8(ascii: "L"), UInt8(BlockHeader.byteCount), 0,
    ]
    /// All bytes before the subfield's 72, as we write them.
    static let prefix: [UInt8] = fixed + [UInt8(BlockHeader.byteCount + 4), 0] + mark
    /// From the first byte to the deflate bytes, as we write it.
    static let headerByteCount = 88
    static let trailerByteCount = 8
    /// The least member: a header, the two bytes of empty deflate, the trailer.
    static let sealByteCount = headerByteCount + 2 + trailerByteCount
    /// The greatest header: all that a gzip extra field can hold.
    static let headerByteCountMax = 12 + 0xffff

    /// A member found in bytes.
    struct Found {
        var header: BlockHeader
        /// The 72 bytes' offset from the member's start.
        var fieldOffset: Int
        /// The deflate bytes' offset from the member's start.
        var dataOffset: Int
        /// Whether the gzip header differs from what we write, which any reader may trip over.
        var isFrameDamaged: Bool
        /// The runs of a pack, as seals; none where they are damaged, and for any other member.
        var runs: [BlockHeader] = []

        /// The headers of its lines: of a pack one for each run.
        var blocks: [BlockHeader] {
            if runs.isEmpty { return [header] }
            return runs.map { run in
                var block = run
                block.flags = []
                return block
            }
        }
    }

    /// How many bytes ``parse(_:)`` wants to see of a member that begins with these.
    static func headerByteCount(asIn bytes: UnsafeRawBufferPointer) -> Int {
        var count = 0
        if bytes.count >= 12, bytes.starts(with: fixed) {
            count = 12 + (Int(bytes[10]) | Int(bytes[11]) << 8)
        }
        // Where the gzip header is damaged its length is no guide.
        if bytes.count > headerByteCount + 4,
            bytes[headerByteCount..<(headerByteCount + 2)].elementsEqual(Pack.mark)
        {
            let length = Int(bytes[headerByteCount + 2]) | Int(bytes[headerByteCount + 3]) << 8
            count = max(count, headerByteCount + 4 + length)
        }
        return count
    }

    /// Reads the member that starts at the first of these bytes.
    ///
    /// Other subfields before or behind ours are passed over. Where the gzip header is damaged,
    /// the subfield is looked for where we write it.
    ///
    /// - Parameter bytes: Up to `headerByteCountMax` bytes; fewer at the end of the file.
    static func parse(_ bytes: UnsafeRawBufferPointer) -> Found? {
        if bytes.starts(with: fixed), bytes.count >= 12 {
            let end = 12 + (Int(bytes[10]) | Int(bytes[11]) << 8)
            if let found = walk(bytes, to: end) { return found }
        }
        let start = prefix.count
        guard bytes.count >= start + BlockHeader.byteCount,
            bytes[12..<start].elementsEqual(mark),
            let header = BlockHeader(decoding: UnsafeRawBufferPointer(rebasing: bytes[start...]))
        else { return nil }
        var found = Found(
            header: header, fieldOffset: start, dataOffset: headerByteCount, isFrameDamaged: true)
        if header.flags.contains(.packed) {
            guard let end = subfieldEnd(bytes, at: headerByteCount) else { return nil }
            found.runs = runs(in: bytes, at: headerByteCount, of: header)
            found.dataOffset = end
        }
        return isPlausible(header, dataOffset: found.dataOffset) ? found : nil
    }

    /// Where a subfield ends; nil where that is behind the bytes.
    private static func subfieldEnd(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Int? {
        guard offset + 4 <= bytes.count else { return nil }
        let end = offset + 4 + (Int(bytes[offset + 2]) | Int(bytes[offset + 3]) << 8)
        return end <= bytes.count ? end : nil
    }

    /// The runs of a pack, where the subfield at an offset is that of one.
    private static func runs(
        in bytes: UnsafeRawBufferPointer, at offset: Int, of header: BlockHeader
    ) -> [BlockHeader] {
        guard let end = subfieldEnd(bytes, at: offset),
            bytes[offset..<(offset + 2)].elementsEqual(Pack.mark)
        else { return [] }
        return Pack.decode(
            UnsafeRawBufferPointer(rebasing: bytes[(offset + 4)..<end]), of: header) ?? []
    }

    /// Finds our subfield among those that fill the extra field exactly, as gzip demands.
    private static func walk(_ bytes: UnsafeRawBufferPointer, to end: Int) -> Found? {
        guard end <= bytes.count else { return nil }
        var offset = 12
        var found: Found?
        while offset + 4 <= end {
            let length = Int(bytes[offset + 2]) | Int(bytes[offset + 3]) << 8
            let start = offset + 4
            if found == nil, bytes[offset..<start].elementsEqual(mark), start + length <= end,
                let header = BlockHeader(
                    decoding: UnsafeRawBufferPointer(rebasing: bytes[start..<(start + length)])),
                isPlausible(header, dataOffset: end)
            {
                found = Found(
                    header: header, fieldOffset: start, dataOffset: end, isFrameDamaged: false)
            } else if let header = found?.header, header.flags.contains(.packed),
                found?.runs.isEmpty == true, start + length <= end
            {
                found?.runs = runs(in: bytes, at: offset, of: header)
            }
            offset = start + length
        }
        return offset == end ? found : nil
    }

    private static func isPlausible(_ header: BlockHeader, dataOffset: Int) -> Bool {
        let length = Int(header.memberByteCount)
        return length >= dataOffset + 1 + trailerByteCount
            && length <= LogLimits.memberByteCountMax + headerByteCountMax
    }
}
