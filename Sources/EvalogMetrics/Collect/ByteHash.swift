// One 64-bit hash of bytes: the digest that stands for a line, and the hash of interned names.

/// A fast hash of good quality with fixed keys: equal on every run and machine, not secret.
///
/// Two different inputs are equal by accident with a probability of about 2⁻⁶⁴. It is not meant to
/// withstand someone who looks for collisions.
enum ByteHash {
    private static let key0: UInt64 = 0xa076_1d64_78bd_642f
    private static let key1: UInt64 = 0xe703_7ed1_a0b4_28db
    private static let key2: UInt64 = 0x8ebc_6af0_9c88_c6e3
    static let seed: UInt64 = 0x5896_36db_d3d4_d2c9

    /// Both halves of the 128-bit product, folded.
    @inline(__always)
    static func mix(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let product = left.multipliedFullWidth(by: right)
        return product.high ^ product.low
    }

    @inline(__always)
    static func hash(high: UInt64, low: UInt64, salt: UInt64) -> UInt64 {
        mix(mix(high ^ key0, low ^ key1) ^ key2, salt ^ key1)
    }

    /// Continues `seed` with `bytes`; their number counts, so that the cut between two calls does.
    static func hash(_ bytes: UnsafeRawBufferPointer, seed: UInt64 = seed) -> UInt64 {
        let count = bytes.count
        var state = seed ^ key0
        var offset = 0
        while count &- offset >= 16 {
            state = mix(word(bytes, offset) ^ key1, word(bytes, offset &+ 8) ^ state)
            offset &+= 16
        }
        var first: UInt64 = 0
        var second: UInt64 = 0
        let rest = count &- offset
        if rest >= 8 {
            first = word(bytes, offset)
            second = word(bytes, count - 8)
        } else if count >= 8 {
            first = word(bytes, count - 8)
        } else {
            for index in offset..<count {
                first |= UInt64(bytes[index]) << UInt64(8 * (index - offset))
            }
        }
        state = mix(first ^ key2, second ^ state)
        return mix(state ^ key1, UInt64(truncatingIfNeeded: count) ^ key0)
    }

    @inline(__always)
    private static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
}
