// Passing over values of any depth without recursion, and the values of strings.

extension JSONScanner {
    /// Takes the next value, checked to its last byte, and returns where it stands.
    package mutating func skipValue() throws(TextError) -> Range<Int> {
        let outerDepth = depth
        var isObject = BitStack()
        var start: Int?
        repeat {
            let kind = try valueKind()
            start = start ?? offset
            switch kind {
            case .object:
                try beginObject()
                isObject.push(true)
            case .array:
                try beginArray()
                isObject.push(false)
            case .string: _ = try string()
            case .number: _ = try number()
            case .bool: _ = try bool()
            case .null: try null()
            }
            while depth > outerDepth {
                if isObject.top {
                    if try nextKey() != nil { break }
                } else {
                    if try nextElement() { break }
                }
                isObject.pop()
            }
        } while depth > outerDepth
        return (start ?? offset)..<offset
    }

    /// The bytes of a range of the text, which for a string without escapes are its value.
    package func bytes(of range: Range<Int>) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: text[range])
    }

    /// A string's value as a copy.
    package func value(of string: JSONString) -> String {
        let bytes = bytes(of: string.range)
        guard string.hasEscapes else { return String(decoding: bytes, as: UTF8.self) }
        return String(unsafeUninitializedCapacity: bytes.count) {
            JSONString.unescape(bytes, into: UnsafeMutableRawBufferPointer($0))
        }
    }

    /// Lends a string's value; only one with escapes is copied.
    package func withValue<Result>(
        of string: JSONString, _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        let bytes = bytes(of: string.range)
        guard string.hasEscapes else { return body(bytes) }
        return withUnsafeTemporaryAllocation(byteCount: bytes.count, alignment: 1) { target in
            let count = JSONString.unescape(bytes, into: target)
            return body(UnsafeRawBufferPointer(rebasing: target[..<count]))
        }
    }
}

/// Bits, last in first out; the first 64 need no memory.
private struct BitStack {
    private var word: UInt64 = 0
    private var count = 0
    private var spilled: [UInt64] = []

    var top: Bool { word & 1 == 1 }

    mutating func push(_ bit: Bool) {
        if count > 0, count % 64 == 0 { spilled.append(word) }
        word = word << 1 | (bit ? 1 : 0)
        count += 1
    }

    mutating func pop() {
        count -= 1
        word = count > 0 && count % 64 == 0 ? spilled.removeLast() : word >> 1
    }
}
