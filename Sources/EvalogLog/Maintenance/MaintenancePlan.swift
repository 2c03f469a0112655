// What maintenance would do to one stream, as a value: a catalog and the time in, steps out.

/// How long lines are kept, and which segments are worth joining.
package struct MaintenanceRules: Hashable, Sendable {
    /// Microseconds since a line was appended, for each stream.
    package var retention: [StreamKind: Int64]
    /// Segments are joined when there are so many to be joined, and never more at a time, nor more bytes.
    package var joinCount: ClosedRange<Int>
    package var joinByteCount: Int64
    /// Segments that are looked at, the oldest first.
    package var lookCount = Int.max
    /// Of a sealed segment above this size the seal alone is read: it can be pruned and nothing else.
    package var lookByteCount = Int64.max

    /// Rules for a process that has something else to do.
    package static func inBackground(contentDays: Int) -> Self {
        var rules = Self(
            contentDays: contentDays, joinCount: LogLimits.backgroundJoinCount,
            joinByteCount: LogLimits.backgroundJoinByteCount)
        rules.lookCount = LogLimits.backgroundLookCount
        rules.lookByteCount = LogLimits.backgroundJoinByteCount
        return rules
    }

    package init(
        factsDays: Int = LogLimits.factsDaysDefault,
        contentDays: Int = LogLimits.contentDaysDefault,
        joinCount: ClosedRange<Int> = 2...LogLimits.joinSegmentCount,
        joinByteCount: Int64 = Int64(LogLimits.segmentByteCount)
    ) {
        retention = [
            .facts: Int64(factsDays) * LogLimits.day, .content: Int64(contentDays) * LogLimits.day,
        ]
        self.joinCount = joinCount
        self.joinByteCount = joinByteCount
    }

    /// The append time before which lines of a stream have had their time.
    package func limit(for kind: StreamKind, at now: Int64) -> Int64 {
        let (limit, overflow) = now.subtractingReportingOverflow(retention[kind] ?? .max)
        return overflow ? .min : limit
    }
}

/// One thing to do with some segments. It leaves the log whole, whatever comes before or behind it.
package struct MaintenanceStep: Hashable, Sendable {
    package enum Kind: String, CaseIterable, Hashable, Sendable {
        /// Delete segments whose lines have all had their time.
        case prune
        /// Delete segments whose lines are all in a merged file, which was to replace them.
        case drop
        /// Rewrite what a dead writer left, or what is damaged, as a sealed segment.
        case finish
        /// Join the short blocks of one segment.
        case compact
        /// Join segments, and their short blocks.
        case merge
    }

    package var kind: Kind
    package var segments: [SegmentName]
    /// Of the segments as they are.
    package var byteCount: Int64
    /// Copies included.
    package var lineCount: UInt64
    /// The merged file that has the lines of those to drop.
    var cover: SegmentName?

    init(_ kind: Kind, _ outlines: [SegmentOutline], cover: SegmentName? = nil) {
        self.kind = kind
        self.cover = cover
        segments = outlines.map(\.name)
        byteCount = outlines.reduce(0) { $0 + $1.status.byteCount }
        lineCount = outlines.reduce(0) { $0 + $1.lineCount }
    }
}

/// Steps for one stream, in the order in which they are to be done: those that free space first.
package struct MaintenancePlan: Sendable {
    package private(set) var steps: [MaintenanceStep] = []
    /// Segments that writers hold, or held less than `LogLimits.deadSegmentAge` ago.
    package private(set) var inUse: [SegmentName] = []
    /// Segments of a later version, which this one leaves alone.
    package private(set) var newer: [SegmentName] = []
    let catalog: LogCatalog

    /// Plans from headers alone.
    ///
    /// - Parameter now: Wall clock, microseconds since 1970.
    /// - Complexity: O(n log n) in blocks.
    package init(
        _ catalog: LogCatalog, _ kind: StreamKind, _ rules: MaintenanceRules, at now: Int64
    ) {
        self.catalog = catalog
        var rest = SegmentOutline.all(of: catalog)
        newer = rest.filter(\.isNewer).map(\.name)
        inUse = rest.filter { $0.isInUse(at: now) }.map(\.name)
        let limit = rules.limit(for: kind, at: now)
        for wave in Self.expired(&rest, before: limit, at: now) {
            steps.append(.init(.prune, wave))
        }
        steps += CoverPlan(catalog).takeSteps(from: &rest, at: now)
        let joins = JoinPlan(rest, catalog, kind, rules, at: now).steps
        let joined = Set(joins.flatMap(\.segments))
        for outline in rest where !outline.isNewer && !outline.isInUse(at: now) {
            // What is undamaged is sealed where it is joined.
            let isDead = outline.state == .dead && !joined.contains(outline.name)
            if isDead || outline.isDamaged { steps.append(.init(.finish, [outline])) }
        }
        steps += joins
    }

    /// Takes out the segments to delete, in waves: a later one is deleted only when the earlier ones
    /// are gone for good.
    ///
    /// What is deleted of a writer is always what it wrote first, so that it counts as retired and
    /// not as lost, whenever a kill comes. So a segment that is old enough stays as long as one
    /// with earlier lines of the same writer does, whose clock ran ahead then. Of an emptied one nobody
    /// knows which lines it had, but for the others: they stay until it is noted in its place.
    private static func expired(
        _ outlines: inout [SegmentOutline], before limit: Int64, at now: Int64
    ) -> [[SegmentOutline]] {
        let emptied = Set(outlines.filter(\.isEmptied).map(\.name.writer))
        var waves: [[SegmentOutline]] = []
        while true {
            var firsts: [WriterID: UInt64] = [:]
            for outline in outlines {
                for (writer, range) in outline.writers {
                    firsts[writer] = min(firsts[writer] ?? .max, range.lowerBound)
                }
            }
            let isDue = { (outline: SegmentOutline) in
                guard let appended = outline.appended, !outline.isNewer else { return false }
                return appended.upperBound < limit && !outline.isInUse(at: now)
                    && emptied.isDisjoint(with: outline.writers.keys)
                    && outline.writers.allSatisfy { firsts[$0.key] == $0.value.lowerBound }
            }
            let wave = outlines.filter(isDue)
            if wave.isEmpty { return waves }
            waves.append(wave)
            outlines.removeAll(where: isDue)
        }
    }
}
