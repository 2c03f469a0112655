// Who wrote a line: 128 random bits, drawn anew whenever a process opens the log.

/// One open of the log by one process; ordered as its hexadecimal text is.
package struct WriterID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The first eight bytes, read big-endian, so that order and text agree.
    package let high: UInt64
    /// The last eight bytes, read big-endian.
    package let low: UInt64

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Draws a new identity.
    package static func random() -> Self {
        var generator = SystemRandomNumberGenerator()
        return Self(high: generator.next(), low: generator.next())
    }

    /// Reads exactly 32 lowercase hexadecimal digits; nil for anything else.
    package init?(hexadecimal digits: some Collection<UInt8>) {
        guard digits.count == 32 else { return nil }
        var halves: [UInt64] = [0, 0]
        for (index, digit) in digits.enumerated() {
            let value: UInt8
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = digit - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): value = digit - UInt8(ascii: "a") + 10
            default: return nil
            }
            halves[index / 16] = halves[index / 16] << 4 | UInt64(value)
        }
        self.init(high: halves[0], low: halves[1])
    }

    /// The 32 hexadecimal digits used in names and positions.
    package var description: String { Self.digits(of: high) + Self.digits(of: low) }

    private static func digits(of half: UInt64) -> String {
        let text = String(half, radix: 16)
        return String(repeating: "0", count: 16 - text.utf8.count) + text
    }

    package static func < (left: Self, right: Self) -> Bool {
        left.high != right.high ? left.high < right.high : left.low < right.low
    }
}
