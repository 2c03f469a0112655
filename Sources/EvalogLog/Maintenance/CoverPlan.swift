// What a kill between a merged file's making and the deletion of its sources leaves: segments whose
// lines all stand in the merged file as well.

/// Finds segments that a merged file stands for.
struct CoverPlan {
    private let catalog: LogCatalog
    private var blocks: [Int: [BlockHeader]] = [:]
    private var marks: [Int: [BlockHeader]] = [:]

    init(_ catalog: LogCatalog) {
        self.catalog = catalog
        for block in catalog.blocks { blocks[block.segment, default: []].append(block.header) }
        for mark in catalog.marks { marks[mark.segment, default: []].append(mark.header) }
    }

    /// Plans to drop what merged files stand for, and takes it out of the outlines.
    func takeSteps(from outlines: inout [SegmentOutline], at now: Int64) -> [MaintenanceStep] {
        var indices: [SegmentName: Int] = [:]
        for (index, segment) in catalog.segments.enumerated() { indices[segment.name] = index }
        let isWhole = { (outline: SegmentOutline) in
            !outline.isDamaged && !outline.isNewer && !outline.isInUse(at: now)
                && !outline.writers.isEmpty && !outline.isSealOnly
        }
        // Only segments of a cover's own writers can be covered by it.
        var byWriter: [WriterID: [Int]] = [:]
        for (place, outline) in outlines.enumerated() {
            for writer in outline.writers.keys { byWriter[writer, default: []].append(place) }
        }
        var gone: Set<Int> = []
        var steps: [MaintenanceStep] = []
        for (coverPlace, cover) in outlines.enumerated()
        where cover.state == .merged && isWhole(cover) && !gone.contains(coverPlace) {
            guard let coverIndex = indices[cover.name] else { continue }
            var covering: Covering?
            let candidates = Set(cover.writers.keys.flatMap { byWriter[$0] ?? [] }).sorted()
            let dropped = candidates.filter { place in
                let outline = outlines[place]
                guard place != coverPlace, !gone.contains(place), isWhole(outline),
                    outline.writers.allSatisfy({ writer, range in
                        cover.writers[writer].map {
                            $0.lowerBound <= range.lowerBound
                                && range.upperBound <= $0.upperBound
                        } == true
                    }), let index = indices[outline.name]
                else { return false }
                let own = covering ?? Covering(blocks[coverIndex] ?? [], marks[coverIndex] ?? [])
                covering = own
                return own.covers(blocks[index] ?? [], marks[index] ?? [])
            }
            if dropped.isEmpty { continue }
            steps.append(
                MaintenanceStep(.drop, dropped.map { outlines[$0] }, cover: cover.name))
            gone.formUnion(dropped)
        }
        outlines = outlines.indices.filter { !gone.contains($0) }.map { outlines[$0] }
        return steps
    }
}

/// What one segment has, by writer.
private struct Covering {
    /// From each generation upwards.
    private var lines: [WriterID: [UInt8: SequenceSet]] = [:]
    private var holes: SequencesByWriter = [:]
    /// The first lines of open holes.
    private var openStarts: [WriterID: Set<UInt64>] = [:]
    /// One behind the last line that seals, or anything, tells of.
    private var finals: [WriterID: UInt64] = [:]
    private var rolled: [WriterID: UInt64] = [:]
    private var ends: [WriterID: UInt64] = [:]

    init(_ blocks: [BlockHeader], _ marks: [BlockHeader]) {
        for header in blocks + marks {
            ends[header.writer] = max(ends[header.writer] ?? 0, header.sequences.upperBound)
        }
        for header in blocks {
            lines[header.writer, default: [:]][header.generation, default: .init()]
                .insert(header.sequences)
        }
        for header in marks where header.flags.contains(.hole) {
            holes.insert(header)
            if header.flags.contains(.open) {
                openStarts[header.writer, default: []].insert(header.first)
            }
        }
        for header in marks where header.flags.contains(.seal) {
            let end = header.sequences.upperBound
            if header.flags.contains(.final) {
                finals[header.writer] = max(finals[header.writer] ?? 0, end)
            } else {
                rolled[header.writer] = max(rolled[header.writer] ?? 0, end)
            }
        }
    }

    private func lines(of writer: WriterID, from generation: UInt8) -> SequenceSet {
        var set = SequenceSet()
        for (own, sequences) in lines[writer] ?? [:] where own >= generation {
            set.formUnion(sequences)
        }
        return set
    }

    /// Whether nothing would be missing, or less known, without a segment.
    func covers(_ blocks: [BlockHeader], _ marks: [BlockHeader]) -> Bool {
        for header in blocks {
            guard lines(of: header.writer, from: header.generation).contains(header.sequences)
            else { return false }
        }
        for header in marks {
            if header.flags.contains(.hole) {
                var known = lines(of: header.writer, from: 0)
                known.formUnion(holes[header.writer] ?? .init())
                let isHeadKnown =
                    !header.flags.contains(.open) || known.first ?? .max < header.first
                    || openStarts[header.writer]?.contains(header.first) == true
                guard known.contains(header.sequences), isHeadKnown else { return false }
            } else if header.flags.contains(.seal) {
                guard covers(header) else { return false }
            }
        }
        return true
    }
    /// A rolled seal without a successor tells of a loss, which a final one in its place would deny.
    private func covers(_ seal: BlockHeader) -> Bool {
        let end = seal.sequences.upperBound
        if seal.flags.contains(.final) { return (finals[seal.writer] ?? 0) >= end }
        return (rolled[seal.writer] ?? 0) >= end || (ends[seal.writer] ?? 0) > end
    }
}
