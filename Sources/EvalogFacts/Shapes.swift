// The shapes of every text in a fact, in one place. What has no shape is no fact.

import EvalogText

/// A form that a text must have to stand in a fact.
package enum Shape: Sendable {
    /// `[a-z][a-z0-9_]{0,63}`; the same for the names of report fields.
    case usage
    /// `[A-Za-z0-9._:/@-]{1,64}` without `://`, so that no address passes.
    case model
    /// 1 to 128 bytes of UTF-8 without control characters, spaces and `@`.
    case subject
    /// A known system and up to four numbers: `iOS 26.1`.
    case os
    /// A hardware model, `[A-Za-z][A-Za-z0-9,._-]{0,31}` with a digit: no name that a person gave.
    case device
    /// `[A-Za-z0-9.-]{1,32}`.
    case app
    /// `[A-Za-z0-9._-]{1,63}`: a suite or a case of a test set.
    case testName
    /// 16 hex digits, lowercase: the start of a digest of a test set's file.
    case suiteDigest
    /// Any text of up to 64 bytes without control characters and others that are not seen. It is
    /// meant to be a member of a set that the field's catalog lists, which nothing here checks.
    case reportValue

    /// Whether the bytes are a text of this shape.
    ///
    /// Bytes that are no UTF-8 fit none but `reportValue`, whose callers have checked them.
    package func fits(_ text: UnsafeRawBufferPointer) -> Bool {
        switch self {
        case .usage:
            text.count <= FactLimits.usageByteCountMax
                && text.first.map(CharacterClass.lower.holds) ?? false
                && CharacterClass.usage.holdsAll(of: text)
        case .model:
            (1...FactLimits.modelByteCountMax).contains(text.count)
                && CharacterClass.model.holdsAll(of: text) && !Self.holdsScheme(text)
        case .subject:
            (1...FactLimits.subjectByteCountMax).contains(text.count)
                && Self.isOneWord(text)
        case .os: text.count <= FactLimits.osByteCountMax && Self.isSystem(text)
        case .device:
            text.count <= FactLimits.deviceByteCountMax
                && text.first.map(CharacterClass.letter.holds) ?? false
                && CharacterClass.device.holdsAll(of: text)
                && text.contains(where: CharacterClass.digit.holds)
        case .app:
            (1...FactLimits.appByteCountMax).contains(text.count)
                && CharacterClass.app.holdsAll(of: text)
        case .testName:
            (1...FactLimits.testNameByteCountMax).contains(text.count)
                && CharacterClass.testName.holdsAll(of: text)
        case .suiteDigest:
            text.count == FactLimits.suiteDigestByteCount
                && text.allSatisfy { byte in
                    CharacterClass.digit.holds(byte) || (UInt8(ascii: "a")...0x66).contains(byte)
                }
        case .reportValue:
            text.count <= FactLimits.reportValueByteCountMax && !ControlCharacter.isIn(text)
        }
    }

    /// Whether the text has this shape.
    package func fits(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { fits(UnsafeRawBufferPointer($0)) }
    }

    /// What stands in place of a text that does not fit, where one must stand.
    package static let other: StaticString = "other"

    private static func holdsScheme(_ text: UnsafeRawBufferPointer) -> Bool {
        text.indices.contains { index in
            text[index] == UInt8(ascii: ":") && index + 2 < text.count
                && text[index + 1] == UInt8(ascii: "/") && text[index + 2] == UInt8(ascii: "/")
        }
    }

    private static func isOneWord(_ text: UnsafeRawBufferPointer) -> Bool {
        var offset = 0
        while offset < text.count {
            let byte = text[offset]
            guard byte > 0x20, byte != 0x7F, byte != UInt8(ascii: "@") else { return false }
            let length = UTF8Check.length(in: text, at: offset)
            // U+0080 to U+009F are control characters as well.
            guard length > 0, !(byte == 0xC2 && text[offset + 1] < 0xA0) else { return false }
            offset += length
        }
        return true
    }

    /// The systems that have a name in a fact.
    package static let systems = NameTable(
        "iOS", "iPadOS", "macOS", "watchOS", "tvOS", "visionOS", "Android", "Linux", "Windows")

    private static func isSystem(_ text: UnsafeRawBufferPointer) -> Bool {
        let nameEnd = text.firstIndex(of: UInt8(ascii: " ")) ?? text.count
        guard systems.place(of: UnsafeRawBufferPointer(rebasing: text[..<nameEnd])) != nil else {
            return false
        }
        guard nameEnd < text.count else { return true }
        var numberCount = 1
        var isAfterDigit = false
        for byte in text[(nameEnd + 1)...] {
            if byte == UInt8(ascii: "."), isAfterDigit {
                numberCount += 1
                isAfterDigit = false
            } else {
                guard CharacterClass.digit.holds(byte) else { return false }
                isAfterDigit = true
            }
        }
        return numberCount <= 4 && isAfterDigit
    }
}

