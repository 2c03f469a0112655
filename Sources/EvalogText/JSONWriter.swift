// JSON as bytes, in the order in which it is asked for; commas are the writer's business.

// Rounding a Double calls into the C library's mathematics, which only its import links.
#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Appends JSON values to a buffer; the text is compact and holds no line break.
///
/// The caller balances `begin` and `end`.
package struct JSONWriter {
    private var bytes: [UInt8]
    private var needsComma = false
    private let byteCountMax: Int
    private var isCut = false

    /// Appends to `buffer` what `write` writes, without copying the buffer.
    ///
    /// - Parameter byteCountMax: The greatest size of the buffer. Carried text does not grow it much
    ///   further, however much there is of it.
    /// - Returns: false where the buffer grew further, or would have; it holds no JSON then.
    @discardableResult
    package static func append(
        to buffer: inout [UInt8], byteCountMax: Int = .max, _ write: (inout JSONWriter) -> Void
    ) -> Bool {
        var writer = JSONWriter(bytes: [], byteCountMax: byteCountMax)
        swap(&writer.bytes, &buffer)
        write(&writer)
        swap(&writer.bytes, &buffer)
        return !writer.isCut && buffer.count <= byteCountMax
    }

    package mutating func beginObject() { open(UInt8(ascii: "{")) }
    package mutating func endObject() { close(UInt8(ascii: "}")) }
    package mutating func beginArray() { open(UInt8(ascii: "[")) }
    package mutating func endArray() { close(UInt8(ascii: "]")) }

    /// A key that needs no escapes.
    package mutating func key(_ name: StaticString) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        append(name)
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// A key of any text.
    package mutating func key(_ name: String) {
        string(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// A string of any text, escaped as ``string(_:)-(UnsafeRawBufferPointer)`` says.
    package mutating func string(_ value: String) {
        var value = value
        value.withUTF8 { string(UnsafeRawBufferPointer($0)) }
    }

    /// A string that needs no escapes.
    package mutating func string(_ value: StaticString) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        append(value)
        bytes.append(UInt8(ascii: "\""))
    }

    /// A string given as UTF-8; a byte that is none becomes U+FFFD.
    ///
    /// Escaped are `"`, `\`, control characters, and U+2028 and U+2029, which some readers of lines
    /// take for the end of one.
    package mutating func string(_ value: UnsafeRawBufferPointer) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        append(text: value)
        bytes.append(UInt8(ascii: "\""))
    }

    /// A string carried from another JSON text: checked, as it stands between its quotes there.
    ///
    /// Its escapes become those of ``string(_:)-(UnsafeRawBufferPointer)``.
    package mutating func string(escaped text: UnsafeRawBufferPointer) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        JSONString.forEachPiece(of: text) { piece in
            if hasRoom(for: piece.count) { append(text: piece) }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func append(text value: UnsafeRawBufferPointer) {
        var offset = 0
        while offset < value.count {
            let byte = value[offset]
            if byte < 0x80 {
                appendASCII(byte)
                offset += 1
                continue
            }
            let length = UTF8Check.length(in: value, at: offset)
            if length == 3, byte == 0xE2, value[offset + 1] == 0x80,
                value[offset + 2] == 0xA8 || value[offset + 2] == 0xA9
            {
                append(value[offset + 2] == 0xA8 ? "\\u2028" : "\\u2029")
            } else if length > 0 {
                bytes.append(contentsOf: value[offset..<offset + length])
            } else {
                append("\u{FFFD}")
            }
            offset += max(length, 1)
        }
    }

    /// A whole number without point and exponent.
    package mutating func integer(_ value: Int64) {
        separate()
        Decimal.append(value, to: &bytes)
    }

    /// A number in its shortest form; infinite ones become the greatest finite ones, NaN becomes 0.
    package mutating func number(_ value: Double) {
        let finite =
            value.isNaN
            ? 0 : min(max(value, -.greatestFiniteMagnitude), .greatestFiniteMagnitude)
        if abs(finite) < 1e15, let whole = Int64(exactly: finite) { return integer(whole) }
        separate()
        bytes.append(contentsOf: finite.description.utf8)
    }

    /// `true` or `false`.
    package mutating func bool(_ value: Bool) {
        separate()
        append(value ? "true" : "false")
    }

    /// A time as ``Timestamp/append(_:to:)`` writes it.
    package mutating func time(_ microseconds: Int64) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        Timestamp.append(microseconds, to: &bytes)
        bytes.append(UInt8(ascii: "\""))
    }

    /// A UUID in lowercase.
    package mutating func id(_ value: UniqueID) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        value.append(to: &bytes)
        bytes.append(UInt8(ascii: "\""))
    }

    /// A value that is JSON already.
    package mutating func raw(_ json: RawJSON) {
        separate()
        bytes.append(contentsOf: json.bytes)
    }

    /// A value carried from another JSON text: checked; white space between its tokens goes.
    package mutating func raw(compacting value: UnsafeRawBufferPointer) {
        separate()
        RawJSON.forEachRun(of: value) { run in
            if hasRoom(for: run.count) { bytes.append(contentsOf: run) }
        }
    }

    private init(bytes: [UInt8], byteCountMax: Int) {
        self.bytes = bytes
        self.byteCountMax = byteCountMax
    }

    /// Whether a piece of carried text is to be appended; once one is not, none is.
    private mutating func hasRoom(for byteCount: Int) -> Bool {
        isCut = isCut || bytes.count + byteCount > byteCountMax
        return !isCut
    }

    private mutating func open(_ bracket: UInt8) {
        separate()
        bytes.append(bracket)
        needsComma = false
    }

    private mutating func close(_ bracket: UInt8) {
        bytes.append(bracket)
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    private mutating func append(_ text: StaticString) {
        bytes.append(
            contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    private mutating func appendASCII(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): append("\\\"")
        case UInt8(ascii: "\\"): append("\\\\")
        case 0x0A: append("\\n")
        case 0x0D: append("\\r")
        case 0x09: append("\\t")
        case 0..<0x20:
            append("\\u00")
            bytes.append(Hex.digit(byte >> 4))
            bytes.append(Hex.digit(byte))
        default: bytes.append(byte)
        }
    }
}
