// Durations counted in bins whose width grows with the value: merges exactly, errs by 0.2 % at most.

/// The bins of section "durations" of docs/metrics.md, by integer arithmetic only.
package enum HistogramBins {
    /// Values below this have a bin of their own.
    private static let exactCount: UInt64 = 512

    /// The number of a value's bin; greater values have equal or greater ones.
    @inline(__always)
    package static func bin(of value: UInt64) -> Int {
        guard value >= exactCount else { return Int(value) }
        let exponent = 63 - value.leadingZeroBitCount
        return (exponent - 8) << 8 + Int(value >> UInt64(exponent - 8))
    }

    @inline(__always)
    package static func lower(of bin: Int) -> UInt64 {
        guard bin >= exactCount else { return UInt64(bin) }
        let shift = UInt64(bin >> 8 - 1)
        return (UInt64(bin & 255) + 256) << shift
    }

    package static func width(of bin: Int) -> UInt64 {
        bin < exactCount ? 1 : 1 << UInt64(bin >> 8 - 1)
    }
}

/// A distribution of non-negative values, here microseconds.
///
/// Counting in any order and merging in any grouping give equal histograms. Memory: 12 bytes for
/// each bin that the table of bins has room for, which is at most 3.2 times those in use.
package struct Histogram: Sendable {
    package private(set) var count = 0
    package private(set) var sum: UInt128 = 0
    /// 0 while nothing was counted.
    package private(set) var min: UInt64 = 0
    package private(set) var max: UInt64 = 0
    private var store = BinStore()

    package init() {}

    /// Counts one value. O(1), amortised.
    package mutating func add(_ value: UInt64) {
        min = count == 0 ? value : Swift.min(min, value)
        max = Swift.max(max, value)
        count += 1
        sum += UInt128(value)
        store.add(HistogramBins.bin(of: value), 1)
    }

    /// Adds everything that `other` counted. O(bins of `other`).
    package mutating func merge(_ other: Self) {
        guard other.count > 0 else { return }
        min = count == 0 ? other.min : Swift.min(min, other.min)
        max = Swift.max(max, other.max)
        count += other.count
        sum += other.sum
        other.store.forEach { store.add($0, $1) }
    }

    /// The bins in use, in order of their values.
    package var bins: [(lower: UInt64, width: UInt64, count: Int)] {
        store.sorted.map { bin, count in
            (HistogramBins.lower(of: bin), HistogramBins.width(of: bin), count)
        }
    }

    /// Rounded half up; nil while nothing was counted.
    package var mean: UInt64? {
        guard count > 0 else { return nil }
        let n = UInt128(count)
        return UInt64((2 * sum + n) / (2 * n))
    }

    /// The values at which so many percent of all are equal or less, one for each of `percents`.
    ///
    /// `percents` are 1 to 100 in ascending order. Empty while nothing was counted. O(bins log bins).
    package func percentiles(_ percents: [Int]) -> [UInt64] {
        guard count > 0 else { return [] }
        var values: [UInt64] = []
        var passed = 0
        var next = 0
        for (lower, width, binCount) in bins {
            passed += binCount
            while next < percents.count, passed >= rank(percents[next]) {
                values.append(Swift.min(Swift.max(lower + width / 2, min), max))
                next += 1
            }
        }
        return values
    }

    private func rank(_ percent: Int) -> Int { (percent * count + 99) / 100 }
}

extension Histogram: Equatable {
    package static func == (left: Self, right: Self) -> Bool {
        left.count == right.count && left.sum == right.sum && left.min == right.min
            && left.max == right.max
            && left.store.sorted.elementsEqual(right.store.sorted) { $0 == $1 }
    }
}

/// Counts by bin number in an open-addressing table.
private struct BinStore: Sendable {
    private static let empty = UInt16.max

    private var keys: [UInt16] = []
    private var counts: [Int] = []
    private var used = 0

    mutating func add(_ bin: Int, _ count: Int) {
        if (used + 1) * 5 > keys.count * 4 { grow() }
        let slot = slot(of: UInt16(bin))
        if keys[slot] == Self.empty {
            keys[slot] = UInt16(bin)
            used += 1
        }
        counts[slot] += count
    }

    func forEach(_ body: (Int, Int) -> Void) {
        for (slot, key) in keys.enumerated() where key != Self.empty {
            body(Int(key), counts[slot])
        }
    }

    var sorted: [(bin: Int, count: Int)] {
        var found: [(bin: Int, count: Int)] = []
        found.reserveCapacity(used)
        forEach { found.append(($0, $1)) }
        return found.sorted { $0.bin < $1.bin }
    }

    @inline(__always)
    private func slot(of key: UInt16) -> Int {
        let mask = keys.count - 1
        var slot = Int(truncatingIfNeeded: (UInt32(key) &* 0x9E37_79B1) >> 12) & mask
        while keys[slot] != key && keys[slot] != Self.empty { slot = (slot + 1) & mask }
        return slot
    }

    private mutating func grow() {
        let old = self
        let capacity = Swift.max(4, keys.count * 2)
        keys = Array(repeating: Self.empty, count: capacity)
        counts = Array(repeating: 0, count: capacity)
        old.forEach { bin, count in
            let slot = slot(of: UInt16(bin))
            keys[slot] = UInt16(bin)
            counts[slot] = count
        }
    }
}
