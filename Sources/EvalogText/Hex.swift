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
}
