// What the ends of all segments say about how new they are, so that only the newest are scanned.

/// Each segment's end, and the full scan of those whose end says nothing.
struct SegmentEnds {
    private struct Item {
        var entry: LogDirectory.Entry
        var scan: SegmentScan?
        var appendTime: Int64
    }

    /// Behind all lines that headers and seals tell of.
    private(set) var position = Position()
    private let directory: LogDirectory
    private let kind: StreamKind
    /// Newest first.
    private var items: [Item] = []
    /// How many of them are in the catalog, and the lines of their blocks, copies included.
    private var takenCount = 0
    private var takenLineCount: UInt64 = 0

    /// nil where a file vanished meanwhile.
    init?(_ directory: LogDirectory, _ stream: LogStream) throws(LogError) {
        self.directory = directory
        kind = stream.kind
        let entries = try directory.list(stream).segments
        guard let folder = try directory.openFolder(of: kind) else {
            if entries.isEmpty { return }
            return nil
        }
        defer { directory.disk.close(folder) }
        for entry in entries {
            let found = try directory.withSegment(entry.name, in: folder) {
                scanner throws(DiskError) in try Self.look(at: entry, scanner)
            }
            guard let (item, headers) = found else { return nil }
            items.append(item)
            for header in headers {
                position.insert(SequenceSet(header.sequences), of: header.writer, in: kind)
            }
        }
        items.sort { $0.appendTime > $1.appendTime }
    }

    private static func look(
        at entry: LogDirectory.Entry, _ scanner: SegmentScanner
    ) throws(DiskError) -> (Item, [BlockHeader]) {
        if let seal = try scanner.closingSeal(byteCount: try scanner.status().byteCount) {
            return (Item(entry: entry, appendTime: seal.appendTime), [seal])
        }
        let scan = try scanner.scan()
        let headers = (scan.blocks + scan.marks).map(\.header)
        let newest = headers.map(\.appendTime).max() ?? .min
        return (Item(entry: entry, scan: scan, appendTime: newest), headers)
    }

    /// Adds the next newest segments to a catalog until no other one can hold any of so many
    /// newest lines; false where a file vanished.
    ///
    /// - Parameter failed: Blocks of the catalog whose lines do not count.
    mutating func extend(
        _ catalog: inout LogCatalog, to lineCount: UInt64, without failed: Set<Int>
    ) throws(LogError) -> Bool {
        guard let folder = try directory.openFolder(of: kind) else {
            return items.isEmpty
        }
        defer { directory.disk.close(folder) }
        for item in items[takenCount...] {
            // Copies count once, but looking for them only pays when there may be enough.
            if takenLineCount >= lineCount,
                Self.lineCount(catalog, since: item.appendTime, without: failed) >= lineCount
            {
                break
            }
            var scan = item.scan
            if scan == nil {
                scan = try directory.withSegment(item.entry.name, in: folder) {
                    scanner throws(DiskError) in try scanner.scan()
                }
            }
            guard let scan else { return false }
            catalog.add(item.entry.name, item.entry.status, scan)
            takenCount += 1
            takenLineCount += scan.blocks.reduce(0) { $0 + UInt64($1.header.count) }
        }
        return true
    }

    /// Lines in blocks that no segment still to come can be newer than.
    private static func lineCount(
        _ catalog: LogCatalog, since time: Int64, without failed: Set<Int>
    ) -> UInt64 {
        ReadPlan.tasks(catalog.blocks, done: [:], failed: failed)
            .filter { catalog.blocks[$0.block].header.appendTime > time }
            .reduce(0) { $0 + $1.wanted.count }
    }
}
