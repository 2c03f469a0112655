// Which bytes are UTF-8, character by character.

/// UTF-8 as Unicode defines it: no overlong form, no surrogate, nothing above U+10FFFF.
package enum UTF8Check {
    /// Bytes of the character that starts at `offset`, 0 if none does.
    package static func length(in text: UnsafeRawBufferPointer, at offset: Int) -> Int {
        let lead = text[offset]
        if lead < 0x80 { return 1 }
        let length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4
        guard lead >= 0xC2, lead <= 0xF4, offset + length <= text.count else { return 0 }
        let second = text[offset + 1]
        let least: UInt8 = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80
        let greatest: UInt8 = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF
        guard second >= least, second <= greatest else { return 0 }
        for next in offset + 2..<max(offset + 2, offset + length) where text[next] & 0xC0 != 0x80 {
            return 0
        }
        return length
    }

    /// Where a piece of UTF-8 text ends that is as long as allowed and cuts no character.
    ///
    /// - Parameter byteCountMax: At least 4.
    package static func endOfPiece(
        in text: UnsafeRawBufferPointer, from offset: Int, byteCountMax: Int
    ) -> Int {
        var end = min(text.count, offset + byteCountMax)
        while end < text.count, end > offset, text[end] & 0xC0 == 0x80 { end -= 1 }
        return end
    }
}
