// Loss, exactly: what headers and seals prove to have been there, minus what is.

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
        var hasUnknownLoss = false
    }

    private var evidence: [WriterID: Evidence] = [:]

    init(_ catalog: LogCatalog) {
        for block in catalog.blocks { prove(block.header) }
        for mark in catalog.marks { prove(mark.header) }
        for segment in catalog.segments { look(at: segment) }
    }

    private mutating func prove(_ header: BlockHeader) {
        let range = header.sequences
        guard !range.isEmpty else { return }
        var known = evidence[header.writer] ?? Evidence()
        known.first = min(known.first, range.lowerBound)
        known.end = max(known.end, range.upperBound)
        if header.flags.contains(.hole) { known.holes.insert(range) }
        if header.flags.contains([.seal, .final]) {
            known.finalEnd = max(known.finalEnd, range.upperBound)
        } else if header.flags.contains(.seal) {
            known.rolledEnd = max(known.rolledEnd, range.upperBound)
        }
        evidence[header.writer] = known
    }

    private mutating func look(at segment: LogCatalog.Segment) {
        let name = segment.name
        if let first = segment.first, name.number == 1, first.writer == name.writer {
            // A writer's first segment begins with its first line, whatever is left of it.
            evidence[name.writer]?.first = 1
        } else if let head = segment.damagedHead, evidence[head.writer]?.first == head.first {
            evidence[head.writer]?.hasUnknownLoss = true
        }
        let isCut = segment.hasTornTail && !segment.endsInsideBlock
        if isCut || segment.hasStaleTail, let last = segment.last {
            // Unless the writer is known to have gone on, or to have ended, behind the tear.
            if let known = evidence[last.writer], known.end <= last.next, known.finalEnd < known.end
            {
                evidence[last.writer]?.hasUnknownLoss = true
            }
        } else if segment.first == nil, !name.isMerged, segment.status.byteCount > 0,
            segment.state == .dead
        {
            evidence[name.writer, default: Evidence()].hasUnknownLoss = true
        }
    }

    /// - Parameters:
    ///   - read: Lines read now.
    ///   - skipped: Lines present and not wanted.
    ///   - before: Lines read before.
    func reports(
        read: [WriterID: SequenceSet], skipped: [WriterID: SequenceSet],
        before: [WriterID: SequenceSet]
    ) -> [WriterReport] {
        evidence.keys.sorted().map { writer in
            var report = WriterReport(writer: writer)
            report.readCount = read[writer]?.count ?? 0
            report.skippedCount = skipped[writer]?.count ?? 0
            guard let known = evidence[writer] else { return report }
            report.hasUnknownLoss =
                known.hasUnknownLoss
                || (known.rolledEnd > 0 && known.rolledEnd == known.end)
            guard known.first < known.end else { return report }
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
    package func account() -> [WriterReport] {
        var present: [WriterID: [Range<UInt64>]] = [:]
        for block in blocks {
            present[block.header.writer, default: []].append(block.header.sequences)
        }
        return LossAccount(self).reports(
            read: present.mapValues(SequenceSet.init(uniting:)), skipped: [:], before: [:])
    }
}
