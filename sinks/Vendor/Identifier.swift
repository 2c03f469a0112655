// The names, ids and times that may leave: each can only be made by passing its check.

import EvalogFacts
package import EvalogText

/// A name that an app or an author chose for a message, a form or a property.
///
/// Narrower than a subject of the log: no address, path, query or text in a human language has this
/// form. A name of a person in ASCII letters has it; that is why there are reviewed catalogs.
package struct Identifier: Hashable, Comparable, Sendable {
    /// As a regular expression.
    package static let pattern: StaticString = "^[A-Za-z0-9_][A-Za-z0-9._:-]{0,127}$"
    private static let byteCountMax = 128

    private let bytes: [UInt8]

    /// Nil for a text of another form.
    package init?(_ text: UnsafeRawBufferPointer) {
        guard (1...Self.byteCountMax).contains(text.count), Self.isWordByte(text[0]),
            text.allSatisfy({ Self.isWordByte($0) || Self.isMark($0) })
        else { return nil }
        bytes = Array(text)
    }

    /// Lends the text.
    package func withText(_ body: (UnsafeRawBufferPointer) -> Void) {
        bytes.withUnsafeBytes(body)
    }

    package static func < (left: Self, right: Self) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    private static func isMark(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ".") || byte == UInt8(ascii: ":") || byte == UInt8(ascii: "-")
    }
}

/// A form's name and that of one of its fields.
package struct FormField: Hashable, Comparable, Sendable {
    package let form: Identifier
    package let field: Identifier

    /// Reads `<form>/<field>`; nil for every other text, also one with a second `/`, of which nobody
    /// could tell what belongs to the form.
    package init?(_ subject: UnsafeRawBufferPointer) {
        guard let slash = subject.firstIndex(of: UInt8(ascii: "/")),
            let form = Identifier(UnsafeRawBufferPointer(rebasing: subject[..<slash])),
            let field = Identifier(UnsafeRawBufferPointer(rebasing: subject[(slash + 1)...]))
        else { return nil }
        self.form = form
        self.field = field
    }

    package static func < (left: Self, right: Self) -> Bool {
        left.form != right.form ? left.form < right.form : left.field < right.field
    }
}

/// The id of an event or of a session: one drawn at random.
package struct RandomID: Hashable, Comparable, Sendable {
    /// As a regular expression.
    package static let pattern: StaticString =
        "^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$"

    package let id: UniqueID

    /// Nil unless the bits say that it was drawn at random: else it may be made of a time, a machine
    /// or a digest, or be one.
    package init?(_ id: UniqueID) {
        guard id.version == 4 else { return nil }
        self.id = id
    }

    package static func < (left: Self, right: Self) -> Bool { left.id < right.id }
}

/// When an event happened, to the hundredth of a second that it lies in.
package struct EventTime: Hashable, Comparable, Sendable {
    /// Since 1970, 0 or more.
    private let hundredths: Int64

    private static let microsecondsPerHundredth: Int64 = 10_000

    /// - Parameter microseconds: Since 1970; nil for a time before that.
    package init?(microseconds: Int64) {
        guard (0...Timestamp.range.upperBound).contains(microseconds) else { return nil }
        hundredths = microseconds / Self.microsecondsPerHundredth
    }

    /// Since 1970, whole hundredths of a second.
    package var microseconds: Int64 { hundredths * Self.microsecondsPerHundredth }

    /// Appends `1795849205.47`.
    package func append(to buffer: inout [UInt8]) {
        Decimal.append(hundredths: hundredths, to: &buffer)
    }

    package static func < (left: Self, right: Self) -> Bool { left.hundredths < right.hundredths }
}

extension JSONWriter {
    mutating func key(_ value: Identifier) {
        value.withText { key(String(decoding: $0, as: UTF8.self)) }
    }

    mutating func identifier(_ value: Identifier) {
        value.withText { string($0) }
    }

    mutating func time(_ value: EventTime) {
        var text: [UInt8] = []
        value.append(to: &text)
        text.withUnsafeBytes { string($0) }
    }
}
