// Why a fact line cannot be read, without a byte of the line; and the limits of facts.

package import EvalogText

/// Limits of what a fact may hold.
package enum FactLimits {
    /// Longer lines are unreadable; the longest that we write has some 800,000 bytes.
    package static let lineByteCountMax = 1 << 20
    package static let attemptsMax: Int64 = 1_000_000
    package static let usageByteCountMax = 64
    package static let modelByteCountMax = 64
    package static let subjectByteCountMax = 128
    package static let osByteCountMax = 32
    package static let deviceByteCountMax = 32
    package static let appByteCountMax = 32
    /// Fields of one report.
    package static let reportFieldCountMax = 32
    package static let reportNameByteCountMax = 64
    package static let reportValueByteCountMax = 64
    /// Values that the catalog lists for one field.
    package static let catalogValueCountMax = 64
}

/// The first fault of a line: its class and where it stands. It never holds what stood there.
package struct FactError: Error, Equatable, Sendable {
    package enum Kind: Equatable, Sendable {
        case notJSON(TextError.Kind)
        case notAnObject
        /// More than ``FactLimits/lineByteCountMax`` bytes.
        case tooLong
        /// A known key, or a field of a report, that stands twice: two readers would see two facts.
        case duplicateKey(FactField)
        case missing(FactField)
        /// A value of the wrong type, out of range, or of a closed list that has no `other`.
        case badValue(FactField)
        /// A `v` other than 1.
        case unsupportedVersion
    }

    package var kind: Kind
    /// Bytes before the fault, counted from the start of the line.
    package var offset: Int

    package init(_ kind: Kind, at offset: Int) {
        self.kind = kind
        self.offset = offset
    }
}
