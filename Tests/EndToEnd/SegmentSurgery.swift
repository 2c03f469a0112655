// Segments taken apart and put together again by hand, from the format's document alone: nothing
// here uses the product's code.

/// One gzip member of a segment, as schemas/log-format-v1.md describes it.
struct MemberBytes {
    /// Where the `EL` subfield's 72 bytes begin in a member that evalog wrote.
    private static let field = 16
    var bytes: [UInt8]

    var isSeal: Bool { bytes[Self.field + 1] & 1 != 0 }

    /// The members of a segment; nil where it is not made of whole ones.
    static func all(of segment: [UInt8]) -> [MemberBytes]? {
        var members: [MemberBytes] = []
        var offset = 0
        while offset < segment.count {
            guard offset + field + 72 <= segment.count, segment[offset] == 0x1F,
                Array(segment[(offset + 12)..<(offset + 14)]) == Array("EL".utf8)
            else { return nil }
            let start = offset + field + 4
            let length = (0..<4).reduce(0) { $0 | Int(segment[start + $1]) << (8 * $1) }
            guard offset + length <= segment.count else { return nil }
            members.append(MemberBytes(bytes: Array(segment[offset..<(offset + length)])))
            offset += length
        }
        return members
    }

    /// Makes these members a run of their own.
    static func run(_ members: [MemberBytes]) -> [UInt8] {
        var chain: UInt32 = 0
        var result: [UInt8] = []
        for member in members {
            var bytes = member.bytes
            store(chain, in: &bytes, at: field + 64)
            store(checksum(bytes[field..<(field + 68)]), in: &bytes, at: field + 68)
            chain = checksum(bytes[field..<(field + 68)] + bytes.suffix(8))
            result += bytes
        }
        return result
    }

    private static func store(_ value: UInt32, in bytes: inout [UInt8], at offset: Int) {
        for index in 0..<4 {
            bytes[offset + index] = UInt8(truncatingIfNeeded: value >> (8 * index))
        }
    }

    /// CRC-32 as gzip has it, bit by bit.
    private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        ~bytes.reduce(~UInt32(0)) { sum, byte in
            (0..<8).reduce(sum ^ UInt32(byte)) { value, _ in
                value >> 1 ^ (value & 1 == 0 ? 0 : 0xEDB8_8320)
            }
        }
    }
}
