// One stream's way to disk: sequences, segments, roll-over, confirmation. Runs on the writer's
// thread; whatever fails here leaves the blocks it was given to be tried again.

/// Lines on their way to becoming a block.
struct TextBlock: Sendable {
    /// Lines with their newlines.
    var text: [UInt8] = []
    var count: UInt32 = 0
    var leastEventTime = Int64.max
    var greatestEventTime = Int64.min
    var appendTime: Int64 = 0
    /// Whether the segment rolls before this block.
    var startsSegment = false
    /// In place of lines: the segment ends here, and the next block has a new writer id.
    var endsWriter = false
}

/// Writes blocks of one stream under one writer id. Used by one thread at a time.
final class StreamAppender {
    private let directory: LogDirectory
    private let kind: StreamKind
    private let options: WriterOptions
    private let deflater: Deflater

    private(set) var writer: WriterID
    /// The sequence of the next line written.
    private(set) var nextSequence: UInt64 = 1
    /// Accepted lines whose segment was deleted or cut from outside, since last taken.
    private(set) var goneLineCount: UInt64 = 0

    private var segment: SegmentFile?
    private var segmentNumber = 0
    /// The oldest segment given up of which lines may still have to be written to another one. Readers
    /// see them there: without its lock whoever erases would take it for the last copy.
    private var givenUp: SegmentFile?
    /// Blocks that the disk has not confirmed, oldest first; empty unless synced.
    private var unconfirmed: [EncodedBlock] = []
    /// How many of them are in the current segment.
    private var placedCount = 0

    init(
        _ kind: StreamKind, in directory: LogDirectory, writer: WriterID, options: WriterOptions,
        deflater: Deflater
    ) {
        self.kind = kind
        self.directory = directory
        self.writer = writer
        self.options = options
        self.deflater = deflater
    }

    var unconfirmedByteCount: Int { unconfirmed.reduce(0) { $0 + $1.bytes.count } }
    var unconfirmedLineCount: UInt64 { unconfirmed.reduce(0) { $0 + UInt64($1.header.count) } }

    func takeGoneLineCount() -> UInt64 {
        defer { goneLineCount = 0 }
        return goneLineCount
    }

    // MARK: Blocks

    /// Writes one block; after an error it is not in the log and may be given again.
    func append(_ block: TextBlock) throws(LogError) {
        try startingOver { () throws(Interruption) in
            try placeBacklog()
            let header = BlockHeader(
                stream: kind.rawValue, writer: writer, first: nextSequence, count: block.count,
                leastEventTime: block.leastEventTime, greatestEventTime: block.greatestEventTime,
                appendTime: block.appendTime)
            var encoded = block.text.withUnsafeBytes { text in
                EncodedBlock(header, text: text, deflater: deflater)
            }
            try place(&encoded, rolls: block.startsSegment)
            nextSequence = header.sequences.upperBound
            if options.durability == .synced {
                unconfirmed.append(encoded)
                placedCount += 1
            }
            // Whatever it had is in the open segment, which goes on to hold it.
            givenUp = nil
        }
    }

    /// Returns once the disk has confirmed every block.
    ///
    /// A failed sync is never repeated on the same file, which may have dropped the bytes it
    /// could not write: the blocks go to a new segment, and that one is synced.
    func sync() throws(LogError) {
        var failureCount = 0
        try startingOver { () throws(Interruption) in
            try placeBacklog()
            guard let current = segment, !unconfirmed.isEmpty else { return }
            do throws(LogError) {
                try current.sync()
            } catch {
                abandonSegment()
                failureCount += 1
                throw failureCount < 2 ? .startOver : .failed(error)
            }
            confirmPlaced()
        }
    }

    /// Ends the last segment with a final seal, confirmed where the durability asks for it.
    func finish() throws(LogError) {
        try sync()
        let last = segment
        (segment, givenUp) = (nil, nil)
        guard let last else { return }
        do {
            try last.seal(isFinal: true, deflater: deflater)
        } catch .refused(let error) {
            throw .disk(error)
        } catch .broken(let error) {
            throw .disk(error)
        } catch {
            return  // Deleted from outside: there is nothing left to end.
        }
        guard options.durability == .synced else { return }
        try last.sync()
    }

    var hasSegment: Bool { segment != nil }

