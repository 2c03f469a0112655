// Which lines are to be erased: every copy of every line is looked at, also those that a reader
// would pass over, for a file holds what it holds.

/// What a caller says of one line.
package enum LineVerdict: Hashable, Sendable {
    case keep
    case erase
    /// As `erase`, but not before the others are gone: they are known by it, and an interrupted
    /// erasing would not find them any more.
    case eraseLast
    /// It stands in for an erased line already.
    case erased
}

/// The line that stands in for an erased one.
package enum Tombstone: CaseIterable, Hashable, Sendable {
    /// For a line whose meaning goes with it.
    case plain
    /// For one that whoever erased it could not decode: nobody knows what it told.
    case unread

    /// Without its newline.
    package var line: [UInt8] { self == .plain ? Self.plainLine : Self.unreadLine }

    private static let plainLine = Array(#"{"erased":true}"#.utf8)
    private static let unreadLine = Array(#"{"erased":true,"unread":true}"#.utf8)

    /// Nil for every other line.
    package init?(_ line: UnsafeRawBufferPointer) {
        guard let found = Self.allCases.first(where: { line.elementsEqual($0.line) }) else {
            return nil
        }
        self = found
    }
}

/// What there is to erase in one stream, found without changing anything.
package struct EraseSurvey: Sendable {
    let catalog: LogCatalog
    /// Lines that the caller chose, wherever they are.
    private(set) var chosen: SequencesByWriter = [:]
    /// Those of them that go last.
    private(set) var last: SequencesByWriter = [:]
    /// Lines erased before, whose older copies have to go as well.
    private(set) var erased: SequencesByWriter = [:]
    /// Lines of all these in whose place ``Tombstone/unread`` stands, or is to stand.
    private(set) var unread: SequencesByWriter = [:]
    /// Segments with bytes that no reader understands, which might hold anything.
    private(set) var damagedSegments: Set<String> = []

    /// Distinct lines that the caller chose, in segments at rest and in others.
    package var lineCount: UInt64 { chosen.lineCount }
    /// Names in the stream's folder that are no segments, and were not looked into.
    package var foreignNames: [String] {
        catalog.ignored.filter { $0.reason != .temporary }.map(\.name)
    }
    package var damagedSegmentCount: Int { damagedSegments.count }

    /// Looks at all lines of a stream.
    ///
    /// - Parameters:
    ///   - verdict: Called on each worker's thread with the worker's index and a line on loan.
    ///   - tombstone: What stands in for a line that is to be erased; called as the verdict is.
    ///   - progress: Called now and then, on the caller's thread.
    /// - Throws: `LogError` where a file cannot be read, never for damage.
    package static func run(
        _ directory: LogDirectory, _ stream: LogStream, threads: Int = 1,
        progress: (@Sendable (ReadProgress) -> Void)? = nil,
        tombstone:
            @escaping @Sendable (
                _ worker: Int, _ line: UnsafeRawBufferPointer
            ) -> Tombstone = { _, _ in .plain },
        verdict: @escaping @Sendable (_ worker: Int, _ line: UnsafeRawBufferPointer) -> LineVerdict
    ) throws -> Self {
        for _ in 0..<LogLimits.rescanCount {
            let catalog = try LogCatalog.scan(directory, stream)
            let found = Monitor(Self(catalog: catalog))
            let tasks = catalog.blocks.indices.map {
                ReadTask(
                    block: $0, wanted: SequenceSet(catalog.blocks[$0].header.sequences))
            }
            let pass = ReadPass(
                catalog, tasks, directory, stream.kind, trustsChain: false, progress
            ) { worker, block in
                let (lines, unread) = judge(block, tombstone: { tombstone(worker, $0) }) {
                    verdict(worker, $0)
                }
                if lines.isEmpty { return }
                let writer = block.header.writer
                found.withLock { survey in
                    for verdict: LineVerdict in [.erase, .eraseLast] {
                        survey.chosen.insert(lines[verdict] ?? .init(), of: writer)
                    }
                    survey.last.insert(lines[.eraseLast] ?? .init(), of: writer)
                    survey.erased.insert(lines[.erased] ?? .init(), of: writer)
                    survey.unread.insert(unread, of: writer)
                }
            }
            let result = try pass.run(threads: threads)
            if result.hasVanished { continue }
            var survey = found.withLock { $0 }
            let damages = catalog.damages + result.tally.damages
            survey.damagedSegments = Set(
                damages.filter { $0.byteCount > 0 && $0.reason != .gzipHeader }.map(\.segment))
            return survey
        }
        throw LogError.unsteady(path: "\(directory.path)/\(stream.kind.name)")
    }

    private init(catalog: LogCatalog) { self.catalog = catalog }

    private static func judge(
        _ block: LineBlock, tombstone: (UnsafeRawBufferPointer) -> Tombstone,
        verdict: (UnsafeRawBufferPointer) -> LineVerdict
    ) -> (lines: [LineVerdict: SequenceSet], unread: SequenceSet) {
        var lines: [LineVerdict: SequenceSet] = [:]
        var unread = SequenceSet()
        block.forEachLine { sequence, line in
            let verdict = verdict(line)
            // As a plain line it stands in for nothing.
            if verdict == .keep || (verdict == .erased && block.header.generation == 0) { return }
            lines[verdict, default: .init()].insert(sequence..<(sequence + 1))
            if (verdict == .erased ? Tombstone(line) : tombstone(line)) == .unread {
                unread.insert(sequence..<(sequence + 1))
            }
        }
        return (lines, unread)
    }

    /// Whether any block may be an older copy of erased lines; from headers alone.
    static func mayHaveReturned(_ catalog: LogCatalog) -> Bool {
        var later: SequencesByWriter = [:]
        for header in catalog.blocks.map(\.header) where header.generation > 0 {
            later.insert(header)
        }
        return catalog.blocks.map(\.header).contains {
            $0.generation == 0 && !later.lines(of: $0).isEmpty
        }
    }

    /// Leaves segments alone in which only bytes are damaged.
    mutating func sparesDamage() { damagedSegments = [] }

    /// The lines of a block that have to be replaced.
    ///
    /// - Parameter sparesLast: Whether those that go last stay for now.
    func victims(in header: BlockHeader, sparesLast: Bool) -> SequenceSet {
        var victims = chosen.lines(of: header)
        if sparesLast { victims = victims.subtracting(last.lines(of: header)) }
        if header.generation == 0 { victims.formUnion(erased.lines(of: header)) }
        return victims
    }

    /// Segments with lines to replace or bytes that have to go, with these lines.
    func segmentsToRewrite(
        sparesLast: Bool
    ) -> [(segment: LogCatalog.Segment, victims: SequencesByWriter)] {
        var victims = [SequencesByWriter](repeating: [:], count: catalog.segments.count)
        for block in catalog.blocks {
            victims[block.segment].insert(
                self.victims(in: block.header, sparesLast: sparesLast), of: block.header.writer)
        }
        return zip(catalog.segments, victims).filter { segment, victims in
            !victims.isEmpty || damagedSegments.contains(segment.name.description)
        }.map { ($0, $1) }
    }

    /// What all segments together tell of each writer.
    var traces: WriterTraces { WriterTraces(catalog) }
}
