// A name of the log in a table: bytes, compared as bytes, because that is the order of the rows.

/// A group, a subject or a reported value; an empty one is an empty cell.
package struct Name: Hashable, Comparable, Sendable {
    package let bytes: [UInt8]

    package init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    package init(_ text: String) {
        bytes = Array(text.utf8)
    }

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = Array(bytes)
    }

    package static let absent = Self(bytes: [])
    /// Stands in every group column of the row of all groups beyond the limit.
    package static let rest = Self("(other)")

    package var isAbsent: Bool { bytes.isEmpty }

    /// For people; a byte that is no UTF-8 becomes U+FFFD.
    package var text: String { String(decoding: bytes, as: UTF8.self) }

    package static func < (left: Self, right: Self) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }
}
