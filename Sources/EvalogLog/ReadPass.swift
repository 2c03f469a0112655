// One pass over planned blocks, by several workers that draw from one list.

/// What reading has added up to.
struct ReadTally: Sendable {
    var blockCount = 0
    var lineCount: UInt64 = 0
    var byteCount: Int64 = 0
    var textByteCount: Int64 = 0
    var damages: [Damage] = []

    mutating func add(_ other: Self) {
        blockCount += other.blockCount
        lineCount += other.lineCount
        byteCount += other.byteCount
        textByteCount += other.textByteCount
        damages += other.damages
    }
}

/// Reads a list of blocks and hands them to a body.
final class ReadPass: Sendable {
    struct Result: Sendable {
        var tally = ReadTally()
        /// Sequences read, in no order.
        var ranges: [WriterID: [Range<UInt64>]] = [:]
        /// Blocks that turned out damaged.
        var failed: [Int] = []
        /// Whether a file was not the one that was scanned.
        var hasVanished = false
    }

    private struct Shared {
        var next = 0
        var result = Result()
        var failure: (any Error)?
    }

    /// Blocks that a worker draws at a time: neighbours share a file.
    private static let drawCount = 4

    private let catalog: LogCatalog
    private let tasks: [ReadTask]
    private let directory: LogDirectory
    private let kind: StreamKind
    private let progress: (@Sendable (ReadProgress) -> Void)?
    private let body: @Sendable (Int, LineBlock) throws -> Void
    private let trustsChain: Bool
    private let byteCountTotal: Int64
    private let shared = Monitor(Shared())
    private let longBlocks = LongBlockTurn()

    init(
        _ catalog: LogCatalog, _ tasks: [ReadTask], _ directory: LogDirectory, _ kind: StreamKind,
        trustsChain: Bool,
        _ progress: (@Sendable (ReadProgress) -> Void)?,
        _ body: @escaping @Sendable (Int, LineBlock) throws -> Void
    ) {
        self.catalog = catalog
        self.tasks = tasks
        self.directory = directory
        self.kind = kind
        self.trustsChain = trustsChain
        self.progress = progress
        self.body = body
        byteCountTotal = tasks.reduce(0) {
            $0 + catalog.blocks[$1.block].byteCount
        }
    }

    /// Reads all blocks, or stops at the first error and throws it.
    func run(threads: Int) throws -> Result {
        let workers = max(1, min(threads, (tasks.count + Self.drawCount - 1) / Self.drawCount))
        Thread.parallel(workers) { [self] in work($0) }
        return try shared.withLock { state throws(any Error) in
            if let failure = state.failure { throw failure }
            return state.result
        }
    }

    private func work(_ worker: Int) {
        let reader = BlockReader(
            directory, kind, trustsChain: trustsChain, longBlocks: longBlocks)
        var done = Result()
        while let range = draw(worker, &done) {
            for task in tasks[range] {
                do {
                    try read(task, by: reader, worker, &done)
                } catch {
                    shared.withLock { $0.failure = $0.failure ?? error }
                    return
                }
            }
        }
    }

    /// Hands in what was done and draws the next tasks; nil where there are none.
    private func draw(_ worker: Int, _ done: inout Result) -> Range<Int>? {
        let handedIn = done
        done = Result()
        let (range, tally) = shared.withLock { state -> (Range<Int>?, ReadTally) in
            state.result.add(handedIn)
            guard state.failure == nil, state.next < tasks.count else {
                return (nil, state.result.tally)
            }
            let range = state.next..<min(state.next + Self.drawCount, tasks.count)
            state.next = range.upperBound
            return (range, state.result.tally)
        }
        if worker == 0, let progress {
            progress(
                ReadProgress(
                    byteCount: tally.byteCount, byteCountTotal: byteCountTotal,
                    lineCount: tally.lineCount))
        }
        return range
    }

    private func read(
        _ task: ReadTask, by reader: BlockReader, _ worker: Int, _ done: inout Result
    ) throws {
        switch try reader.read(task, of: catalog) {
        case .vanished:
            done.hasVanished = true
        case .damaged(let damage):
            done.failed.append(task.block)
            done.tally.damages.append(damage)
        case .lines(let block):
            try body(worker, block)
            done.tally.blockCount += 1
            done.tally.lineCount += task.wanted.count
            done.tally.byteCount += catalog.blocks[task.block].byteCount
            done.tally.textByteCount += Int64(block.text.count)
            done.ranges[block.header.writer, default: []] += task.wanted.ranges
        }
    }
}

extension ReadPass.Result {
    fileprivate mutating func add(_ other: Self) {
        tally.add(other.tally)
        for (writer, ranges) in other.ranges { self.ranges[writer, default: []] += ranges }
        failed += other.failed
        hasVanished = hasVanished || other.hasVanished
    }
}
