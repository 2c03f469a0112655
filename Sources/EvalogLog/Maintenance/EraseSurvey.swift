// Which lines are to be erased: every copy of every line is looked at, also those that a reader
// would pass over, for a file holds what it holds.

/// What a caller says of one line.
package enum LineVerdict: Hashable, Sendable {
    case keep
    case erase
    /// It stands in for an erased line already.
    case erased
}

/// The line that stands in for an erased one, in either stream.
package enum Tombstone {
    /// Without its newline.
    package static let line = Array(#"{"erased":true}"#.utf8)
}

/// What there is to erase in one stream, found without changing anything.
package struct EraseSurvey: Sendable {
    let catalog: LogCatalog
    /// Lines that the caller chose, wherever they are.
    private(set) var chosen: [WriterID: SequenceSet] = [:]
    /// Lines erased before, whose older copies have to go as well.
    private(set) var erased: [WriterID: SequenceSet] = [:]
    /// Segments with bytes that no reader understands, which might hold anything.
    private(set) var damagedSegments: Set<String> = []

    /// Distinct lines that the caller chose, in segments at rest and in others.
    package var lineCount: UInt64 { chosen.values.reduce(0) { $0 + $1.count } }
    /// Names in the stream's folder that are no segments, and were not looked into.
    package var foreignNames: [String] {
        catalog.ignored.filter { $0.reason != .temporary }.map(\.name)
    }
    package var damagedSegmentCount: Int { damagedSegments.count }

    /// Looks at all lines of a stream.
    ///
    /// - Parameters:
    ///   - verdict: Called on each worker's thread with the worker's index and a line on loan.
    ///   - progress: Called now and then, on the caller's thread.
    /// - Throws: `LogError` where a file cannot be read, never for damage.
    package static func run(
        _ directory: LogDirectory, _ stream: LogStream, threads: Int = 1,
        progress: (@Sendable (ReadProgress) -> Void)? = nil,
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
                let (chosen, erased) = judge(block) { verdict(worker, $0) }
                if chosen.isEmpty, erased.isEmpty { return }
                let writer = block.header.writer
                found.withLock { survey in
                    survey.chosen[writer, default: .init()].formUnion(chosen)
                    survey.erased[writer, default: .init()].formUnion(erased)
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
        _ block: LineBlock, _ verdict: (UnsafeRawBufferPointer) -> LineVerdict
    ) -> (chosen: SequenceSet, erased: SequenceSet) {
        var chosen = SequenceSet()
        var erased = SequenceSet()
        block.forEachLine { sequence, line in
            switch verdict(line) {
            case .keep: break
            case .erase: chosen.insert(sequence..<(sequence + 1))
            case .erased:
                // As a plain line it stands in for nothing.
                if block.header.generation > 0 { erased.insert(sequence..<(sequence + 1)) }
            }
        }
        return (chosen, erased)
    }

    /// Whether any block may be an older copy of erased lines; from headers alone.
    static func mayHaveReturned(_ catalog: LogCatalog) -> Bool {
        var later: [WriterID: SequenceSet] = [:]
        for header in catalog.blocks.map(\.header) where header.generation > 0 {
            later[header.writer, default: .init()].insert(header.sequences)
        }
        return catalog.blocks.contains { block in
            guard block.header.generation == 0, let later = later[block.header.writer] else {
                return false
            }
            return later.missing(in: block.header.sequences).count < UInt64(block.header.count)
        }
    }

    /// Leaves segments alone in which only bytes are damaged.
    mutating func sparesDamage() { damagedSegments = [] }

    /// The lines of a block that have to be replaced.
    func victims(in header: BlockHeader) -> SequenceSet {
        let block = SequenceSet(header.sequences)
        var victims = block.intersection(chosen[header.writer] ?? .init())
        if header.generation == 0, let erased = erased[header.writer] {
            victims.formUnion(block.intersection(erased))
        }
        return victims
    }

    /// One behind the greatest sequence of each writer that anything tells of.
    var ends: [WriterID: UInt64] { catalog.ends }
}
