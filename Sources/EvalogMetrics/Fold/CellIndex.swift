// Numbers the cells, pairs of window and group, that occur; nearly always without hashing.

/// A pair of a window, by its start, and a group.
struct CellKey: Hashable {
    var start: Int64
    var group: Int
}

/// The cells met so far, in order of their first use.
struct CellIndex {
    private var numbers: [CellKey: Int] = [:]
    /// The latest cell of each group: facts come roughly in order of time.
    private var latest: [(start: Int64, cell: Int)]
    private(set) var cells: [(window: TimeWindow, group: Int)] = []

    init(groupCount: Int) {
        latest = Array(repeating: (.min, -1), count: groupCount)
    }

    /// The number of a cell; equal to the former count of ``cells`` when it is new.
    @inline(__always)
    mutating func number(_ window: TimeWindow, _ group: Int) -> Int {
        let found = latest[group]
        if found.cell >= 0 && found.start == window.start { return found.cell }
        return find(window, group)
    }

    private mutating func find(_ window: TimeWindow, _ group: Int) -> Int {
        let key = CellKey(start: window.start, group: group)
        let cell = numbers[key] ?? cells.count
        if cell == cells.count {
            numbers[key] = cell
            cells.append((window, group))
        }
        latest[group] = (window.start, cell)
        return cell
    }

    /// Cell numbers by window, then group.
    var sorted: [Int] {
        cells.indices.sorted { left, right in
            let (a, b) = (cells[left], cells[right])
            return (a.window.start, a.group) < (b.window.start, b.group)
        }
    }
}
