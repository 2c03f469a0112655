// Characters that steer what shows a text, and are not seen themselves.

extension Unicode.Scalar {
    /// Whether it is a control character or another that shows nothing itself, but ends a line, turns or
    /// hides its neighbours, or tells texts apart that look the same.
    ///
    /// The joiners U+200C and U+200D are none: words are spelled with them. A list and not the
    /// standard library's categories (Cc, Zl, Zp, most of Cf), which change with its version.
    package var isControl: Bool {
        switch value {
        case 0...0x1F, 0x7F...0x9F, 0xAD, 0x61C, 0x180E, 0x200B, 0x200E, 0x200F, 0x2028...0x202E,
            0x2060...0x206F, 0xFEFF, 0xFFF9...0xFFFB, 0x1BCA0...0x1BCA3, 0x1D173...0x1D17A,
            0xE0000...0xE007F:
            true
        default: false
        }
    }
}

/// The same for text as UTF-8.
package enum ControlCharacter {
    /// Whether a text has any.
    ///
    /// - Complexity: One look at each byte of a text in ASCII.
    package static func isIn(_ text: UnsafeRawBufferPointer) -> Bool {
        if text.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return false }
        return String(decoding: text, as: UTF8.self).unicodeScalars.contains(where: \.isControl)
    }
}