    /// Whether maintenance asked for the end of the segment.
    func isAskedToEnd() -> Bool { segment?.isAskedToEnd() ?? false }

    /// Ends the segment for good and goes on under a new id, in a segment that the next block makes.
    func startAfresh() throws(LogError) {
        guard hasSegment || !unconfirmed.isEmpty else { return }
        try finish()
        takeNewIdentity()
    }

    /// Closes the segment as a kill would leave it. Nothing comes any more.
    func abandon() {
        abandonSegment()
        givenUp = nil
    }

    // MARK: Placing

    /// Why a block has no place yet.
    private enum Interruption: Error {
        case failed(LogError)
        /// Segment or identity changed; what was not placed is to be placed again.
        case startOver
    }

    private func startingOver(_ body: () throws(Interruption) -> Void) throws(LogError) {
        for _ in 0..<LogLimits.placementCount {
            do {
                return try body()
            } catch .failed(let error) {
                throw error
            } catch {
                continue
            }
        }
        throw .unsteady(path: directory.path)
    }

    private func placeBacklog() throws(Interruption) {
        while placedCount < unconfirmed.count {
            var block = unconfirmed[placedCount]
            try place(&block, rolls: false)
            placedCount += 1
        }
    }

    /// Puts a block behind the last one, in the same segment or a new one, and links it there.
    private func place(_ block: inout EncodedBlock, rolls: Bool) throws(Interruption) {
        guard let current = segment else {
            segment = try makeSegment(&block)
            return
        }
        if rolls || isFull(current) {
            try roll(current, to: &block)
            return
        }
        do {
            try current.append(&block)
        } catch .refused(let error) {
            throw .failed(.disk(error))
        } catch .broken(let error) {
            abandonSegment()
            throw .failed(.disk(error))
        } catch {
            takeNewIdentity(gone: current)
            throw .startOver
        }
    }

    private func isFull(_ segment: SegmentFile) -> Bool {
        options.segments.rolls(
            byteCount: segment.byteCount, lineCount: segment.lineCount,
            age: options.clock.monotonicTime() - segment.openedAt)
    }

    /// The new segment comes first and the old one's seal second: so a rolled seal always has a
    /// successor, and one without tells of a loss.
    private func roll(_ old: SegmentFile, to block: inout EncodedBlock) throws(Interruption) {
        if options.durability == .synced {
            do {
                try old.sync()
            } catch {
                abandonSegment()
                throw .startOver
            }
            confirmPlaced()
        }
        segment = try makeSegment(&block)
        // Without its seal the old segment is a dead one, not a damaged one.
        try? old.seal(isFinal: false, deflater: deflater)
        if options.durability == .synced { try? old.sync() }
        options.didRoll()
    }

    private func makeSegment(_ block: inout EncodedBlock) throws(Interruption) -> SegmentFile {
        let wallTime = options.clock.wallTime()
        let name = SegmentName(
            wallTime: wallTime, writer: writer, number: segmentNumber + 1, kind: kind)
        do {
            let made = try SegmentFile(
                name, in: directory, first: &block, after: givenUp,
                monotonicTime: options.clock.monotonicTime())
            segmentNumber = made.name.number
            return made
        } catch {
            throw .failed(error)
        }
    }

    private func confirmPlaced() {
        unconfirmed.removeFirst(placedCount)
        placedCount = 0
    }

    private func abandonSegment() {
        givenUp = givenUp ?? segment?.oldest
        segment = nil
        placedCount = 0
    }

    /// Starts over under a new id after the file was deleted or cut from outside: the same may
    /// have happened to all of them, and a copy that comes back must never hold other lines at
    /// sequences that were used again.
    private func takeNewIdentity(gone: SegmentFile) {
        let kept = unconfirmed[..<placedCount].reduce(0) { $0 + Int($1.header.count) }
        goneLineCount += UInt64(max(0, gone.lineCount - kept))
        takeNewIdentity()
    }

    private func takeNewIdentity() {
        abandonSegment()
        writer = options.makeWriterID()
        segmentNumber = 0
        nextSequence = 1
        for index in unconfirmed.indices {
            unconfirmed[index].move(to: writer, first: nextSequence)
            nextSequence = unconfirmed[index].header.sequences.upperBound
        }
    }
}
