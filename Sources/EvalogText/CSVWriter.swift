// Cells and rows of RFC 4180 as bytes. Only bytes are looked at: Swift's Characters hide CR LF, and
// a comma before a combining mark.

/// Renders rows into a buffer that the caller takes away when it is large enough.
package struct CSVWriter {
    /// What has been rendered and not been removed.
    package private(set) var bytes: [UInt8] = []
    private var isRowEmpty = true

    /// A writer at the start of a row.
    package init() {}

    /// A missing value.
    package mutating func empty() { separate() }

    /// A text, as UTF-8. One that a spreadsheet could take for a formula gets a `'` in front.
    package mutating func text(_ text: UnsafeRawBufferPointer) {
        separate()
        let guarded = Self.startsLikeFormula(text)
        let quoted = Self.needsQuotes(text)
        if quoted { bytes.append(UInt8(ascii: "\"")) }
        if guarded { bytes.append(UInt8(ascii: "'")) }
        for byte in text {
            if byte == UInt8(ascii: "\"") { bytes.append(byte) }
            bytes.append(byte)
        }
        if quoted { bytes.append(UInt8(ascii: "\"")) }
    }

    /// A text that a programmer wrote down.
    package mutating func text(_ text: StaticString) {
        self.text(
            UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// A number of any size in plain digits.
    package mutating func integer(_ value: some BinaryInteger) {
        separate()
        if let small = Int64(exactly: value) {
            Decimal.append(small, to: &bytes)
        } else {
            bytes += String(value).utf8
        }
    }

    /// Microseconds as milliseconds with three decimals; nil is a missing value.
    package mutating func milliseconds(_ microseconds: UInt64?) {
        separate()
        guard let microseconds else { return }
        Decimal.appendMilliseconds(microseconds: Int64(clamping: microseconds), to: &bytes)
    }

    /// Millionths as a fraction with six decimals; nil is a missing value.
    package mutating func fraction(millionths: Int?) {
        separate()
        guard let millionths else { return }
        Decimal.appendFraction(millionths: Int64(millionths), to: &bytes)
    }

    /// Microseconds as milliseconds, also below 0.
    package mutating func signedMilliseconds(_ microseconds: Int64) {
        separate()
        Decimal.appendMilliseconds(microseconds: microseconds, to: &bytes)
    }

    /// Millionths as a fraction, also below 0.
    package mutating func signedFraction(_ millionths: Int64) {
        separate()
        Decimal.appendFraction(millionths: millionths, to: &bytes)
    }

    /// A time as `2026-11-29T10:00:00Z`.
    package mutating func time(_ microseconds: Int64) {
        separate()
        Timestamp.appendSeconds(microseconds, to: &bytes)
    }

    /// Ends the row, be it empty.
    package mutating func endRow() {
        bytes.append(0x0D)
        bytes.append(0x0A)
        isRowEmpty = true
    }

    /// Forgets the bytes, keeps their room.
    package mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    private mutating func separate() {
        if !isRowEmpty { bytes.append(UInt8(ascii: ",")) }
        isRowEmpty = false
    }

    private static func startsLikeFormula(_ text: UnsafeRawBufferPointer) -> Bool {
        switch text.first {
        case UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "@"),
            UInt8(ascii: "'"), 0x09, 0x0D:
            true
        default: false
        }
    }

    private static func needsQuotes(_ text: UnsafeRawBufferPointer) -> Bool {
        for (offset, byte) in text.enumerated() {
            switch byte {
            case UInt8(ascii: ","), UInt8(ascii: "\""), 0x0D, 0x0A: return true
            case 0xE2:
                // U+2028 and U+2029, which some readers take for the end of a line.
                guard offset + 2 < text.count, text[offset + 1] == 0x80 else { continue }
                if text[offset + 2] == 0xA8 || text[offset + 2] == 0xA9 { return true }
            default: continue
            }
        }
        return false
    }
}
