// What maintenance would do to one stream, as a value: a catalog and the time in, steps out.

/// How long lines are kept.
package struct MaintenanceRules: Hashable, Sendable {
    /// Microseconds since a line was appended, for each stream.
    package var retention: [StreamKind: Int64]

    package init(
        factsDays: Int = LogLimits.factsDaysDefault, contentDays: Int = LogLimits.contentDaysDefault
    ) {
        retention = [
            .facts: Int64(factsDays) * LogLimits.day, .content: Int64(contentDays) * LogLimits.day,
        ]
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
        /// Rewrite what a dead writer left, or what is damaged, as a sealed segment.
        case finish
    }

    package var kind: Kind
    package var segments: [SegmentName]
    /// Of the segments as they are.
    package var byteCount: Int64
    /// Copies included.
    package var lineCount: UInt64

    fileprivate init(_ kind: Kind, _ outlines: [SegmentOutline]) {
        self.kind = kind
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
        let outlines = SegmentOutline.all(of: catalog)
        newer = outlines.filter(\.isNewer).map(\.name)
        inUse = outlines.filter { $0.isInUse(at: now) }.map(\.name)
        var rest = outlines
        let limit = rules.limit(for: kind, at: now)
        for wave in Self.expired(&rest, before: limit, at: now) {
            steps.append(.init(.prune, wave))
        }
        for outline in rest where !outline.isNewer && !outline.isInUse(at: now) {
            if outline.state == .dead || outline.isDamaged {
                steps.append(.init(.finish, [outline]))
            }
        }
    }

    /// Takes out the segments to delete, in waves: a later one is deleted only when the earlier ones
    /// are gone for good.
    ///
    /// What is deleted of a writer is always what it wrote first, so that it counts as retired and
    /// not as lost, whenever a kill comes. So a segment that is old enough stays as long as one
    /// with earlier lines of the same writer does, whose clock ran ahead then.
    private static func expired(
        _ outlines: inout [SegmentOutline], before limit: Int64, at now: Int64
    ) -> [[SegmentOutline]] {
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
                    && outline.writers.allSatisfy { firsts[$0.key] == $0.value.lowerBound }
            }
            let wave = outlines.filter(isDue)
            if wave.isEmpty { return waves }
            waves.append(wave)
            outlines.removeAll(where: isDue)
        }
    }
}
