// The rows: one per distinct (type, id), in columns, so that each step reads only what it needs.

import EvalogText

/// What an event says besides its id and time.
struct EventPayload: BitwiseCopyable {
    var evaluationHigh: UInt64 = 0
    var evaluationLow: UInt64 = 0
    var refused: Int64 = 0
    var subject: UInt32 = 0
    var report: UInt32 = 0
    var namesEvaluation = false

    var evaluation: UniqueID { UniqueID(high: evaluationHigh, low: evaluationLow) }
}

/// Columns of rows. Rows are never moved; joining two stores leaves holes at the end of chunks.
final class RecordStore {
    @exclusivity(unchecked) var idHighs = Column<UInt64>()
    @exclusivity(unchecked) var idLows = Column<UInt64>()
    @exclusivity(unchecked) var times = Column<Int64>()
    /// Of the line that the row's values come from; released before the fold.
    @exclusivity(unchecked) var digests = Column<UInt64>()
    @exclusivity(unchecked) var bits = Column<RecordBits>()
    /// The session of an evaluation, the payload row of an event.
    @exclusivity(unchecked) var sessions = Column<UInt32>()
    @exclusivity(unchecked) var subjects = Column<UInt32>()
    @exclusivity(unchecked) var dimensions = Column<UInt32>()
    @exclusivity(unchecked) private(set) var count = 0

    @exclusivity(unchecked) var payloads = Column<EventPayload>()
    @exclusivity(unchecked) private(set) var payloadCount = 0

    /// Bytes of a row: id 16, time 8, digest 8, bits 8, and three numbers of 4.
    static let bytesPerRow = 52

    var byteCount: Int {
        count * Self.bytesPerRow + payloadCount * MemoryLayout<EventPayload>.stride
    }

    /// Whether it is time to look at the memory again: once in as many rows.
    var isAtCheckpoint: Bool { count & (MetricsLimits.checkpointRowCount - 1) == 0 }

    deinit { release() }

    /// Gives the memory of all columns back; there are no rows afterwards.
    func release() {
        releaseKeys()
        digests.release()
        times.release()
        bits.release()
        dimensions.release()
        count = 0
    }

    /// Gives back what tells facts and keys apart; times, bits and dimensions stay.
    func releaseKeys() {
        idHighs.release()
        idLows.release()
        sessions.release()
        subjects.release()
        payloads.release()
    }

    @inline(__always)
    func id(_ row: Int) -> UniqueID { UniqueID(high: idHighs[row], low: idLows[row]) }

    /// A new row, a hole until its columns are written.
    func append() -> Int {
        if count == bits.capacity {
            idHighs.grow()
            idLows.grow()
            times.grow()
            digests.grow()
            bits.grow()
            sessions.grow()
            subjects.grow()
            dimensions.grow()
        }
        bits[count] = .hole
        count += 1
        return count - 1
    }

    func appendPayload() -> Int {
        if payloadCount == payloads.capacity { payloads.grow() }
        payloads[payloadCount] = EventPayload()
        payloadCount += 1
        return payloadCount - 1
    }

    /// Copies all columns of one row to another.
    func copy(_ source: Int, to target: Int) {
        idHighs[target] = idHighs[source]
        idLows[target] = idLows[source]
        times[target] = times[source]
        digests[target] = digests[source]
        bits[target] = bits[source]
        sessions[target] = sessions[source]
        subjects[target] = subjects[source]
        dimensions[target] = dimensions[source]
    }

    /// Takes all rows of `other`, which is empty afterwards: its row r becomes `base + r`, its
    /// payload p becomes `payloadBase + p`. O(chunks).
    func take(_ other: RecordStore) -> (base: Int, payloadBase: Int) {
        while count < bits.capacity { _ = append() }
        let base = count
        let payloadBase = payloads.capacity
        idHighs.take(&other.idHighs)
        idLows.take(&other.idLows)
        times.take(&other.times)
        digests.take(&other.digests)
        bits.take(&other.bits)
        sessions.take(&other.sessions)
        subjects.take(&other.subjects)
        dimensions.take(&other.dimensions)
        payloads.take(&other.payloads)
        count = base + other.count
        payloadCount = payloadBase + other.payloadCount
        other.count = 0
        other.payloadCount = 0
        return (base, payloadBase)
    }
}
