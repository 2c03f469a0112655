// One 64-bit hash of bytes: the digest that stands for a line, and the hash of interned names.

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A fast hash of good quality with fixed keys: equal on every run and machine, not secret.
///
/// Two different inputs are equal by accident with a probability of about 2⁻⁶⁴. It is not meant to
/// withstand someone who looks for collisions. After wyhash of Wang Yi: multiply and fold.
package enum ByteHash {
    @inlinable package static var key0: UInt64 { 0xa076_1d64_78bd_642f }
    @inlinable package static var key1: UInt64 { 0xe703_7ed1_a0b4_28db }
    @inlinable package static var key2: UInt64 { 0x8ebc_6af0_9c88_c6e3 }
    @inlinable package static var seed: UInt64 { 0x5896_36db_d3d4_d2c9 }

    /// Both halves of the 128-bit product, folded.
    @inlinable @inline(__always)
    package static func mix(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let product = left.multipliedFullWidth(by: right)
        return product.high ^ product.low
    }

    /// The hash of 128 bits and a salt.
    @inlinable @inline(__always)
    package static func hash(high: UInt64, low: UInt64, salt: UInt64) -> UInt64 {
        mix(mix(high ^ key0, low ^ key1) ^ key2, salt ^ key1)
    }

    /// Continues `seed` with `bytes`; their number counts, so that the cut between two calls does.
    package static func hash(
        _ bytes: UnsafeRawBufferPointer, seed: UInt64 = ByteHash.seed
    ) -> UInt64 {
        let count = bytes.count
        var state = seed ^ key0
        var offset = 0
        if count >= 64 {
            // Three chains that do not wait for each other.
            var second = state
            var third = state
            repeat {
                state = mix(word(bytes, offset) ^ key1, word(bytes, offset &+ 8) ^ state)
                second = mix(word(bytes, offset &+ 16) ^ key2, word(bytes, offset &+ 24) ^ second)
                third = mix(word(bytes, offset &+ 32) ^ key0, word(bytes, offset &+ 40) ^ third)
                offset &+= 48
            } while count &- offset >= 48
            state ^= second ^ third
        }
        while count &- offset >= 16 {
            state = mix(word(bytes, offset) ^ key1, word(bytes, offset &+ 8) ^ state)
            offset &+= 16
        }
        let (first, last) = ends(bytes, from: offset)
        state = mix(first ^ key2, last ^ state)
        return mix(state ^ key1, UInt64(truncatingIfNeeded: count) ^ key0)
    }

    /// The last, less than 16, bytes as two words.
    @inline(__always)
    private static func ends(
        _ bytes: UnsafeRawBufferPointer, from offset: Int
    ) -> (UInt64, UInt64) {
        let count = bytes.count
        if count &- offset >= 8 { return (word(bytes, offset), word(bytes, count - 8)) }
        if count >= 8 { return (word(bytes, count - 8), 0) }
        var first: UInt64 = 0
        for index in offset..<count {
            first |= UInt64(bytes[index]) << UInt64(8 * (index - offset))
        }
        return (first, 0)
    }

    @inline(__always)
    private static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
}

extension UnsafeRawBufferPointer {
    /// Whether the other one holds the same bytes, wherever they stand.
    package func hasSameBytes(as other: Self) -> Bool {
        guard count == other.count else { return false }
        guard count > 0, let left = baseAddress, let right = other.baseAddress else { return true }
        return memcmp(left, right, count) == 0
    }
}
