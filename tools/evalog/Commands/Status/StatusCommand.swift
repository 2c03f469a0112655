// evalog status: what the log consists of, from headers, and what lines tell of refused ones.

import EvalogContent
import EvalogFacts
import EvalogLog
import EvalogText

extension CommandSpec {
    static let status = CommandSpec(
        name: "status", summary: "writers, segments, sizes, times, losses, what to reclaim, limits",
        about: """
            Shows what the log consists of and what maintenance would do. Reads the headers of blocks,
            and the lines of the last day for what writers refused then, so it is quick; whether the
            blocks are whole is what verify says.
            """,
        flags: [.withContent, .json],
        examples: [
            ("evalog status", "shows the log at ./evalog-log"),
            ("evalog status --content --json", "both streams, for a program"),
        ],
        prepare: { arguments, console in
            let directory = LogDirectory(path: console.logPath(arguments))
            let streams: [LogStream] =
                arguments.has(.withContent) ? [.facts, ContentAccess.stream] : [.facts]
            let isJSON = arguments.has(.json)
            return {
                try directory.demandExisting()
                let now = console.now()
                let catalogs = try streams.map { try LogCatalog.scan(directory, $0) }
                let present = Dictionary(
                    uniqueKeysWithValues: zip(streams, catalogs).map { ($0.kind, $1.present) })
                var parts = try zip(streams, catalogs).map {
                    try StreamStatus(directory, $0, $1, present: present, at: now)
                }
                parts[0].refused = try RefusedLines.count(
                    in: directory, since: now - LogLimits.day, catalog: catalogs[0])
                let status = LogStatus(path: directory.path, parts: parts)
                if isJSON {
                    try console.output.write(json: status.json())
                } else {
                    try console.output.write(status.text(now: now))
                }
                return .done
            }
        })
}

/// Lines that writers say they refused.
enum RefusedLines {
    /// Those told of in blocks that were appended since.
    ///
    /// - Parameter catalog: What is read first, where it is known already.
    static func count(
        in directory: LogDirectory, since: Int64, catalog: LogCatalog? = nil
    ) throws -> Int64 {
        let sum = Monitor<Int64>(0)
        try readLog(directory, .facts, catalog: catalog, where: { $0.appendTime >= since }) {
            _, block in
            var decoder = FactDecoder()
            block.forEachLine { _, line in
                guard let fact = try? decoder.decode(line), fact.kind == .logGap else { return }
                let refused = fact.refused
                sum.withLock { $0 += refused }
            }
        }
        return sum.withLock { $0 }
    }
}

/// One stream in figures, from headers.
struct StreamStatus {
    let kind: StreamKind
    let segmentCounts: [(state: LogCatalog.State, count: Int)]
    let byteCount: Int64
    let damageCount: Int
    private(set) var writerCount = 0
    private(set) var blockCount = 0
    private(set) var lineCount: Int64 = 0
    /// Event times and append times, µs.
    private(set) var events: ClosedRange<Int64>?
    private(set) var appends: ClosedRange<Int64>?
    /// Lines that are gone, and how, as far as headers tell.
    let lost: UInt64
    let holes: UInt64
    let retired: UInt64
    /// Segments of which nobody knows how much is lost.
    let uncountedCount: Int
    /// What lies among the segments and is none.
    let foreign: [ForeignFile]
    let plan: MaintenancePlan
    /// Of the last day; nil where nobody has looked.
    var refused: Int64?

    init(
        _ directory: LogDirectory, _ stream: LogStream, _ catalog: LogCatalog,
        present: [StreamKind: [WriterID: SequenceSet]], at now: Int64
    ) throws {
        kind = stream.kind
        plan = MaintenancePlan(catalog, kind, MaintenanceRules(), at: now)
        let states: [LogCatalog.State] = [.live, .closed, .rolled, .merged, .dead]
        segmentCounts = states.map { state in
            (state, catalog.segments.count { $0.state == state })
        }
        byteCount = catalog.segments.reduce(0) { $0 + $1.status.byteCount }
        damageCount = catalog.damages.count
        let (writers, uncounted) = catalog.account()
        lost = writers.reduce(0) { $0 + $1.lost.count }
        holes = writers.reduce(0) { $0 + $1.holes.count }
        retired = writers.reduce(0) { $0 + $1.retiredCount }
        uncountedCount = uncounted.count
        foreign = try directory.explain(
            catalog.ignored, among: catalog.segments, of: stream, present: present)
        writerCount = writers.count
        for (header, _, _) in catalog.headers {
            blockCount += 1
            lineCount += Int64(header.count)
            events = Self.joined(
                events, header.leastEventTime...max(header.leastEventTime, header.greatestEventTime)
            )
            appends = Self.joined(appends, header.appendTime...header.appendTime)
        }
    }

    private static func joined(
        _ left: ClosedRange<Int64>?, _ right: ClosedRange<Int64>
    ) -> ClosedRange<Int64> {
        guard let left else { return right }
        return min(left.lowerBound, right.lowerBound)...max(left.upperBound, right.upperBound)
    }

    var segmentCount: Int { segmentCounts.reduce(0) { $0 + $1.count } }
    /// How far the newest line came into the log behind its event.
    var lag: Int64? {
        guard let events, let appends else { return nil }
        return max(0, appends.upperBound - events.upperBound)
    }
    /// Bytes that maintenance would free by deleting alone.
    var reclaimableByteCount: Int64 {
        plan.steps.filter { $0.kind == .prune || $0.kind == .drop }.reduce(0) { $0 + $1.byteCount }
    }
    /// Segments that maintenance would rewrite.
    var rewritableCount: Int {
        plan.steps.filter { $0.kind != .prune && $0.kind != .drop }
            .reduce(0) { $0 + $1.segments.count }
    }
}
