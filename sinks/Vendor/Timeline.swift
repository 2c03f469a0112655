// What held from when on.

/// States in the order of their points, which are times or numbers of lines; each holds until the next.
struct Timeline<Point: Comparable, State> {
    /// Sorted by point, which no two of them share.
    private let entries: [(point: Point, state: State)]

    /// - Parameters:
    ///   - entries: In any order.
    ///   - meet: What holds where two of one point disagree; the order of the two must not matter,
    ///     for nobody knows which was first.
    init(_ entries: [(point: Point, state: State)], meet: (State, State) -> State) {
        var sorted: [(point: Point, state: State)] = []
        for entry in entries.sorted(by: { $0.point < $1.point }) {
            if let last = sorted.last, last.point == entry.point {
                sorted[sorted.count - 1].state = meet(last.state, entry.state)
            } else {
                sorted.append(entry)
            }
        }
        self.entries = sorted
    }

    /// Whether a point lies in any of some ranges.
    init(union ranges: [Range<Point>]) where State == Bool {
        var merged: [Range<Point>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = merged.last, range.lowerBound <= last.upperBound {
                let end = max(last.upperBound, range.upperBound)
                merged[merged.count - 1] = last.lowerBound..<end
            } else {
                merged.append(range)
            }
        }
        entries = merged.flatMap { [($0.lowerBound, true), ($0.upperBound, false)] }
    }

    var states: some Sequence<State> { entries.lazy.map(\.state) }

    /// The state at a point, and since when; nil before the first.
    ///
    /// - Complexity: O(log n).
    func state(at point: Point) -> (since: Point, state: State)? {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].point <= point { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? nil : (entries[low - 1].point, entries[low - 1].state)
    }
}
