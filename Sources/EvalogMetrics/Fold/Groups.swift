// Which groups keep their names, and which row each combination of names belongs to.

/// Groups in byte order. Beyond the limit, the groups with most evaluations stay, ties go by bytes,
/// and all others are one group whose every name is `(other)`.
struct Groups {
    let names: [[Name]]
    private let numbers: [[Name]: Int]
    private let rest: Int?

    /// - Parameter totals: What groups are ranked by; a group that is missing here has no row.
    init(_ totals: [[Name]: Int], countMax: Int) {
        var kept = Array(totals.keys)
        var restNames: [Name]?
        if kept.count > countMax {
            kept.sort { left, right in
                let (leftTotal, rightTotal) = (totals[left] ?? 0, totals[right] ?? 0)
                return leftTotal != rightTotal
                    ? leftTotal > rightTotal : left.lexicographicallyPrecedes(right)
            }
            kept.removeSubrange(countMax...)
            restNames = kept.first?.map { _ in .rest }
        }
        var distinct = Set(kept)
        if let restNames { distinct.insert(restNames) }
        let sorted = distinct.sorted { $0.lexicographicallyPrecedes($1) }
        names = sorted
        numbers = Dictionary(uniqueKeysWithValues: zip(sorted, sorted.indices))
        rest = restNames.flatMap { [numbers] in numbers[$0] }
    }

    /// The row of a group that was among the totals.
    func number(of group: [Name]) -> Int { numbers[group] ?? rest ?? 0 }
}
