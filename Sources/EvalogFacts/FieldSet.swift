// Keys of a line as a set of bits.

/// A set of the keys of one closed list, which has at most 64.
package struct FieldSet<Field: ClosedList>: Sendable, ExpressibleByArrayLiteral {
    private var bits: UInt64 = 0

    package init(arrayLiteral fields: Field...) {
        for field in fields { insert(field) }
    }

    package var count: Int { bits.nonzeroBitCount }

    package func contains(_ field: Field) -> Bool {
        bits >> UInt64(field.rawValue) & 1 == 1
    }

    package mutating func insert(_ field: Field) {
        bits |= 1 << UInt64(field.rawValue)
    }

    package func union(_ other: Self) -> Self {
        var result = self
        result.bits |= other.bits
        return result
    }

    package func subtracting(_ other: Self) -> Self {
        var result = self
        result.bits &= ~other.bits
        return result
    }
}
