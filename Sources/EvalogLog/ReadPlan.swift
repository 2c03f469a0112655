// Which block supplies which lines: each sequence once, from the greatest generation.

/// One block to read and the lines to take from it.
struct ReadTask {
    /// Index into the blocks planned from.
    var block: Int
    var wanted: SequenceSet
}

/// Chooses among copies.
enum ReadPlan {
    /// Plans the reading of everything not done.
    ///
    /// A greater generation rules out a lesser one at its sequences even where it cannot be read:
    /// what was erased must not come back because its tombstone is damaged. Among equals, one
    /// that failed makes way for the others.
    ///
    /// - Parameters:
    ///   - done: Sequences read before, or not wanted.
    ///   - failed: Indices of blocks that turned out damaged.
    /// - Returns: In the order of segments and offsets.
    /// - Complexity: O(n log n) in the number of blocks.
    static func tasks(
        _ blocks: [BlockEntry], done: SequencesByWriter, failed: Set<Int> = []
    ) -> [ReadTask] {
        var tasks: [ReadTask] = []
        let writers = Dictionary(grouping: blocks.indices) { blocks[$0].header.writer }
        for (writer, indices) in writers {
            var claimed = done[writer] ?? SequenceSet()
            for group in ranked(indices, blocks) {
                for index in group where !failed.contains(index) {
                    let range = blocks[index].header.sequences
                    let wanted = claimed.missing(in: range)
                    if wanted.isEmpty { continue }
                    tasks.append(ReadTask(block: index, wanted: wanted))
                    claimed.insert(range)
                }
                for index in group where failed.contains(index) {
                    claimed.insert(blocks[index].header.sequences)
                }
            }
        }
        tasks.sort { $0.block < $1.block }
        return tasks
    }

    /// Groups of one generation, the greatest first, each in the order of sequences.
    private static func ranked(_ indices: [Int], _ blocks: [BlockEntry]) -> [[Int]] {
        let generations = Dictionary(grouping: indices) { blocks[$0].header.generation }
        return generations.sorted { $0.key > $1.key }.map { _, group in
            group.sorted {
                let (left, right) = (blocks[$0].header, blocks[$1].header)
                return left.first != right.first ? left.first < right.first : $0 < $1
            }
        }
    }
}
