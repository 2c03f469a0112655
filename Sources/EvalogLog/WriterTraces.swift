// What all segments together tell of each writer, for whoever looks at a single one.

/// How far each writer is known to have come, and which of its emptied segments are no riddle.
package struct WriterTraces: Sendable {
    /// One behind the greatest sequence of each writer that anything tells of.
    let ends: [WriterID: UInt64]
    /// Segments of which nothing is left although what their writers wrote before and behind them is
    /// there to tell which lines they were; with the first line that is known of the writer.
    let bridged: [SegmentName: UInt64]

    package init(ends: [WriterID: UInt64] = [:], bridged: [SegmentName: UInt64] = [:]) {
        self.ends = ends
        self.bridged = bridged
    }

    init(_ catalog: LogCatalog) {
        var firsts: [WriterID: UInt64] = [:]
        var ends: [WriterID: UInt64] = [:]
        for header in catalog.blocks.map(\.header) + catalog.marks.map(\.header) {
            let range = header.sequences
            firsts[header.writer] = min(firsts[header.writer] ?? .max, range.lowerBound)
            ends[header.writer] = max(ends[header.writer] ?? 0, range.upperBound)
        }
        for segment in catalog.segments where segment.name.number == 1 && segment.isOwn {
            firsts[segment.name.writer] = 1
        }
        self.ends = ends
        var bridged: [SegmentName: UInt64] = [:]
        for segment in catalog.segments where segment.isEmptied && !segment.name.isMerged {
            guard let first = firsts[segment.name.writer],
                let next = Self.start(behind: segment.name, in: catalog),
                first < next || next == 1
            else { continue }
            bridged[segment.name] = first
        }
        self.bridged = bridged
    }

    /// Where the writer went on: the least line of its later segments.
    private static func start(behind name: SegmentName, in catalog: LogCatalog) -> UInt64? {
        catalog.segments.filter {
            $0.name.writer == name.writer && $0.name.number > name.number && $0.isOwn
        }.compactMap { $0.first?.first }.min()
    }
}

extension LogCatalog.Segment {
    /// Whether its first block, where there is one, is that of the writer in its name.
    var isOwn: Bool { first.map { $0.writer == name.writer } ?? true }
    /// Whether nothing is left of what a dead writer wrote.
    var isEmptied: Bool { first == nil && state == .dead }
}