extension SessionID {
    /// Reads a UUID of either case, or `~` and 32 lowercase hex digits; nil for any other text.
    package init?(_ text: UnsafeRawBufferPointer) {
        if let id = UniqueID(text) {
            self.init(bits: id, isDigest: false)
        } else if text.first == UInt8(ascii: "~"),
            let digest = UniqueID(hex: UnsafeRawBufferPointer(rebasing: text.dropFirst()))
        {
            self.init(bits: digest, isDigest: true)
        } else {
            return nil
        }
    }

    /// Appends the text that ``init(_:)`` reads, lowercase.
    package func append(to buffer: inout [UInt8]) {
        if isDigest {
            buffer.append(UInt8(ascii: "~"))
            bits.appendHex(to: &buffer)
        } else {
            bits.append(to: &buffer)
        }
    }

    package var text: String {
        var buffer: [UInt8] = []
        append(to: &buffer)
        return String(decoding: buffer, as: UTF8.self)
    }
}

/// Classes of ASCII characters, looked up in a table.
private struct CharacterClass: OptionSet {
    let rawValue: UInt8

    static let lower = Self(rawValue: 1)
    static let upper = Self(rawValue: 2)
    static let digit = Self(rawValue: 4)
    static let underscore = Self(rawValue: 8)
    static let dot = Self(rawValue: 16)
    static let hyphen = Self(rawValue: 32)
    static let comma = Self(rawValue: 64)
    /// `:` `/` `@`
    static let path = Self(rawValue: 128)

    static let letter: Self = [.lower, .upper]
    static let usage: Self = [.lower, .digit, .underscore]
    static let model: Self = [.letter, .digit, .underscore, .dot, .hyphen, .path]
    static let device: Self = [.letter, .digit, .underscore, .dot, .hyphen, .comma]
    static let app: Self = [.letter, .digit, .dot, .hyphen]
    static let testName: Self = [.letter, .digit, .underscore, .dot, .hyphen]

    func holds(_ byte: UInt8) -> Bool {
        rawValue & Self.table[Int(byte)] != 0
    }

    func holdsAll(of text: UnsafeRawBufferPointer) -> Bool {
        text.allSatisfy(holds)
    }

    private static let table: [UInt8] = (0...255).map { byte in
        switch UInt8(byte) {
        case UInt8(ascii: "a")...UInt8(ascii: "z"): lower.rawValue
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): upper.rawValue
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit.rawValue
        case UInt8(ascii: "_"): underscore.rawValue
        case UInt8(ascii: "."): dot.rawValue
        case UInt8(ascii: "-"): hyphen.rawValue
        case UInt8(ascii: ","): comma.rawValue
        case UInt8(ascii: ":"), UInt8(ascii: "/"), UInt8(ascii: "@"): path.rawValue
        default: 0
        }
    }
}
