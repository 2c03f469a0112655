// Hexadecimal digits, for ids, digests and escapes.

/// Hexadecimal digits as bytes.
package enum Hex {
    /// The value of a digit of either case, nil for any other byte.
    package static func value(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// The lowercase digit of the low four bits.
    package static func digit(_ value: UInt8) -> UInt8 {
        let low = value & 15
        return low < 10 ? UInt8(ascii: "0") + low : UInt8(ascii: "a") + low - 10
    }

    /// The value of eight digits, the first in the lowest byte; nil if one of them is none.
    ///
    /// All eight at once: each byte is a lane, and its top bit tells whether a test holds.
    @inline(__always)
    static func values(_ digits: UInt64) -> UInt32? {
        let lanes: UInt64 = 0x0101_0101_0101_0101
        let tops = lanes << 7
        let lowercase = digits | lanes * 0x20
        // Adding 0x80 - c sets the top bit of bytes from c on, below 0x80 without a carry.
        let isDigit = (digits &+ lanes * (0x80 - 0x30)) & ~(digits &+ lanes * (0x80 - 0x3A))
        let isLetter = (lowercase &+ lanes * (0x80 - 0x61)) & ~(lowercase &+ lanes * (0x80 - 0x67))
        guard digits & tops == 0, (isDigit | isLetter) & tops == tops else { return nil }
        // A letter has bit 6 set, and its low bits count from 1.
        var value = ((digits & (lanes * 0x0F)) + ((digits >> 6) & lanes) * 9).byteSwapped
        value = (value | (value >> 4)) & 0x00FF_00FF_00FF_00FF
        value = (value | (value >> 8)) & 0x0000_FFFF_0000_FFFF
        return UInt32(truncatingIfNeeded: value | (value >> 16))
    }
}
