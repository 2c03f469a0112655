// A name of the log in a table: bytes, compared as bytes, because that is the order of the rows.

/// A group, a subject or a reported value; an empty one is an empty cell.
package struct Name: Hashable, Comparable, Sendable {
    /// UTF-8 as it came in, not normalised.
    package let bytes: [UInt8]

    /// Any bytes are a name.
    package init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The UTF-8 of a text.
    package init(_ text: String) {
        bytes = Array(text.utf8)
    }

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = Array(bytes)
    }

    /// No name at all.
    package static let absent = Self(bytes: [])
    /// Stands in every group column of the row of all groups beyond the limit.
    package static let rest = Self("(other)")

    /// Whether the cell is empty.
    package var isAbsent: Bool { bytes.isEmpty }

    /// For people; a byte that is no UTF-8 becomes U+FFFD.
    package var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Compares bytes as unsigned numbers.
    package static func < (left: Self, right: Self) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }
}
