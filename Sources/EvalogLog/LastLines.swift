// The newest lines of a stream, without reading the rest: closed segments say by their last seal
// how new they are.

/// What reading the last lines came across besides lines.
package struct LastLinesReport: Sendable {
    /// Behind all lines that exist, also those that could not be read.
    package var position: Position
    /// What is damaged in the segments looked into, the newest ones.
    package var damages: [Damage]
}

/// Reads the newest lines of a stream that are intact, as appended, and says behind which
/// position a `LogFollower` goes on.
///
/// - Parameters:
///   - count: Fewer come only where there are fewer: for a damaged block another copy stands in,
///     and where there is none, older lines.
///   - body: Called with blocks on loan, oldest first.
/// - Complexity: One status call and one small read for each segment, headers and blocks of the
///   newest ones. A block is read twice: before the first line is handed out it has to be known
///   how far back the lines reach.
/// - Throws: `LogError` where a file cannot be read, or the body's error.
package func readLastLines(
    _ count: Int, of directory: LogDirectory, _ stream: LogStream,
    body: (LineBlock) throws -> Void
) throws -> LastLinesReport {
    for _ in 0..<LogLimits.rescanCount {
        guard let survey = try SegmentEnds(directory, stream) else { continue }
        var reading = LastLines(directory, stream, survey)
        guard let tasks = try reading.choose(UInt64(max(count, 0))) else { continue }
        try reading.deliver(tasks, body)
        return LastLinesReport(
            position: survey.position, damages: Damage.normalized(reading.damages))
    }
    throw LogError.unsteady(path: "\(directory.path)/\(stream.kind.name)")
}

/// Chooses the newest intact lines, then hands them out.
private struct LastLines {
    private let directory: LogDirectory
    private let stream: LogStream
    private let reader: BlockReader
    private var ends: SegmentEnds
    private var catalog = LogCatalog()
    /// Blocks of the catalog that are intact, and those that are not.
    private var proven: Set<Int> = []
    private var failed: Set<Int> = []
    private var found: [Damage] = []

    init(_ directory: LogDirectory, _ stream: LogStream, _ ends: SegmentEnds) {
        self.directory = directory
        self.stream = stream
        self.ends = ends
        reader = BlockReader(directory, stream.kind)
    }

    var damages: [Damage] { catalog.damages + found }

    /// Where the newest intact lines are, oldest first; nil where a file vanished.
    mutating func choose(_ count: UInt64) throws(LogError) -> [ReadTask]? {
        while true {
            guard try ends.extend(&catalog, to: count, without: failed) else { return nil }
            let tasks = newest(count)
            guard let areIntact = try prove(tasks) else { return nil }
            if areIntact { return tasks.reversed() }
        }
    }

    /// Where the newest lines are, as far as is known, newest first.
    private func newest(_ count: UInt64) -> [ReadTask] {
        let planned = ReadPlan.tasks(catalog.blocks, done: [:], failed: failed)
        var tasks: [ReadTask] = []
        var rest = count
        for var task in DeliveryOrder.sorted(planned, catalog.blocks).reversed() where rest > 0 {
            task.wanted = task.wanted.suffix(rest)
            rest -= task.wanted.count
            tasks.append(task)
        }
        return tasks
    }

    /// false where a block turned out damaged, nil where a file vanished.
    private mutating func prove(_ tasks: [ReadTask]) throws(LogError) -> Bool? {
        var areIntact = true
        for task in tasks where !proven.contains(task.block) {
            switch try reader.read(task, of: catalog) {
            case .vanished:
                return nil
            case .damaged(let damage):
                failed.insert(task.block)
                found.append(damage)
                areIntact = false
            case .lines:
                proven.insert(task.block)
            }
        }
        return areIntact
    }

    /// Hands out the chosen lines. Where a file vanishes meanwhile the rest is looked for in what
    /// took its place: lines gone by then were deleted.
    mutating func deliver(_ chosen: [ReadTask], _ body: (LineBlock) throws -> Void) throws {
        var rest: SequencesByWriter = [:]
        for task in chosen {
            rest.insert(task.wanted, of: catalog.blocks[task.block].header.writer)
        }
        var tasks = chosen
        for _ in 0..<LogLimits.rescanCount {
            if try deliver(tasks, &rest, body) { return }
            catalog = try LogCatalog.scan(directory, stream)
            let planned = ReadPlan.tasks(catalog.blocks, done: [:]).compactMap { task in
                let writer = catalog.blocks[task.block].header.writer
                let wanted = task.wanted.intersection(rest[writer] ?? .init())
                return wanted.isEmpty ? nil : ReadTask(block: task.block, wanted: wanted)
            }
            tasks = DeliveryOrder.sorted(planned, catalog.blocks)
        }
        throw LogError.unsteady(path: "\(directory.path)/\(stream.kind.name)")
    }

    /// false where a file vanished before its lines were handed out.
    private mutating func deliver(
        _ tasks: [ReadTask], _ rest: inout SequencesByWriter,
        _ body: (LineBlock) throws -> Void
    ) throws -> Bool {
        for task in tasks {
            switch try reader.read(task, of: catalog) {
            case .vanished:
                return false
            case .damaged(let damage):
                found.append(damage)
            case .lines(let block):
                try body(block)
                let writer = block.header.writer
                rest[writer] = rest[writer]?.subtracting(task.wanted)
            }
        }
        return true
    }
}
