// Reads a stream: catalog, plan, blocks in parallel, account. Other copies stand in for damaged
// blocks, and files that vanish meanwhile (merged, compacted) make it look again.

/// Reads every line of a stream once.
///
/// Blocks come in the order of segments and offsets where there is one thread; with several, each
/// worker sees its share in that order.
///
/// - Parameters:
///   - position: Lines to leave out because they were read before.
///   - catalog: What is read first, where it is known already; nil looks now.
///   - threads: How many workers run at once; each keeps the largest block it met in
///     memory; only one of them at a time holds one of more than `LogLimits.longBlockByteCount`.
///   - trustsChain: Takes a trailer that the chain proves for the text's, and does not sum the text.
///     That leaves unseen what a faulty writer or machine did before the chain was made, and what our
///     own decoder would do wrong, which `verify` sees.
///   - isWanted: Asked once for each block; one that is not wanted is not inflated, nor lost.
///   - progress: Called now and then, on the caller's thread.
///   - body: Called on each worker's thread with the worker's index and a block on loan. What it
///     throws stops the reading and is thrown from here.
/// - Throws: `LogError` where a file cannot be read, never for damage; or the body's error.
@discardableResult
package func readLog(
    _ directory: LogDirectory, _ stream: LogStream, from position: Position = .init(),
    catalog: LogCatalog? = nil, threads: Int = 1,
    trustsChain: Bool = false, where isWanted: (BlockHeader) -> Bool = { _ in true },
    progress: (@Sendable (ReadProgress) -> Void)? = nil,
    body: @escaping @Sendable (_ worker: Int, _ block: LineBlock) throws -> Void
) throws -> ReadReport {
    var reading = LogReading(directory, stream, from: position)
    var known = catalog
    for _ in 0..<LogLimits.rescanCount {
        let catalog = try known ?? LogCatalog.scan(directory, stream)
        known = nil
        let isComplete = try reading.read(
            catalog, threads: threads, trustsChain: trustsChain, where: isWanted,
            progress: progress, body: body)
        if isComplete { return reading.report(catalog) }
    }
    throw LogError.unsteady(path: "\(directory.path)/\(stream.kind.name)")
}

/// Reads and proves every block of a stream, and keeps nothing of it.
package func verifyLog(
    _ directory: LogDirectory, _ stream: LogStream, threads: Int = 1,
    progress: (@Sendable (ReadProgress) -> Void)? = nil
) throws -> ReadReport {
    try readLog(directory, stream, threads: threads, progress: progress) { _, _ in }
}

/// One reading, which may take several catalogs.
private struct LogReading {
    let directory: LogDirectory
    let stream: LogStream
    let start: Position
    private var done: SequencesByWriter
    private var read: SequencesByWriter = [:]
    private var skipped: SequencesByWriter = [:]
    private var tally = ReadTally()

    init(_ directory: LogDirectory, _ stream: LogStream, from position: Position) {
        self.directory = directory
        self.stream = stream
        start = position
        done = position[stream.kind]
    }

    /// Reads what a catalog offers and is not done; false where files have vanished since.
    mutating func read(
        _ catalog: LogCatalog, threads: Int, trustsChain: Bool,
        where isWanted: (BlockHeader) -> Bool,
        progress: (@Sendable (ReadProgress) -> Void)?,
        body: @escaping @Sendable (Int, LineBlock) throws -> Void
    ) throws -> Bool {
        var failed: Set<Int> = []
        while true {
            let tasks = ReadPlan.tasks(catalog.blocks, done: done, failed: failed).filter { task in
                let header = catalog.blocks[task.block].header
                if isWanted(header) { return true }
                skipped.insert(task.wanted, of: header.writer)
                done.insert(task.wanted, of: header.writer)
                return false
            }
            let pass = ReadPass(
                catalog, tasks, directory, stream.kind, trustsChain: trustsChain, progress, body)
            let result = try pass.run(threads: threads)
            tally.add(result.tally)
            for (writer, ranges) in result.ranges {
                let set = SequenceSet(uniting: ranges)
                read.insert(set, of: writer)
                done.insert(set, of: writer)
            }
            if result.hasVanished { return false }
            if result.failed.isEmpty { return true }
            failed.formUnion(result.failed)
        }
    }

    func report(_ catalog: LogCatalog) -> ReadReport {
        var report = ReadReport()
        report.segments = catalog.segments
        report.ignored = catalog.ignored
        let names = Set(catalog.segments.map(\.name.description))
        let found = tally.damages.filter { names.contains($0.segment) }
        report.damages = Damage.normalized(catalog.damages + found)
        report.blockCount = tally.blockCount
        report.lineCount = tally.lineCount
        report.byteCount = tally.byteCount
        report.textByteCount = tally.textByteCount
        let account = LossAccount(catalog)
        report.uncounted = account.uncounted
        report.writers = account.reports(
            read: read, skipped: skipped, before: start[stream.kind])
        report.position = start
        for (writer, sequences) in read {
            report.position.insert(sequences, of: writer, in: stream.kind)
        }
        return report
    }
}
