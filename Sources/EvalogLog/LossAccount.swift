// Loss, exactly: what headers and seals prove to have been there, minus what is.

/// A place where more lines may be lost than can be counted, and why nobody can count them.
package struct UncountedLoss: Hashable, Sendable {
    package enum Reason: String, CaseIterable, Hashable, Sendable {
        /// Nothing in the segment can be read. It was never empty under its name.
        case unreadable
        /// Its head is damaged, and nothing before it is present.
        case head
        /// Its end is damaged, and nothing tells of what its writer did later.
        case tail
        /// Its writer went on in another segment, which is not there.
        case successor
    }

    /// The segment's file name.
    package var segment: String
    /// Whose lines they are; of a merged file of which nothing is left nobody knows.
    package var writer: WriterID?
    package var reason: Reason
}

/// Accounts for one stream's sequences.
struct LossAccount {
    private struct Evidence {
        var first = UInt64.max
        /// One behind the greatest sequence proven.
        var end: UInt64 = 0
        var holes = SequenceSet()
        /// One behind the last line of the latest rolled and the final seal.
        var rolledEnd: UInt64 = 0
        var finalEnd: UInt64 = 0
        /// Index of the segment with that rolled seal.
        var rolledSegment = 0
    }

    /// Losses beyond those that can be counted, in the order of segments.
    private(set) var uncounted: [UncountedLoss] = []
    private var evidence: [WriterID: Evidence] = [:]
    /// Emptied segments whose lines others tell of.
    private let bridged: Set<SegmentName>

    init(_ catalog: LogCatalog) {
        bridged = Set(WriterTraces.bridged(in: catalog).keys)
        for block in catalog.blocks { prove(block.header, block.segment) }
        for mark in catalog.marks { prove(mark.header, mark.segment) }
        for segment in catalog.segments where segment.name.number == 1 && segment.isOwn {
            // A writer's first segment begins with its first line, whatever is left of it.
            evidence[segment.name.writer]?.first = 1
        }
        let abandoned = writersWithoutSuccessor()
        let beheaded = writersWithoutHead(catalog)
        for (index, segment) in catalog.segments.enumerated() {
            let marked =
                beheaded[index, default: []].sorted().map { ($0, UncountedLoss.Reason.head) }
                + abandoned[index, default: []].sorted().map { ($0, .successor) }
            for (writer, reason) in losses(of: segment) + marked {
                uncounted.append(
                    UncountedLoss(
                        segment: segment.name.description, writer: writer, reason: reason))
            }
        }
    }

    private mutating func prove(_ header: BlockHeader, _ segment: Int) {
        let range = header.sequences
        guard !range.isEmpty else { return }
        var known = evidence[header.writer] ?? Evidence()
        known.first = min(known.first, range.lowerBound)
        known.end = max(known.end, range.upperBound)
        if header.flags.contains(.hole) { known.holes.insert(range) }
        if header.flags.contains([.seal, .final]) {
            known.finalEnd = max(known.finalEnd, range.upperBound)
        } else if header.flags.contains(.seal), range.upperBound > known.rolledEnd {
            known.rolledEnd = range.upperBound
            known.rolledSegment = segment
        }
        evidence[header.writer] = known
    }

    // MARK: What cannot be counted

    private typealias Cause = (writer: WriterID?, reason: UncountedLoss.Reason)

    /// What the state of a segment says.
    private func losses(of segment: LogCatalog.Segment) -> [Cause] {
        var causes: [Cause] = []
        let name = segment.name
        let isFirst = name.number == 1 && segment.first?.writer == name.writer
        if let head = segment.damagedHead, !isFirst, evidence[head.writer]?.first == head.first {
            causes.append((head.writer, .head))
        }
        let isCut = segment.hasTornTail && !segment.endsInsideBlock
        if isCut || segment.hasStaleTail, let last = segment.last {
            // Unless the writer is known to have gone on, or to have ended, behind the tear.
            if let known = evidence[last.writer], known.end <= last.next, known.finalEnd < known.end
            {
                causes.append((last.writer, .tail))
            }
        } else if segment.isEmptied, !bridged.contains(name) {
            causes.append((name.isMerged ? nil : name.writer, .unreadable))
        }
        return causes
    }

    /// Writers whose first line that anything tells of is in an open hole, by its segment.
    private func writersWithoutHead(_ catalog: LogCatalog) -> [Int: [WriterID]] {
        var writers: [Int: [WriterID]] = [:]
        for mark in catalog.marks where mark.header.flags.contains(.open) {
            let (writer, first) = (mark.header.writer, mark.header.first)
            let isPresent = catalog.blocks.contains {
                $0.header.writer == writer && $0.header.sequences.contains(first)
            }
            if evidence[writer]?.first == first, !isPresent {
                writers[mark.segment, default: []].append(writer)
            }
        }
        return writers
    }

    /// Writers that went on in a segment of which nothing is there, by the one before it.
    private func writersWithoutSuccessor() -> [Int: [WriterID]] {
        var writers: [Int: [WriterID]] = [:]
        for (writer, known) in evidence where known.rolledEnd > 0 && known.rolledEnd == known.end {
            writers[known.rolledSegment, default: []].append(writer)
        }
        return writers
    }

    // MARK: What can

    /// - Parameters:
    ///   - read: Lines read now.
    ///   - skipped: Lines present and not wanted.
    ///   - before: Lines read before.
    func reports(
        read: SequencesByWriter, skipped: SequencesByWriter,
        before: SequencesByWriter
    ) -> [WriterReport] {
        let unsure = Set(uncounted.compactMap(\.writer))
        return unsure.union(evidence.keys).sorted().map { writer in
            var report = WriterReport(writer: writer)
            report.readCount = read[writer]?.count ?? 0
            report.skippedCount = skipped[writer]?.count ?? 0
            report.hasUnknownLoss = unsure.contains(writer)
            guard let known = evidence[writer], known.first < known.end else { return report }
            report.retiredCount = known.first - 1
            var present = read[writer] ?? SequenceSet()
            present.formUnion(skipped[writer] ?? SequenceSet())
            present.formUnion(before[writer] ?? SequenceSet())
            let missing = present.missing(in: known.first..<known.end)
            report.lost = missing.subtracting(known.holes)
            report.holes = missing.subtracting(report.lost)
            return report
        }
    }
}

extension LogCatalog {
    /// What headers alone say of each writer: every line of a block counts as there.
    package func account() -> (writers: [WriterReport], uncounted: [UncountedLoss]) {
        let account = LossAccount(self)
        let writers = account.reports(read: present, skipped: [:], before: [:])
        return (writers, account.uncounted)
    }

    /// The lines of all blocks.
    package var present: [WriterID: SequenceSet] {
        var ranges: [WriterID: [Range<UInt64>]] = [:]
        for block in blocks {
            ranges[block.header.writer, default: []].append(block.header.sequences)
        }
        return ranges.mapValues(SequenceSet.init(uniting:))
    }
}
