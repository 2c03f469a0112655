// Takes decoded lines and keeps one row per distinct fact; everything else is computed from the
// rows.

package import EvalogFacts
import EvalogText

/// What was met line by line, before duplicates are told apart.
package struct LineCounts: Equatable, Sendable {
    /// All lines, the unreadable, the unknown and the erased included.
    package var lines = 0
    /// Lines that no decoder could read.
    package var unreadable = 0
    /// Lines of a type that this version does not know.
    package var unknownType = 0
    /// Lines that stand in for erased ones.
    package var erased = 0
    /// Values of the wrong shape, every line counted.
    package var misfits = 0

    /// Decodable lines of known types.
    package var known: Int { lines - unreadable - unknownType - erased }

    mutating func add(_ other: Self) {
        lines += other.lines
        unreadable += other.unreadable
        unknownType += other.unknownType
        erased += other.erased
        misfits += other.misfits
    }
}

/// Rows for the facts of any part of a log, in any order.
///
/// One thread at a time: give each thread its own and join them with ``absorb(_:)``. What comes out
/// depends on the lines alone, not on their order nor on the collector that each went to. Memory
/// grows with distinct ids (``MetricsLimits``), not with lines.
///
/// What it and its tables store is `@exclusivity(unchecked)`: no access to a stored value reaches
/// into another one, and to check that at run time cost half of what adding a line did.
package final class FactCollector: @unchecked Sendable {
    let names = NamePool()
    let sessions = SessionTable()
    let dimensions: DimensionTable
    let records = RecordStore()
    let index: IdentityIndex
    let claims = ClaimTable()
    private let queue = LookupQueue<RowDraft>()
    /// Attempts that the packed bits cannot hold, by row.
    @exclusivity(unchecked) var largeAttempts: [Int: Int32] = [:]
    /// All lines offered so far, and those of absorbed collectors.
    @exclusivity(unchecked) package private(set) var counts = LineCounts()

    private let admission: Admission
    private let memory: Int
    /// Whether the rows would have needed more memory than they may have; some are missing then.
    @exclusivity(unchecked) private(set) var isOverflowing = false

    /// A collector of everything, without a limit.
    package convenience init() {
        self.init(.all)
    }

    /// - Parameters:
    ///   - admission: Which evaluations get a row; all lines are counted.
    ///   - memory: Bytes that rows and names may take, to within ``MetricsLimits/checkpointRowCount`` rows.
    init(_ admission: Admission, memory: Int = .max) {
        self.admission = admission
        self.memory = memory
        dimensions = DimensionTable(names: names)
        index = IdentityIndex(records: records)
    }

    /// Bytes that rows and names take.
    var byteCount: Int {
        records.byteCount + index.byteCount + names.byteCount + sessions.byteCount
            + claims.byteCount + dimensions.byteCount
            + largeAttempts.capacity * MetricsLimits.bytesPerLargeAttempts
    }

    /// Distinct (type, id) of known types.
    package var recordCount: Int { index.count }

    /// Counts a line that no decoder could read.
    package func countUnreadable() {
        counts.lines += 1
        counts.unreadable += 1
    }

    /// Counts one line. Both arguments are used during the call only.
    package func add(_ view: borrowing FactView, line: UnsafeRawBufferPointer) {
        enqueue(view, line: line)
        settleQueue()
    }

    /// Counts one line; an evaluation may wait for others until ``settleQueue()``, before which
    /// nothing but this may be called.
    @inline(__always)
    func enqueue(_ view: borrowing FactView, line: UnsafeRawBufferPointer) {
        counts.lines += 1
        counts.misfits += view.misfitCount
        let bits = RecordBits(view)
        guard bits.code != .hole else {
            if view.isErased { counts.erased += 1 } else { counts.unknownType += 1 }
            return
        }
        let digest = Self.digest(of: line, view)
        let hash = IdentityIndex.hash(view.id, kind: bits.code.kind)
        guard admission.admits(view, idHash: hash, digest: digest) else { return }
        let draft = draft(view, bits, digest: digest)
        if bits.code.isEvaluation {
            queue.append(draft, hash: hash)
            if queue.isFull { settleQueue() }
        } else {
            index.makeRoom(forAny: 1)
            settle(draft, payload(view, bits), hash: hash)
        }
    }

    /// Gives the evaluations that wait their rows.
    func settleQueue() {
        guard queue.count > 0 else { return }
        index.makeRoom(forAny: queue.count)
        queue.update { $0.session = $0.sessionID == nil ? 0 : sessions.candidate($0.sessionHash) }
        queue.update { $0.session = number(ofSession: $0) }
        queue.drain(index) { settle($0, nil, hash: $1) }
    }

    @inline(__always)
    private func settle(_ draft: RowDraft, _ payload: EventPayload?, hash: UInt64) {
        if let row = index.row(of: draft.id, kind: draft.bits.code.kind, hash: hash) {
            meetAgain(row, draft, payload)
            return
        }
        if records.isAtCheckpoint { isOverflowing = isOverflowing || byteCount > memory }
        guard !isOverflowing else { return }
        let row = records.append()
        if payload != nil { records.sessions[row] = UInt32(records.appendPayload()) }
        write(draft, payload, to: row)
        index.insert(row, hash: hash)
    }

    /// The digest that tells versions of a line apart: of all its bytes, or of all but the time
    /// when that was assumed, for a second import assumes another one.
    static func digest(of line: UnsafeRawBufferPointer, _ view: borrowing FactView) -> UInt64 {
        guard view.isTimeAssumed else { return ByteHash.hash(line) }
        let time = view.timeRange.clamped(to: 0..<line.count)
        let head = UnsafeRawBufferPointer(rebasing: line[..<time.lowerBound])
        let tail = UnsafeRawBufferPointer(rebasing: line[time.upperBound...])
        return ByteHash.hash(tail, seed: ByteHash.hash(head))
    }

    /// The staying line is the one with the least time; of equal times the least digest stays until
    /// the tie is settled by the bytes themselves.
    private func meetAgain(_ row: Int, _ draft: RowDraft, _ payload: EventPayload?) {
        let known = records.digests[row]
        let isStaying = (draft.time, draft.digest) < (records.times[row], known)
        var copies = records.bits[row].copies
        if draft.digest == known && copies + 1 < RecordBits.copiesMax {
            copies += 1
        } else {
            copies = spillCopies(of: row)
            claims.add(row: row, digest: draft.digest, time: draft.time, lineCount: 1)
        }
        if isStaying { write(draft, payload, to: row) }
        records.bits[row].copies = copies
    }

    /// Moves the count of a row's copies into its claims, where it is exact for every digest.
    func spillCopies(of row: Int) -> Int {
        let copies = records.bits[row].copies
        if copies < RecordBits.copiesMax {
            claims.add(
                row: row, digest: records.digests[row], time: records.times[row],
                lineCount: UInt32(copies))
        }
        records.bits[row].copies = RecordBits.copiesMax
        return RecordBits.copiesMax
    }

    /// The values of a line, its names numbered; the session is not yet.
    @inline(__always)
    func draft(_ view: borrowing FactView, _ bits: RecordBits, digest: UInt64) -> RowDraft {
        var draft = RowDraft(view, bits, digest: digest)
        if bits.code.isEvaluation {
            if let session = view.session {
                draft.sessionID = session
                draft.sessionHash = SessionTable.hash(session)
            }
            draft.subject = names.number(of: view.subject)
            draft.dimension = dimensions.number(of: view)
        }
        return draft
    }

    @inline(__always)
    func number(ofSession draft: RowDraft) -> UInt32 {
        guard let session = draft.sessionID else { return 0 }
        return sessions.number(of: session, hash: draft.sessionHash, candidate: draft.session)
    }

    /// What an event says besides; nil for an evaluation.
    func payload(_ view: borrowing FactView, _ bits: RecordBits) -> EventPayload? {
        guard !bits.code.isEvaluation else { return nil }
        return EventPayload(
            evaluationHigh: view.evaluation?.high ?? 0,
            evaluationLow: view.evaluation?.low ?? 0, refused: view.refused,
            subject: names.number(of: view.subject),
            report: bits.code.isInference ? names.number(of: view.report) : 0,
            namesEvaluation: view.evaluation != nil)
    }

    /// Writes the values of a line to a row, over those that it had.
    @inline(__always)
    func write(_ draft: RowDraft, _ payload: EventPayload?, to row: Int) {
        records.idHighs[row] = draft.id.high
        records.idLows[row] = draft.id.low
        records.times[row] = draft.time
        records.digests[row] = draft.digest
        records.bits[row] = draft.bits
        if let payload {
            records.payloads[Int(records.sessions[row])] = payload
            return
        }
        records.sessions[row] = draft.session
        records.subjects[row] = draft.subject
        records.dimensions[row] = draft.dimension
        setLargeAttempts(
            draft.bits.attempts == RecordBits.attemptsMax ? draft.attempts : nil, of: row)
    }

    func setLargeAttempts(_ attempts: Int32?, of row: Int) {
        if let attempts {
            largeAttempts[row] = attempts
        } else if !largeAttempts.isEmpty {
            largeAttempts[row] = nil
        }
    }

    func attempts(of row: Int, _ bits: RecordBits) -> Int {
        let attempts = bits.attempts
        guard attempts == RecordBits.attemptsMax else { return attempts }
        return largeAttempts[row].map(Int.init) ?? attempts
    }

    func addCounts(of other: FactCollector) {
        counts.add(other.counts)
        other.counts = LineCounts()
    }
}
