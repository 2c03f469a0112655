// Which sequences: sorted, separate ranges. A log read in order costs one range however long it is.

/// A set of line sequences kept as maximal half-open ranges.
package struct SequenceSet: Hashable, Sendable, CustomStringConvertible {
    /// Ascending, not empty, no two touching.
    package private(set) var ranges: [Range<UInt64>] = []

    package init() {}

    package init(_ range: Range<UInt64>) { insert(range) }

    /// Unites ranges that come in any order.
    package init(uniting ranges: [Range<UInt64>]) {
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) { insert(range) }
    }

    package var isEmpty: Bool { ranges.isEmpty }
    package var first: UInt64? { ranges.first?.lowerBound }
    package var last: UInt64? { ranges.last.map { $0.upperBound - 1 } }
    /// How many sequences there are.
    package var count: UInt64 { ranges.reduce(0) { $0 + UInt64($1.count) } }

    /// - Complexity: O(log ranges).
    package func contains(_ sequence: UInt64) -> Bool {
        let index = firstIndex(endingAfter: sequence)
        return index < ranges.count && ranges[index].lowerBound <= sequence
    }

    /// Whether all of the range is in the set; true for an empty range.
    package func contains(_ range: Range<UInt64>) -> Bool {
        guard !range.isEmpty else { return true }
        let index = firstIndex(endingAfter: range.lowerBound)
        return index < ranges.count && ranges[index].lowerBound <= range.lowerBound
            && ranges[index].upperBound >= range.upperBound
    }

    /// - Complexity: O(1) at the end, else O(ranges).
    package mutating func insert(_ range: Range<UInt64>) {
        guard !range.isEmpty else { return }
        guard let last = ranges.last, range.lowerBound <= last.upperBound else {
            ranges.append(range)
            return
        }
        // Touching ranges join too, hence one below.
        let start = firstIndex(endingAfter: range.lowerBound == 0 ? 0 : range.lowerBound - 1)
        var merged = range
        var end = start
        while end < ranges.count, ranges[end].lowerBound <= range.upperBound {
            merged =
                min(
                    merged.lowerBound, ranges[end].lowerBound)..<max(
                    merged.upperBound, ranges[end].upperBound)
            end += 1
        }
        ranges.replaceSubrange(start..<end, with: CollectionOfOne(merged))
    }

    package mutating func formUnion(_ other: Self) {
        for range in other.ranges { insert(range) }
    }

    /// The part of the range that is not in the set.
    package func missing(in range: Range<UInt64>) -> Self {
        var result = Self()
        var next = range.lowerBound
        var index = firstIndex(endingAfter: range.lowerBound)
        while index < ranges.count, ranges[index].lowerBound < range.upperBound {
            if next < ranges[index].lowerBound {
                result.ranges.append(next..<ranges[index].lowerBound)
            }
            next = ranges[index].upperBound
            index += 1
        }
        if next < range.upperBound { result.ranges.append(next..<range.upperBound) }
        return result
    }

    package func subtracting(_ other: Self) -> Self {
        var result = Self()
        for range in ranges { result.ranges += other.missing(in: range).ranges }
        return result
    }

    package func intersection(_ other: Self) -> Self { subtracting(subtracting(other)) }

    /// The greatest so many sequences.
    package func suffix(_ count: UInt64) -> Self {
        var result = Self()
        var rest = count
        for range in ranges.reversed() where rest > 0 {
            let taken = min(rest, UInt64(range.count))
            result.ranges.append((range.upperBound - taken)..<range.upperBound)
            rest -= taken
        }
        result.ranges.reverse()
        return result
    }

    /// For people: `1-38,40-41`, and `…` behind the first `LogLimits.rangesShown` ranges.
    package var description: String {
        let shown = Self.text(of: ranges.prefix(LogLimits.rangesShown))
        return ranges.count > LogLimits.rangesShown ? shown + ",…" : shown
    }

    /// `1-38,40-41`, all of it: the form that positions are kept in.
    package var text: String { Self.text(of: ranges) }

    /// Reads what ``text`` gives, and nothing else.
    package init?(text: some Collection<UInt8>) {
        for item in text.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
            let ends = item.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
            guard ends.count == 2, let first = Self.number(ends[0]), let end = Self.number(ends[1]),
                first > 0, first <= end, end < .max, last.map({ $0 + 1 < first }) ?? true
            else { return nil }
            insert(first..<(end + 1))
        }
    }

    private static func number(_ digits: some Collection<UInt8>) -> UInt64? {
        guard !digits.isEmpty, digits.first != UInt8(ascii: "+") else { return nil }
        return UInt64(String(decoding: digits, as: UTF8.self))
    }

    private static func text(of ranges: some Collection<Range<UInt64>>) -> String {
        ranges.map { "\($0.lowerBound)-\($0.upperBound - 1)" }.joined(separator: ",")
    }

    private func firstIndex(endingAfter sequence: UInt64) -> Int {
        // Almost always asked about the end.
        if let last = ranges.last, last.lowerBound <= sequence {
            return last.upperBound > sequence ? ranges.count - 1 : ranges.count
        }
        var low = 0
        var high = ranges.count
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound > sequence { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
