// What all segments together tell of each writer, for whoever looks at a single one.

/// How far each writer is known to have come, and which of its emptied segments are no riddle.
package struct WriterTraces: Sendable {
    /// One behind the greatest sequence of each writer that anything tells of.
    let ends: [WriterID: UInt64]
    /// Segments of which nothing is left although what their writers wrote before and behind them is
    /// there to tell which lines they were; with the first line that is known of the writer.
    let bridged: [SegmentName: UInt64]
    /// Writers of which a segment ends in damage, with nothing to tell what came there: nobody knows
    /// of any line that it was their last.
    let torn: Set<WriterID>

    package init(
        ends: [WriterID: UInt64] = [:], bridged: [SegmentName: UInt64] = [:],
        torn: Set<WriterID> = []
    ) {
        self.ends = ends
        self.bridged = bridged
        self.torn = torn
    }

    init(_ catalog: LogCatalog) {
        var ends: [WriterID: UInt64] = [:]
        for header in catalog.blocks.map(\.header) + catalog.marks.map(\.header) {
            ends[header.writer] = max(ends[header.writer] ?? 0, header.sequences.upperBound)
        }
        let tails = LossAccount(catalog).uncounted.filter { $0.reason == .tail }
        self.init(
            ends: ends, bridged: Self.bridged(in: catalog), torn: Set(tails.compactMap(\.writer)))
    }

    /// Emptied segments that are no riddle.
    static func bridged(in catalog: LogCatalog) -> [SegmentName: UInt64] {
        var firsts: [WriterID: UInt64] = [:]
        for header in catalog.blocks.map(\.header) + catalog.marks.map(\.header) {
            firsts[header.writer] = min(firsts[header.writer] ?? .max, header.first)
        }
        for segment in catalog.segments where segment.name.number == 1 && segment.isOwn {
            firsts[segment.name.writer] = 1
        }
        var bridged: [SegmentName: UInt64] = [:]
        for segment in catalog.segments where segment.isEmptied && segment.name.isInOrder {
            let others = catalog.segments.filter {
                $0.name.writer == segment.name.writer && $0.name.isInOrder && $0.first != nil
                    && $0.isOwn
            }
            // Lines in a merged file may have come before its own or behind them.
            guard let first = firsts[segment.name.writer],
                others.contains(where: { $0.name.number > segment.name.number }),
                first == 1 || others.contains(where: { $0.name.number < segment.name.number })
            else { continue }
            bridged[segment.name] = first
        }
        return bridged
    }
}

extension LogCatalog.Segment {
    /// Whether its first block, where there is one, is that of the writer in its name.
    var isOwn: Bool { first.map { $0.writer == name.writer } ?? true }
    /// Whether nothing is left of what a dead writer wrote.
    var isEmptied: Bool { first == nil && state == .dead }
}
