// What a fact will be as a row, before it is known whether the row is new.

import EvalogFacts
import EvalogText

/// The values of a row, its names and session numbered.
struct RowDraft: BitwiseCopyable {
    var id: UniqueID
    var time: Int64
    var digest: UInt64
    var bits: RecordBits
    var sessionID: SessionID?
    var sessionHash: UInt64 = 0
    /// Of an evaluation; an event has them in its payload.
    var session: UInt32 = 0
    var subject: UInt32 = 0
    var dimension: UInt32 = 0
    var attempts: Int32

    @inline(__always)
    init(_ view: borrowing FactView, _ bits: RecordBits, digest: UInt64) {
        id = view.id
        time = view.time
        self.digest = digest
        self.bits = bits
        attempts = view.attempts
    }
}
