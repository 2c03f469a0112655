// What a stream keeps in memory between `append` and the disk: one open block, closed ones in
// line, and the count of what was refused.

/// Lines accepted and not yet written, under the writer's lock.
struct StreamBuffer {
    let kind: StreamKind
    private(set) var queue: [TextBlock] = []
    /// Text accepted and not yet written, a block being written included.
    private(set) var byteCount = 0
    /// Lines ever accepted; how many of them, from the first on, are written or taken back; how many
    /// are as safe as they will get.
    private(set) var acceptedCount: UInt64 = 0
    private(set) var writtenCount: UInt64 = 0
    private(set) var confirmedCount: UInt64 = 0
    /// Lines up to which someone waits for confirmation.
    var syncTarget: UInt64 = 0
    /// Compressed bytes written and not confirmed, and since when (monotonic).
    var unconfirmedByteCount = 0
    var unconfirmedSince: Int64?
    var backoff = Backoff()
    /// When to look whether the open segment is to end, monotonic; nil where none is open.
    var lookAt: Int64?

    private var open = TextBlock()
    private var policy = BlockPolicy()
    private var nextSequence: UInt64 = 1
    private var rollsNext = false
    /// Lines of the block that is being written, and whether it is given up if it cannot be.
    private var takenCount: UInt64 = 0
    private var withdrawsTaken = false
    /// Lines taken back behind that block: nothing is done that comes before they count.
    private var withdrawnBehindTaken: UInt64 = 0
    /// Of the lines written since there were none unconfirmed, those taken back.
    private var withdrawnSinceConfirmed: UInt64 = 0
    private var refusals: [RefusalCause: Refusals] = [:]

    init(_ kind: StreamKind) { self.kind = kind }

    /// When the open block is due, monotonic.
    var deadline: Int64? { policy.deadline }

    /// Whether a line fits. A line longer than a block may exceed the limit, by itself only:
    /// otherwise the buffer had to be empty for it, which it hardly ever is.
    func hasRoom(for lineByteCount: Int, isReserved: Bool) -> Bool {
        let limit =
            switch kind {
            case .facts: LogLimits.factsBufferByteCount
            case .content: LogLimits.contentBufferByteCount
            }
        let size = lineByteCount + 1
        if size > LogLimits.blockTextByteCount { return byteCount <= limit }
        return byteCount + size <= limit + (isReserved ? LogLimits.reserveByteCount : 0)
    }

    /// Takes a line for which there is room and returns its sequence.
    mutating func accept(
        _ line: UnsafeRawBufferPointer, eventTime: Int64, wallTime: () -> Int64,
        monotonicTime: Int64
    ) -> UInt64 {
        if policy.admission(of: line.count) == .closesFirst { closeOpenBlock(wallTime: wallTime()) }
        if open.count == 0 {
            let expected = queue.isEmpty ? 0 : LogLimits.blockTextByteCount
            open.text.reserveCapacity(max(expected, line.count + 1))
        }
        open.text.append(contentsOf: line)
        open.text.append(UInt8(ascii: "\n"))
        open.count += 1
        open.leastEventTime = min(open.leastEventTime, eventTime)
        open.greatestEventTime = max(open.greatestEventTime, eventTime)
        byteCount += line.count + 1
        acceptedCount += 1
        defer { nextSequence += 1 }
        if policy.add(lineByteCount: line.count, at: monotonicTime) {
            closeOpenBlock(wallTime: wallTime())
        }
        return nextSequence
    }

    /// Puts the pending lines in line to be written.
    mutating func closeOpenBlock(wallTime: Int64) {
        guard open.count > 0 else { return }
        open.appendTime = wallTime
        open.startsSegment = rollsNext
        rollsNext = false
        queue.append(open)
        open = TextBlock()
        policy.close()
    }

    /// The next block begins a new segment.
    mutating func rollBeforeNextBlock() { rollsNext = true }

    /// What is accepted by now is the last of this writer id.
    mutating func endWriter(wallTime: Int64) {
        closeOpenBlock(wallTime: wallTime)
        if queue.contains(where: \.endsWriter) { return }
        var end = TextBlock()
        end.endsWriter = true
        queue.append(end)
    }

    mutating func takeBlock() -> TextBlock? {
        guard !queue.isEmpty else { return nil }
        let block = queue.removeFirst()
        takenCount = UInt64(block.count)
        return block
    }

    /// Puts a block back that could not be written; false where it was taken back meanwhile.
    mutating func putBack(_ block: TextBlock) -> Bool {
        takenCount = 0
        guard withdrawsTaken, !block.endsWriter else {
            queue.insert(block, at: 0)
            return true
        }
        withdrawsTaken = false
        withdraw(block)
        return false
    }

    mutating func countWritten(_ block: TextBlock) {
        (takenCount, withdrawsTaken) = (0, false)
        byteCount -= block.text.count
        writtenCount += UInt64(block.count)
        passWithdrawn()
    }

    /// - Parameter unconfirmedCount: Lines written that the disk has not confirmed.
    mutating func confirm(but unconfirmedCount: UInt64) {
        if unconfirmedCount == 0 { withdrawnSinceConfirmed = 0 }
        let open = unconfirmedCount + withdrawnSinceConfirmed
        confirmedCount = writtenCount - min(writtenCount, open)
    }

    /// Takes back what is not being written; the lines count as refused.
    mutating func withdraw(wallTime: Int64) {
        closeOpenBlock(wallTime: wallTime)
        for block in queue where !block.endsWriter { withdraw(block) }
        queue.removeAll { !$0.endsWriter }
        withdrawsTaken = takenCount > 0
        // With nothing left to try, no attempt would ever end the failure.
        if !withdrawsTaken { backoff.succeed() }
    }

    private mutating func withdraw(_ block: TextBlock) {
        let count = UInt64(block.count)
        rollsNext = rollsNext || block.startsSegment
        byteCount -= block.text.count
        nextSequence -= count
        countWithdrawn(count)
        refuse(.withdrawn, count: count, wallTime: block.appendTime)
    }

    /// Who waits for these lines waits no longer; who waits for lines before them still does.
    private mutating func countWithdrawn(_ count: UInt64) {
        withdrawnBehindTaken += count
        guard takenCount == 0 else { return }
        passWithdrawn()
        if unconfirmedByteCount == 0 { confirm(but: 0) }
    }

    private mutating func passWithdrawn() {
        writtenCount += withdrawnBehindTaken
        withdrawnSinceConfirmed += withdrawnBehindTaken
        withdrawnBehindTaken = 0
    }

    /// Sequences go on from the one that the disk's side will give to the next line.
    mutating func renumber(nextWritten: UInt64) {
        nextSequence = nextWritten + (acceptedCount - writtenCount)
    }

    mutating func refuse(_ cause: RefusalCause, count: UInt64 = 1, wallTime: Int64) {
        let none = Refusals(stream: kind, cause: cause, count: 0, since: wallTime)
        refusals[cause, default: none].count += count
    }

    mutating func takeRefusals() -> [Refusals] {
        defer { refusals = [:] }
        return refusals.values.sorted { $0.cause.rawValue < $1.cause.rawValue }
    }
}
