// What held from when on.

/// States in the order of their times; each holds until the next.
struct Timeline<State> {
    /// Sorted by time, which no two of them share.
    private let entries: [(time: Int64, state: State)]

    /// - Parameters:
    ///   - entries: In any order, times in µs since 1970.
    ///   - meet: What holds where two of one time disagree; the order of the two must not matter,
    ///     for nobody knows which was first.
    init(_ entries: [(time: Int64, state: State)], meet: (State, State) -> State) {
        var sorted: [(time: Int64, state: State)] = []
        for entry in entries.sorted(by: { $0.time < $1.time }) {
            if let last = sorted.last, last.time == entry.time {
                sorted[sorted.count - 1].state = meet(last.state, entry.state)
            } else {
                sorted.append(entry)
            }
        }
        self.entries = sorted
    }

    var first: State? { entries.first?.state }
    var states: [State] { entries.map(\.state) }

    /// The state at a time, and since when; nil before the first.
    ///
    /// - Complexity: O(log n).
    func state(at time: Int64) -> (since: Int64, state: State)? {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].time <= time { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? nil : (entries[low - 1].time, entries[low - 1].state)
    }
}
