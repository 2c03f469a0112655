// Durations counted in bins whose width grows with the value: merges exactly, errs by 0.2 % at
// most.

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

    /// The least value of a bin.
    @inline(__always)
    package static func lower(of bin: Int) -> UInt64 {
        guard bin >= exactCount else { return UInt64(bin) }
        let shift = UInt64(bin >> 8 - 1)
        return (UInt64(bin & 255) + 256) << shift
    }

    /// How many values share a bin.
    package static func width(of bin: Int) -> UInt64 {
        bin < exactCount ? 1 : 1 << UInt64(bin >> 8 - 1)
    }
}

/// A distribution of non-negative values, here microseconds.
///
/// Counting in any order and merging in any grouping give equal histograms. A bin in use costs 10
/// to 20 bytes; there are at most 7,681 for durations up to 24 h.
package struct Histogram: Sendable {
    /// Values counted.
    package private(set) var count = 0
    /// Exact, beyond 64 bits too.
    package private(set) var sum: UInt128 = 0
    /// 0 while nothing was counted.
    package private(set) var min: UInt64 = 0
    /// 0 while nothing was counted.
    package private(set) var max: UInt64 = 0
    private var store = BinStore()

    /// A histogram of nothing, neutral in merging.
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
        store.sorted.map {
            (HistogramBins.lower(of: $0.key), HistogramBins.width(of: $0.key), $0.count)
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
    /// `percents` are 1 to 100 in ascending order. Empty while nothing was counted. O(bins log
    /// bins).
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
    /// Compares what was counted, not how it is stored. O(bins log bins).
    package static func == (left: Self, right: Self) -> Bool {
        left.count == right.count && left.sum == right.sum && left.min == right.min
            && left.max == right.max
            && left.store.sorted == right.store.sorted
    }
}

/// Counts by bin number in an open-addressing table.
private struct BinStore: Sendable {
    private var slots: [PackedCount] = []
    private var used = 0

    @inline(__always)
    mutating func add(_ bin: Int, _ count: Int) {
        if (used + 1) * 5 > slots.count * 4 { grow() }
        let slot = slot(of: bin)
        if slots[slot].isFree {
            slots[slot] = PackedCount(key: bin, count: count)
            used += 1
        } else {
            slots[slot].add(count)
        }
    }

    func forEach(_ body: (Int, Int) -> Void) {
        for slot in slots where !slot.isFree { body(slot.key, slot.count) }
    }

    var sorted: [PackedCount] {
        slots.filter { !$0.isFree }.sorted { $0.key < $1.key }
    }

    @inline(__always)
    private func slot(of bin: Int) -> Int {
        let mask = slots.count - 1
        var slot = Int(truncatingIfNeeded: (UInt32(bin) &* 0x9E37_79B1) >> 12) & mask
        while slots[slot].key != bin && !slots[slot].isFree { slot = (slot + 1) & mask }
        return slot
    }

    private mutating func grow() {
        let old = slots
        slots = Array(repeating: .free, count: max(4, old.count * 2))
        for counted in old where !counted.isFree { slots[slot(of: counted.key)] = counted }
    }
}
