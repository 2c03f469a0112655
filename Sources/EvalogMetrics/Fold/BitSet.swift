// One bit a row.

/// A set of row numbers below a bound.
struct BitSet {
    private var words: [UInt64]

    init(count: Int) {
        words = Array(repeating: 0, count: (count + 63) / 64)
    }

    mutating func insert(_ row: Int) { words[row >> 6] |= 1 << UInt64(row & 63) }

    @inline(__always)
    func contains(_ row: Int) -> Bool { words[row >> 6] >> UInt64(row & 63) & 1 == 1 }
}
