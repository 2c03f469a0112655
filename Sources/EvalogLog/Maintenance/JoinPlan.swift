// Which segments to join: neighbours in time, as many as are small beside each other, so that a line is
// rewritten a few times in its life however many segments there are.

/// Plans the joining of segments from what is known of them.
struct JoinPlan {
    private(set) var steps: [MaintenanceStep] = []

    private let outlines: [SegmentOutline]
    private let rules: MaintenanceRules
    private let span: Int64
    /// Each writer's segments in the order of their sequences.
    private let places: [WriterID: [SegmentName: Int]]
    /// Plain segments with blocks that are short and could be one.
    private let loose: Set<SegmentName>

    /// - Parameter outlines: All segments that stay.
    init(
        _ outlines: [SegmentOutline], _ catalog: LogCatalog, _ kind: StreamKind,
        _ rules: MaintenanceRules, at now: Int64
    ) {
        self.rules = rules
        self.span = kind == .facts ? LogLimits.factsJoinSpan : LogLimits.contentJoinSpan
        places = Self.places(of: outlines)
        loose = Self.loose(outlines, catalog)
        // The numbers of a writer's segments tell what an emptied one had, until that is noted.
        let emptied = Set(outlines.filter(\.isEmptied).map(\.name.writer))
        self.outlines = outlines.filter {
            emptied.isDisjoint(with: $0.writers.keys) && $0.appended != nil && !$0.isNewer
                && !$0.isDamaged && !$0.isInUse(at: now)
                && !$0.isSealOnly
                && $0.status.byteCount <= rules.joinByteCount
        }
        for group in groups() { plan(group) }
    }

    private static func places(of outlines: [SegmentOutline]) -> [WriterID: [SegmentName: Int]] {
        var found: [WriterID: [(first: UInt64, name: SegmentName)]] = [:]
        for outline in outlines {
            for (writer, range) in outline.writers {
                found[writer, default: []].append((range.lowerBound, outline.name))
            }
        }
        return found.mapValues { segments in
            let sorted = segments.sorted { ($0.first, $0.name) < ($1.first, $1.name) }
            return Dictionary(uniqueKeysWithValues: sorted.enumerated().map { ($1.name, $0) })
        }
    }

    private static func loose(
        _ outlines: [SegmentOutline], _ catalog: LogCatalog
    ) -> Set<SegmentName> {
        let short = Set(
            outlines.filter {
                !$0.name.isMerged && $0.blockCount > 1
                    && $0.blockByteCount / Int64($0.blockCount) < LogLimits.shortBlockByteCount
            }.map(\.name))
        var loose: Set<SegmentName> = []
        for (block, next) in zip(catalog.blocks, catalog.blocks.dropFirst()) {
            let name = catalog.segments[block.segment].name
            guard block.segment == next.segment, short.contains(name),
                block.header.writer == next.header.writer,
                block.header.generation == next.header.generation,
                block.header.sequences.upperBound == next.header.first,
                abs(next.header.appendTime - block.header.appendTime) <= LogLimits.joinAge
            else { continue }
            loose.insert(name)
        }
        return loose
    }

    /// Segments that may be joined without keeping a line longer than the span, and without lines of
    /// a writer elsewhere that come between its lines here: they would hold each other back from
    /// being deleted in order.
    private func groups() -> [[SegmentOutline]] {
        let sorted = outlines.sorted {
            ($0.appended?.lowerBound ?? 0, $0.name) < ($1.appended?.lowerBound ?? 0, $1.name)
        }
        var groups: [[SegmentOutline]] = []
        var reached = Reached()
        for outline in sorted {
            if groups.isEmpty || !reached.add(outline, places, span) {
                groups.append([])
                reached = Reached()
                _ = reached.add(outline, places, span)
            }
            groups[groups.count - 1].append(outline)
        }
        return groups
    }

    /// What a group covers.
    private struct Reached {
        private var appended: ClosedRange<Int64>?
        private var places: [WriterID: ClosedRange<Int>] = [:]

        /// False, and unchanged, where the segment does not fit the group.
        mutating func add(
            _ outline: SegmentOutline, _ all: [WriterID: [SegmentName: Int]], _ span: Int64
        ) -> Bool {
            guard let own = outline.appended else { return false }
            let before = appended ?? own
            let after =
                min(before.lowerBound, own.lowerBound)...max(before.upperBound, own.upperBound)
            let (length, overflow) = after.upperBound.subtractingReportingOverflow(after.lowerBound)
            guard appended == nil || (!overflow && length <= span) else { return false }
            var grown: [(WriterID, ClosedRange<Int>)] = []
            for writer in outline.writers.keys {
                guard let place = all[writer]?[outline.name] else { continue }
                let known = places[writer] ?? place...place
                guard place >= known.lowerBound - 1, place <= known.upperBound + 1 else {
                    return false
                }
                grown.append(
                    (writer, min(place, known.lowerBound)...max(place, known.upperBound)))
            }
            for (writer, range) in grown { places[writer] = range }
            appended = after
            return true
        }
    }

    /// From the newest backwards, each step takes the next older segment as long as that is not larger
    /// than all it has: so sizes double, there are never many, and a large one is not rewritten for
    /// a small one.
    private mutating func plan(_ group: [SegmentOutline]) {
        var rest = group[...]
        while let newest = rest.popLast() {
            let run = older(than: newest, in: rest)
            if run.count >= rules.joinCount.lowerBound {
                rest.removeLast(run.count - 1)
                steps.append(MaintenanceStep(.merge, run))
            } else if loose.contains(newest.name) {
                steps.append(MaintenanceStep(.compact, [newest]))
            }
        }
    }

    /// What to join with a segment, itself included, oldest first.
    private func older(
        than newest: SegmentOutline, in rest: ArraySlice<SegmentOutline>
    ) -> [SegmentOutline] {
        var run = [newest]
        var byteCount = newest.status.byteCount
        let isSmall = { (one: Int64, all: Int64) in one <= max(LogLimits.smallSegmentByteCount, all)
        }
        for older in rest.reversed() {
            let size = older.status.byteCount
            guard run.count < rules.joinCount.upperBound, byteCount + size <= rules.joinByteCount,
                isSmall(size, byteCount)
            else { break }
            run.append(older)
            byteCount += size
        }
        let own = newest.status.byteCount
        return isSmall(own, byteCount - own) ? run.reversed() : [newest]
    }
}
