// A count and what is counted in eight bytes: tables of them are most of what a row of output
// costs.

/// A key below 2¹⁶ and how often it came, below 2⁴⁸; zero bits are a free place.
struct PackedCount: BitwiseCopyable, Equatable, Sendable {
    private var bits: UInt64

    static let free = Self(bits: 0)

    private init(bits: UInt64) {
        self.bits = bits
    }

    /// - Parameter count: At least 1.
    @inline(__always)
    init(key: Int, count: Int) {
        bits = UInt64(key) << 48 | UInt64(count)
    }

    @inline(__always) var key: Int { Int(bits >> 48) }
    @inline(__always) var count: Int { Int(bits & (1 << 48 - 1)) }
    @inline(__always) var isFree: Bool { bits == 0 }

    @inline(__always)
    mutating func add(_ count: Int) { bits += UInt64(count) }
}
