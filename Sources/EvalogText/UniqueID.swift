// The 128 bits behind every id: cheap to hash, compare and store, unlike their text.

/// A UUID as two integers, ordered as its lowercase text is.
package struct UniqueID: Hashable, Comparable, Sendable {
    package var high: UInt64
    package var low: UInt64

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    package static func < (left: Self, right: Self) -> Bool {
        left.high != right.high ? left.high < right.high : left.low < right.low
    }
}
