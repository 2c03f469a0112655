// What can be wrong with a text, without a byte of the text itself.

/// Limits of everything that reads text.
package enum TextLimits {
    /// Nested arrays and objects that a reader follows; the next level is an error.
    package static let depthMax = 512
}

/// The first fault of a text: its class and where it stands. It never holds what stood there.
package struct TextError: Error, Equatable, Sendable {
    /// Classes of faults; tools turn them into words.
    package enum Kind: UInt8, Sendable {
        /// The text ends inside a value.
        case truncated
        /// A byte that JSON does not allow at its place.
        case unexpectedByte
        case invalidUTF8
        /// A control character that stands in a string without an escape.
        case controlCharacter
        case badEscape
        /// Half of a surrogate pair, where the reader was told to refuse it.
        case loneSurrogate
        /// More than ``TextLimits/depthMax`` levels.
        case tooDeep
        /// A fraction, an exponent or a value outside of 64 bits where an integer is due.
        case notAnInteger
        /// Bytes behind the value.
        case trailingBytes
    }

    package var kind: Kind
    /// Bytes before the fault, counted from the start of the text that the reader was given.
    package var offset: Int

    package init(_ kind: Kind, at offset: Int) {
        self.kind = kind
        self.offset = offset
    }
}
