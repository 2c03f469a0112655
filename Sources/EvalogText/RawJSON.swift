// A JSON value that is carried, not understood: a model's answer, a schema.

/// One JSON value as bytes: checked, without white space between its tokens, else as it came.
///
/// Numbers keep their digits, objects their order and repeated keys, strings their escapes.
package struct RawJSON: Hashable, Sendable {
    /// The value's text, never empty.
    package let bytes: [UInt8]

    /// - Throws: ``TextError`` if `text` is not one JSON value of at most ``TextLimits/depthMax``
    ///   levels. Half a surrogate pair in escaped form is kept.
    package init(_ text: UnsafeRawBufferPointer) throws(TextError) {
        var scanner = JSONScanner(text, loneSurrogates: .replaced)
        let range = try scanner.skipValue()
        try scanner.end()
        bytes = Self.compact(UnsafeRawBufferPointer(rebasing: text[range]))
    }

    /// - Throws: As ``init(_:)-(UnsafeRawBufferPointer)``.
    package init(_ text: [UInt8]) throws(TextError) {
        let result = text.withUnsafeBytes { bytes in
            Result { () throws(TextError) in try RawJSON(bytes) }
        }
        self = try result.get()
    }

    /// The JSON string that means `text`: how something that is not JSON is carried.
    package init(string text: String) {
        var bytes: [UInt8] = []
        JSONWriter.append(to: &bytes) { $0.string(text) }
        self.bytes = bytes
    }

    private static func compact(_ value: UnsafeRawBufferPointer) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(value.count)
        forEachRun(of: value) { result.append(contentsOf: $0) }
        return result
    }

    /// Lends what a checked value is without the white space between its tokens.
    static func forEachRun(
        of value: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void
    ) {
        var start = 0
        var offset = 0
        var isInString = false
        while offset < value.count {
            let byte = value[offset]
            if isInString {
                if byte == UInt8(ascii: "\\") { offset += 1 }
                isInString = byte != UInt8(ascii: "\"")
            } else if byte <= 0x20 {
                if start < offset { body(UnsafeRawBufferPointer(rebasing: value[start..<offset])) }
                start = offset + 1
            } else {
                isInString = byte == UInt8(ascii: "\"")
            }
            offset += 1
        }
        if start < value.count { body(UnsafeRawBufferPointer(rebasing: value[start...])) }
    }
}
