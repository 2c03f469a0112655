// Bytes of a keyboard → keys. What the arrow and function keys send begins with an escape and is
// passed over, so that no letter in it is taken for a key.

/// Tells keys from the sequences of other keys, byte by byte, wherever reads end.
struct KeyReader {
    private enum State { case plain, escape, sequence }

    private static let escapeByte: UInt8 = 0x1B
    private var state = State.plain

    /// The key that a byte completes; nil for a part of a sequence.
    mutating func key(_ byte: UInt8) -> Character? {
        switch (state, byte) {
        case (_, Self.escapeByte): state = .escape
        case (.escape, UInt8(ascii: "[")), (.escape, UInt8(ascii: "O")): state = .sequence
        case (.escape, _): state = .plain
        case (.sequence, 0x40...0x7E): state = .plain
        case (.sequence, _): break
        case (.plain, 0x20...0x7E): return Character(UnicodeScalar(byte))
        case (.plain, _): break
        }
        return nil
    }
}
