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
