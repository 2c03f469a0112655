// What a fact will be as a row, before it is known whether the row is new.

import EvalogFacts
import EvalogText

/// The values of a row, its names and session numbered.
struct RowDraft: BitwiseCopyable {
    var id: UniqueID
    var time: Int64
    var digest: UInt64
    /// Of type and id.
    var hash: UInt64
    var bits: RecordBits
    /// Of an evaluation; an event has them in its payload.
    var session: UInt32 = 0
    var subject: UInt32 = 0
    var dimension: UInt32 = 0
    var attempts: Int32

    @inline(__always)
    init(_ view: borrowing FactView, _ bits: RecordBits, digest: UInt64, hash: UInt64) {
        id = view.id
        time = view.time
        self.digest = digest
        self.hash = hash
        self.bits = bits
        attempts = view.attempts
    }
}

/// Drafts that wait to be looked up together: their places in the index are fetched all at once
/// instead of one after the other.
final class DraftQueue {
    static let capacity = 64

    private let drafts = UnsafeMutablePointer<RowDraft>.allocate(capacity: capacity)
    private let entries = UnsafeMutablePointer<UInt32>.allocate(capacity: capacity)
    @exclusivity(unchecked) private(set) var count = 0

    deinit {
        drafts.deallocate()
        entries.deallocate()
    }

    var isFull: Bool { count == Self.capacity }

    @inline(__always)
    func append(_ draft: RowDraft) {
        (drafts + count).initialize(to: draft)
        count += 1
    }

    /// Hands out all drafts, in order; afterwards there are none.
    @inline(__always)
    func drain(_ index: IdentityIndex, _ body: (RowDraft) -> Void) {
        for place in 0..<count { entries[place] = index.entry(at: drafts[place].hash) }
        for place in 0..<count { body(drafts[place]) }
        count = 0
    }
}
