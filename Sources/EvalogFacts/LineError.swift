// Why a line cannot be read, without a byte of the line.

package import EvalogText

/// The first fault of a line: its class and where it stands. It never holds what stood there.
package struct LineError<Field: ClosedList>: Error, Equatable {
    /// Classes of faults; tools turn them into words.
    package enum Kind: Equatable, Sendable {
        case notJSON(TextError.Kind)
        case notAnObject
        /// More bytes than a line of its stream may have.
        case tooLong
        /// A known key, or a field of a report, that stands twice: two readers would see two facts.
        case duplicateKey(Field)
        case missing(Field)
        /// A value of the wrong type, out of range, or of a closed list that has no `other`.
        case badValue(Field)
        /// A `v` other than 1.
        case unsupportedVersion
    }

    package var kind: Kind
    /// Bytes before the fault, counted from the start of the line; 0 for what is missing.
    package var offset: Int

    package init(_ kind: Kind, at offset: Int) {
        self.kind = kind
        self.offset = offset
    }
}

/// Why a fact line cannot be read.
package typealias FactError = LineError<FactField>
