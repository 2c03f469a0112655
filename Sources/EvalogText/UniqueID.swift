// The 128 bits behind every id: cheap to hash, compare and store, unlike their text.

/// A UUID as two integers, ordered as its lowercase text is.
package struct UniqueID: Hashable, Comparable, BitwiseCopyable, Sendable {
    package var high: UInt64
    package var low: UInt64

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// How it was made, 4 being at random; nil where its bits do not say so.
    package var version: Int? {
        low >> 62 == 0b10 ? Int(high >> 12 & 0xF) : nil
    }

    package static func < (left: Self, right: Self) -> Bool {
        left.high != right.high ? left.high < right.high : left.low < right.low
    }
}

// MARK: Text

extension UniqueID {
    /// Reads 8-4-4-4-12 hex digits of either case, any version; nil for every other text.
    package init?(_ text: UnsafeRawBufferPointer) {
        guard text.count == 36, let start = text.baseAddress else { return nil }
        let hyphen = UInt8(ascii: "-")
        guard text[8] == hyphen, text[13] == hyphen, text[18] == hyphen, text[23] == hyphen else {
            return nil
        }
        func word(_ offset: Int, _ second: Int) -> UInt64 {
            UInt64(start.loadUnaligned(fromByteOffset: offset, as: UInt32.self).littleEndian)
                | UInt64(start.loadUnaligned(fromByteOffset: second, as: UInt32.self).littleEndian)
                << 32
        }
        guard let first = Hex.values(word(0, 4)), let second = Hex.values(word(9, 14)),
            let third = Hex.values(word(19, 24)), let fourth = Hex.values(word(28, 32))
        else { return nil }
        self.init(
            high: UInt64(first) << 32 | UInt64(second), low: UInt64(third) << 32 | UInt64(fourth))
    }

    /// Reads 32 hex digits, which must be lowercase.
    package init?(hex text: UnsafeRawBufferPointer) {
        guard text.count == 32 else { return nil }
        self.init(high: 0, low: 0)
        for byte in text {
            guard let digit = Hex.value(byte), Hex.digit(digit) == byte else { return nil }
            append(digit: digit)
        }
    }

    private mutating func append(digit: UInt8) {
        high = high << 4 | low >> 60
        low = low << 4 | UInt64(digit)
    }

    /// Appends 8-4-4-4-12 lowercase hex digits.
    package func append(to buffer: inout [UInt8]) {
        appendHex(to: &buffer, hyphens: true)
    }

    /// Appends 32 lowercase hex digits.
    package func appendHex(to buffer: inout [UInt8]) {
        appendHex(to: &buffer, hyphens: false)
    }

    /// 8-4-4-4-12 lowercase hex digits.
    package var text: String {
        var buffer: [UInt8] = []
        append(to: &buffer)
        return String(decoding: buffer, as: UTF8.self)
    }

    private func appendHex(to buffer: inout [UInt8], hyphens: Bool) {
        for index in 0..<16 {
            if hyphens, index == 4 || index == 6 || index == 8 || index == 10 {
                buffer.append(UInt8(ascii: "-"))
            }
            let word = index < 8 ? high : low
            let byte = UInt8(truncatingIfNeeded: word >> UInt64(56 - index % 8 * 8))
            buffer.append(Hex.digit(byte >> 4))
            buffer.append(Hex.digit(byte))
        }
    }
}

// MARK: Making

extension UniqueID {
    /// A random UUID: version 4.
    package static func random(using source: inout some RandomNumberGenerator) -> Self {
        Self(high: source.next(), low: source.next()).marked(version: 4)
    }

    /// A UUID that sorts by its time: version 7, random below the millisecond.
    ///
    /// - Parameter microseconds: Since 1970; what is before is taken as 1970.
    package static func timeOrdered(
        microseconds: Int64, using source: inout some RandomNumberGenerator
    ) -> Self {
        let milliseconds = UInt64(max(microseconds, 0) / 1_000)
        return Self(high: milliseconds << 16 | source.next() >> 48, low: source.next())
            .marked(version: 7)
    }

    /// A UUID that is a function of what was digested: version 8, from the first 16 bytes.
    package static func derived(fromDigest digest: [UInt8]) -> Self {
        leading(bytesOf: digest).marked(version: 8)
    }

    /// The first 16 bytes as they are, most significant first.
    package static func leading(bytesOf digest: [UInt8]) -> Self {
        precondition(digest.count >= 16, "a UUID is made of 16 bytes or more")
        let words = (0..<2).map { word in
            digest[word * 8..<word * 8 + 8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        }
        return Self(high: words[0], low: words[1])
    }

    private func marked(version: UInt64) -> Self {
        Self(
            high: high & ~0xF000 | version << 12,
            low: low & ~(0b11 << 62) | 0b10 << 62)
    }
}
