// A pull scanner over the bytes of one JSON text: no tree, no copies, no recursion.

/// Reads one JSON text from left to right; each call takes one token.
///
/// The caller asks for what it expects, and the scanner throws a ``TextError`` at the first byte
/// that is something else; after an error the scanner is of no further use. The text must outlive
/// the scanner. Nothing is allocated below a depth of 64.
package struct JSONScanner {
    /// What a reader makes of `\ud800` without its other half, which JSON's grammar allows.
    package enum LoneSurrogates: Sendable {
        case refused
        /// Accepted; unescaping yields U+FFFD.
        case replaced
    }

    /// The kinds of JSON values, told by their first byte.
    package enum ValueKind: Sendable {
        case object, array, string, number, bool, null
    }

    package let text: UnsafeRawBufferPointer
    /// Bytes taken so far.
    package private(set) var offset: Int
    /// Containers that are open.
    package private(set) var depth = 0
    private let loneSurrogates: LoneSurrogates

    /// - Parameter offset: Where a value, or white space before one, begins.
    package init(
        _ text: UnsafeRawBufferPointer, at offset: Int = 0,
        loneSurrogates: LoneSurrogates = .refused
    ) {
        self.text = text
        self.offset = offset
        self.loneSurrogates = loneSurrogates
    }

    // MARK: Structure

    /// The kind of the value that comes next, which is not taken.
    package mutating func valueKind() throws(TextError) -> ValueKind {
        switch try peek() {
        case UInt8(ascii: "{"): return .object
        case UInt8(ascii: "["): return .array
        case UInt8(ascii: "\""): return .string
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number
        case UInt8(ascii: "t"), UInt8(ascii: "f"): return .bool
        case UInt8(ascii: "n"): return .null
        default: throw TextError(.unexpectedByte, at: offset)
        }
    }

    /// Takes `{`; read on with ``nextKey()`` until it returns nil.
    package mutating func beginObject() throws(TextError) {
        try begin(UInt8(ascii: "{"))
    }

    /// Takes `[`; read on with ``nextElement()`` until it returns false.
    package mutating func beginArray() throws(TextError) {
        try begin(UInt8(ascii: "["))
    }

    /// Takes the next key and its colon, or the end of the object, for which it returns nil.
    package mutating func nextKey() throws(TextError) -> JSONString? {
        guard try next(opening: UInt8(ascii: "{"), closing: UInt8(ascii: "}")) else { return nil }
        let key = try string()
        try take(UInt8(ascii: ":"))
        return key
    }

    /// Steps to the next element, or takes the end of the array and returns false.
    package mutating func nextElement() throws(TextError) -> Bool {
        try next(opening: UInt8(ascii: "["), closing: UInt8(ascii: "]"))
    }

    /// Demands that nothing but white space is left.
    package mutating func end() throws(TextError) {
        skipWhitespace()
        guard offset == text.count else { throw TextError(.trailingBytes, at: offset) }
    }

    private mutating func begin(_ bracket: UInt8) throws(TextError) {
        try take(bracket)
        guard depth < TextLimits.depthMax else { throw TextError(.tooDeep, at: offset - 1) }
        depth += 1
    }

    /// White space is only ever skipped before a token, and no value ends in an opening bracket: so
    /// the byte before `offset` tells whether the container was just opened, without a stack.
    @inline(__always)
    private mutating func next(opening: UInt8, closing: UInt8) throws(TextError) -> Bool {
        precondition(depth > 0, "a container is begun before it is iterated")
        let isFirst = text[offset - 1] == opening
        let byte = try peek()
        if byte == closing {
            offset += 1
            depth -= 1
            return false
        }
        if !isFirst {
            guard byte == UInt8(ascii: ",") else { throw TextError(.unexpectedByte, at: offset) }
            offset += 1
        }
        return true
    }

    // MARK: Scalars

    /// Takes a string and checks its escapes and its UTF-8.
    package mutating func string() throws(TextError) -> JSONString {
        try take(UInt8(ascii: "\""))
        let start = offset
        var hasEscapes = false
        while true {
            offset = Self.endOfPlainText(in: text, from: offset)
            guard offset < text.count else { throw TextError(.truncated, at: offset) }
            let byte = text[offset]
            if byte == UInt8(ascii: "\"") {
                offset += 1
                return JSONString(range: start..<offset - 1, hasEscapes: hasEscapes)
            } else if byte == UInt8(ascii: "\\") {
                hasEscapes = true
                try takeEscape()
            } else if byte < 0x20 {
                throw TextError(.controlCharacter, at: offset)
            } else {
                let length = UTF8Check.length(in: text, at: offset)
                guard length > 0 else { throw TextError(.invalidUTF8, at: offset) }
                offset += length
            }
        }
    }

    @inline(__always)
    private static func endOfPlainText(in text: UnsafeRawBufferPointer, from start: Int) -> Int {
        guard let base = text.baseAddress else { return start }
        return endOfPlainText(from: base + start, to: base + text.count) - base
    }

    /// The first byte before `end` that is no ASCII character meaning itself in a string; `end` if
    /// all are.
    @inlinable @inline(__always)
    package static func endOfPlainText(
        from start: UnsafeRawPointer, to end: UnsafeRawPointer
    ) -> UnsafeRawPointer {
        var at = start
        // Eight bytes at a time: the top bit is set where one is below 0x20, `"`, `\` or not ASCII.
        let ones: UInt64 = 0x0101_0101_0101_0101
        let tops: UInt64 = 0x8080_8080_8080_8080
        while end - at >= 8 {
            let word = UInt64(littleEndian: at.loadUnaligned(as: UInt64.self))
            let belowSpace = word &- (ones &* 0x20)
            let isQuote = (word ^ (ones &* 0x22)) &- ones
            let isBackslash = (word ^ (ones &* 0x5C)) &- ones
            let special = (belowSpace | isQuote | isBackslash | word) & tops
            // Borrows can only mark bytes above a marked one, so the lowest mark is right.
            if special != 0 { return at + special.trailingZeroBitCount / 8 }
            at += 8
        }
        while at < end {
            let byte = at.load(as: UInt8.self)
            guard byte >= 0x20, byte < 0x80, byte != 0x22, byte != 0x5C else { break }
            at += 1
        }
        return at
    }

    /// Takes a number of any size and returns where it stands.
    package mutating func number() throws(TextError) -> Range<Int> {
        _ = try peek()
        let start = offset
        if text[offset] == UInt8(ascii: "-") { offset += 1 }
        if offset < text.count, text[offset] == UInt8(ascii: "0") {
            offset += 1
        } else {
            try takeDigits()
        }
        if offset < text.count, text[offset] == UInt8(ascii: ".") {
            offset += 1
            try takeDigits()
        }
        if offset < text.count, text[offset] | 0x20 == UInt8(ascii: "e") {
            offset += 1
            if offset < text.count,
                text[offset] == UInt8(ascii: "+") || text[offset] == UInt8(ascii: "-")
            {
                offset += 1
            }
            try takeDigits()
        }
        return start..<offset
    }

    /// Takes a whole number of 64 bits written without point and exponent.
    package mutating func integer() throws(TextError) -> Int64 {
        let range = try number()
        guard let value = Self.integer(UnsafeRawBufferPointer(rebasing: text[range])) else {
            throw TextError(.notAnInteger, at: range.lowerBound)
        }
        return value
    }

    /// Takes `true` or `false`.
    package mutating func bool() throws(TextError) -> Bool {
        if try peek() == UInt8(ascii: "t") {
            try takeLiteral("true")
            return true
        }
        try takeLiteral("false")
        return false
    }

    /// Takes `null`.
    package mutating func null() throws(TextError) {
        try takeLiteral("null")
    }

    /// The value of a number's text, nil for a fraction, an exponent or more than 64 bits.
    package static func integer(_ number: UnsafeRawBufferPointer) -> Int64? {
        let isNegative = number.first == UInt8(ascii: "-")
        let digits = number.dropFirst(isNegative ? 1 : 0)
        guard !digits.isEmpty else { return nil }
        var value: Int64 = 0
        for byte in digits {
            let digit = byte &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            let (product, overflows) = value.multipliedReportingOverflow(by: 10)
            let (sum, carries) =
                isNegative
                ? product.subtractingReportingOverflow(Int64(digit))
                : product.addingReportingOverflow(Int64(digit))
            guard !overflows, !carries else { return nil }
            value = sum
        }
        return value
    }

    // MARK: Bytes

    /// Skips white space and returns the byte that follows, which is not taken.
    @inline(__always)
    private mutating func peek() throws(TextError) -> UInt8 {
        if offset < text.count, text[offset] > 0x20 { return text[offset] }
        return try peekBehindWhitespace()
    }

    @inline(never)
    private mutating func peekBehindWhitespace() throws(TextError) -> UInt8 {
        skipWhitespace()
        guard offset < text.count else { throw TextError(.truncated, at: offset) }
        return text[offset]
    }

    private mutating func skipWhitespace() {
        while offset < text.count {
            switch text[offset] {
            case 0x20, 0x0A, 0x0D, 0x09: offset += 1
            default: return
            }
        }
    }

    @inline(__always)
    private mutating func take(_ byte: UInt8) throws(TextError) {
        guard try peek() == byte else { throw TextError(.unexpectedByte, at: offset) }
        offset += 1
    }

    @inline(__always)
    private mutating func takeDigits() throws(TextError) {
        let start = offset
        while offset < text.count, text[offset] &- UInt8(ascii: "0") < 10 { offset += 1 }
        guard offset == start else { return }
        throw TextError(offset < text.count ? .unexpectedByte : .truncated, at: offset)
    }

    private mutating func takeLiteral(_ literal: StaticString) throws(TextError) {
        _ = try peek()
        for index in 0..<literal.utf8CodeUnitCount {
            guard offset < text.count else { throw TextError(.truncated, at: offset) }
            guard text[offset] == literal.utf8Start[index] else {
                throw TextError(.unexpectedByte, at: offset)
            }
            offset += 1
        }
    }

    private mutating func takeEscape() throws(TextError) {
        guard offset + 1 < text.count else { throw TextError(.truncated, at: text.count) }
        switch text[offset + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
            UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            offset += 2
        case UInt8(ascii: "u"):
            guard offset + 6 <= text.count else { throw TextError(.truncated, at: text.count) }
            guard JSONString.hexDigits(in: text, at: offset + 2) else {
                throw TextError(.badEscape, at: offset)
            }
            let (scalar, length) = JSONString.unicodeEscape(in: text, at: offset)
            if scalar == nil, loneSurrogates == .refused {
                throw TextError(.loneSurrogate, at: offset)
            }
            offset += length
        default:
            throw TextError(.badEscape, at: offset)
        }
    }
}
