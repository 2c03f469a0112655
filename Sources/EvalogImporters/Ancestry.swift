/// Finds the nearest marked node above others; no way up is gone twice, and a ring has an end.
struct Ancestry<Key: Hashable> {
    private let marked: Set<Key>
    private let parents: [Key: Key]
    private var found: [Key: Key?] = [:]

    /// - Parameter parents: Pairs of a node and the one above it. Of two for one node the first counts.
    init(marked: Set<Key>, parents: [(Key, Key)]) {
        self.marked = marked
        self.parents = Dictionary(parents, uniquingKeysWith: { first, _ in first })
    }

    /// The marked node that is this one, or the first on the way up from it.
    mutating func nearest(from node: Key) -> Key? {
        var way: [Key] = []
        var next: Key? = node
        var result: Key?
        while let key = next {
            if marked.contains(key) {
                result = key
                break
            }
            if let known = found[key] {
                result = known
                break
            }
            // Who comes here again before the end has gone round.
            found.updateValue(nil, forKey: key)
            way.append(key)
            next = parents[key]
        }
        for key in way { found.updateValue(result, forKey: key) }
        return result
    }
}
