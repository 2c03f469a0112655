// The newest lines of a stream, without reading the rest: closed segments say by their last seal
// how new they are.

/// Reads the last lines of a stream, as appended, and returns the position behind all lines that
/// exist, from which a `LogFollower` goes on.
///
/// - Parameters:
///   - count: Fewer come where there are fewer, or where one of the newest blocks is damaged.
///   - body: Called with blocks on loan, oldest first.
/// - Complexity: One status call and one small read for each segment, headers and blocks of the
///   newest ones.
/// - Throws: `LogError` where a file cannot be read, or the body's error.
package func readLastLines(
    _ count: Int, of directory: LogDirectory, _ stream: LogStream,
    body: (LineBlock) throws -> Void
) throws -> Position {
    for _ in 0..<LogLimits.rescanCount {
        guard let survey = try Survey(directory, stream) else { continue }
        guard let catalog = try survey.newestBlocks(lineCount: count) else { continue }
        if try deliverLast(count, catalog, directory, stream.kind, body) { return survey.position }
    }
    throw LogError.unsteady(path: "\(directory.path)/\(stream.kind.name)")
}

/// false where a file changed before anything was delivered from it.
private func deliverLast(
    _ count: Int, _ catalog: LogCatalog, _ directory: LogDirectory, _ kind: StreamKind,
    _ body: (LineBlock) throws -> Void
) throws -> Bool {
    let planned = DeliveryOrder.sorted(
        ReadPlan.tasks(catalog.blocks, done: [:]), catalog.blocks)
    var tasks: [ReadTask] = []
    var rest = UInt64(max(count, 0))
    for var task in planned.reversed() where rest > 0 {
        task.wanted = task.wanted.suffix(rest)
        rest -= task.wanted.count
        tasks.append(task)
    }
    let reader = BlockReader(directory, kind)
    var hasDelivered = false
    for task in tasks.reversed() {
        let entry = catalog.blocks[task.block]
        let segment = catalog.segments[entry.segment]
        switch try reader.read(entry, in: segment.name, inode: segment.status.inode) {
        case .vanished:
            if !hasDelivered { return false }
        case .damaged:
            continue
        case .lines(let text):
            hasDelivered = true
            try body(
                LineBlock(
                    header: entry.header, segment: segment.name.description, offset: entry.offset,
                    text: text, wanted: task.wanted))
        }
    }
    return true
}

/// What each segment's end says, and the full scan of those whose end says nothing.
private struct Survey {
    private struct Item {
        var entry: LogDirectory.Entry
        var scan: SegmentScan?
        var appendTime: Int64
    }

    private(set) var position = Position()
    private let directory: LogDirectory
    private let kind: StreamKind
    private var items: [Item] = []

    /// nil where a file vanished meanwhile.
    init?(_ directory: LogDirectory, _ stream: LogStream) throws(LogError) {
        self.directory = directory
        kind = stream.kind
        for entry in try directory.list(stream).segments {
            let item = try Self.open(entry, directory, kind) { scanner throws(DiskError) in
                let status = try scanner.disk.status(of: scanner.handle)
                if let seal = try scanner.closingSeal(byteCount: status.byteCount) {
                    return (Item(entry: entry, appendTime: seal.appendTime), [seal])
                }
                var scan = SegmentScan()
                try scanner.advance(&scan)
                let headers = scan.blocks.map(\.header) + scan.marks
                let newest = headers.map(\.appendTime).max() ?? .min
                return (Item(entry: entry, scan: scan, appendTime: newest), headers)
            }
            guard let (item, headers) = item else { return nil }
            items.append(item)
            for header in headers {
                position.insert(SequenceSet(header.sequences), of: header.writer, in: kind)
            }
        }
        items.sort { $0.appendTime > $1.appendTime }
    }

    /// The blocks of as many of the newest segments as it takes; nil where a file vanished.
    func newestBlocks(lineCount: Int) throws(LogError) -> LogCatalog? {
        var catalog = LogCatalog()
        var present = 0
        for item in items {
            // Copies count once, but looking for them only pays when there may be enough.
            if present >= lineCount,
                Self.lineCount(catalog, since: item.appendTime) >= lineCount
            {
                break
            }
            var scan = item.scan
            if scan == nil {
                scan = try Self.open(item.entry, directory, kind) { scanner throws(DiskError) in
                    var scan = SegmentScan()
                    try scanner.advance(&scan)
                    return scan
                }
            }
            guard let scan else { return nil }
            present += scan.blocks.reduce(0) { $0 + Int($1.header.count) }
            catalog.add(item.entry.name, item.entry.status, scan)
        }
        return catalog
    }

    /// Lines in blocks that no segment still to come can be newer than.
    private static func lineCount(_ catalog: LogCatalog, since time: Int64) -> Int {
        ReadPlan.tasks(catalog.blocks.filter { $0.header.appendTime > time }, done: [:])
            .reduce(0) { $0 + Int($1.wanted.count) }
    }

    private static func open<Result>(
        _ entry: LogDirectory.Entry, _ directory: LogDirectory, _ kind: StreamKind,
        _ body: (SegmentScanner) throws(DiskError) -> Result
    ) throws(LogError) -> Result? {
        guard let folder = try directory.openFolder(of: kind, making: false) else { return nil }
        defer { directory.disk.close(folder) }
        do {
            let handle = try directory.disk.openFile(entry.name.description, in: folder)
            defer { directory.disk.close(handle) }
            return try body(SegmentScanner(entry.name, handle, on: directory.disk))
        } catch  where error.isMissing {
            return nil
        } catch {
            throw directory.located(error, in: kind, name: entry.name.description)
        }
    }
}
