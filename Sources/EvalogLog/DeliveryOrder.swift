// The order in which blocks of several writers are shown: as appended, but never against the
// sequence of one writer, whose clock may have been set back.

enum DeliveryOrder {
    /// Sorts tasks: each writer's by sequence, writers among each other by append time.
    static func sorted(_ tasks: [ReadTask], _ blocks: [BlockEntry]) -> [ReadTask] {
        let bySequence = tasks.sorted {
            let (left, right) = (blocks[$0.block].header, blocks[$1.block].header)
            if left.writer != right.writer { return left.writer < right.writer }
            return ($0.wanted.first ?? 0) < ($1.wanted.first ?? 0)
        }
        var keyed: [(time: Int64, index: Int, task: ReadTask)] = []
        keyed.reserveCapacity(bySequence.count)
        var writer: WriterID?
        var time = Int64.min
        for (index, task) in bySequence.enumerated() {
            let header = blocks[task.block].header
            time = header.writer == writer ? max(time, header.appendTime) : header.appendTime
            writer = header.writer
            keyed.append((time, index, task))
        }
        keyed.sort { ($0.time, $0.index) < ($1.time, $1.index) }
        return keyed.map(\.task)
    }
}
