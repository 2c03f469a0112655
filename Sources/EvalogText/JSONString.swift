// A JSON string where it stands, and the bytes it means.

/// The place of a string between its quotes, already checked by the scanner that found it.
package struct JSONString: Equatable, Sendable {
    /// Byte offsets in the scanner's text.
    package var range: Range<Int>
    /// False: the bytes of the range are the value as they stand.
    package var hasEscapes: Bool

    package init(range: Range<Int>, hasEscapes: Bool) {
        self.range = range
        self.hasEscapes = hasEscapes
    }

    /// The greatest piece that ``forEachPiece(of:_:)`` lends.
    private static let pieceByteCountMax = 64 << 10

    /// Writes the bytes that the checked text between two quotes means, as UTF-8.
    ///
    /// Half of a surrogate pair becomes U+FFFD.
    /// - Parameter target: As long as `text`; what is written is never longer.
    /// - Returns: The bytes written.
    package static func unescape(
        _ text: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer
    ) -> Int {
        precondition(target.count >= text.count, "an unescaped string may be as long as it stands")
        var count = 0
        forEachPiece(of: text) { piece in
            UnsafeMutableRawBufferPointer(rebasing: target[count...]).copyMemory(from: piece)
            count += piece.count
        }
        return count
    }

    /// Lends the bytes that the checked text between two quotes means, piece by piece, as UTF-8.
    ///
    /// No piece cuts a character, and none is longer than 64 KiB. Half of a surrogate pair becomes
    /// U+FFFD.
    package static func forEachPiece<Failure: Error>(
        of text: UnsafeRawBufferPointer,
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        var offset = 0
        while offset < text.count {
            let end = endOfPiece(in: text, from: offset)
            if end > offset {
                try body(UnsafeRawBufferPointer(rebasing: text[offset..<end]))
                offset = end
            } else if text[offset + 1] == UInt8(ascii: "u") {
                let (scalar, length) = unicodeEscape(in: text, at: offset)
                try lend(scalar ?? "\u{FFFD}", to: body)
                offset += length
            } else {
                try lend(Unicode.Scalar(shortEscape(text[offset + 1])), to: body)
                offset += 2
            }
        }
    }

    /// Where the bytes that mean themselves end, or a piece of them that is long enough.
    private static func endOfPiece(in text: UnsafeRawBufferPointer, from offset: Int) -> Int {
        let limit = UTF8Check.endOfPiece(in: text, from: offset, byteCountMax: pieceByteCountMax)
        var end = offset
        while end < limit, text[end] != UInt8(ascii: "\\") { end += 1 }
        return end
    }

    private static func lend<Failure: Error>(
        _ scalar: Unicode.Scalar, to body: (UnsafeRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        var word: UInt32 = 0
        var count = 0
        for unit in Unicode.UTF8.encode(scalar) ?? .init() {
            word |= UInt32(unit) << (8 * count)
            count += 1
        }
        try withUnsafeBytes(of: word.littleEndian) { bytes throws(Failure) in
            try body(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
        }
    }

    private static func shortEscape(_ letter: UInt8) -> UInt8 {
        switch letter {
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: letter
        }
    }

    /// Reads one or, for a pair, two escapes of the form `\uXXXX` whose digits have been checked.
    ///
    /// - Returns: The scalar, nil for half of a pair, and the bytes that it took.
    static func unicodeEscape(
        in text: UnsafeRawBufferPointer, at offset: Int
    ) -> (scalar: Unicode.Scalar?, length: Int) {
        let first = codeUnit(in: text, at: offset + 2)
        guard first & 0xFC00 == 0xD800 else { return (Unicode.Scalar(first), 6) }
        guard offset + 12 <= text.count, text[offset + 6] == UInt8(ascii: "\\"),
            text[offset + 7] == UInt8(ascii: "u"), hexDigits(in: text, at: offset + 8)
        else { return (nil, 6) }
        let second = codeUnit(in: text, at: offset + 8)
        guard second & 0xFC00 == 0xDC00 else { return (nil, 6) }
        return (Unicode.Scalar(0x10000 + (first & 0x3FF) << 10 + (second & 0x3FF)), 12)
    }

    static func hexDigits(in text: UnsafeRawBufferPointer, at offset: Int) -> Bool {
        (offset..<offset + 4).allSatisfy { Hex.value(text[$0]) != nil }
    }

    private static func codeUnit(in text: UnsafeRawBufferPointer, at offset: Int) -> UInt32 {
        (offset..<offset + 4).reduce(0) { $0 << 4 | UInt32(Hex.value(text[$1]) ?? 0) }
    }
}
