// One decoded fact line without copies: what replay sees, millions of times a second.

package import EvalogText

/// A session as it stands in a line: a UUID, or the digest (`~` and 32 hex digits) of no UUID.
package struct SessionID: Hashable, BitwiseCopyable, Sendable {
    package var bits: UniqueID
    package var isDigest: Bool

    package init(bits: UniqueID, isDigest: Bool) {
        self.bits = bits
        self.isDigest = isDigest
    }

    /// Whether it tells one session from all others: a digest stands for a text that no app draws for one,
    /// and the UUID of zeros for none.
    package var isOne: Bool { !isDigest && bits != UniqueID(high: 0, low: 0) }
}

/// A borrowed fact. Its text members point into the line or into the decoder's scratch and are
/// valid until the decoder's next call; an empty one is absent.
///
/// Values of the wrong shape have been replaced (`other`, or absent for session, subject and
/// report) and are counted in ``misfitCount``. Members that the kind does not have keep their
/// defaults, and a line of an unknown type may lack its id and time.
package struct FactView {
    package typealias Text = UnsafeRawBufferPointer

    package var kind = FactKind.unknown
    /// Whether the line stands in for one that was erased. It is of no kind and says nothing else.
    package var isErased = false
    /// Whether whoever erased that could not decode it.
    package var wasUnread = false
    package var id = UniqueID(high: 0, low: 0)
    /// Microseconds since 1970-01-01T00:00:00Z; may be negative.
    package var time: Int64 = 0
    package var isTimeAssumed = false
    /// Where the value of `time`, quotes included, stands in the line.
    package var timeRange: Range<Int> = 0..<0

    package var usage = Text(start: nil, count: 0)
    package var subject = Text(start: nil, count: 0)
    package var session: SessionID?
    package var model = Text(start: nil, count: 0)
    package var os = Text(start: nil, count: 0)
    package var device = Text(start: nil, count: 0)
    package var app = Text(start: nil, count: 0)

    /// What usage, model, OS, device and app are together, where the decoder has told it.
    package var combination: Combination?

    package var outcome = Outcome.completed
    package var reason: SkipReason?
    package var detail: SkipDetail?
    package var error: ErrorClass?
    /// Whole microseconds, 0 to 24 h; nil when absent or invalid.
    package var duration: Int64?
    package var isDurationInvalid = false
    package var attempts: Int32 = 0
    package var isDecoded = true

    /// The evaluation that an event names.
    package var evaluation: UniqueID?
    package var status = InferenceStatus.success
    package var missBehavior = MissBehavior.other
    /// The JSON object of `report` as it stands in the line, every member checked.
    package var report = Text(start: nil, count: 0)
    package var isOnDeviceAIEnabled = true
    /// The stream in which a `log_gap` says lines were refused, since when, and how many.
    package var stream = GapStream.facts
    package var since: Int64 = 0
    package var refused: Int64 = 0
    package var cause = GapCause.other
    /// Of a `test_result`; its session is the run's.
    package var suite = Text(start: nil, count: 0)
    package var suiteDigest = Text(start: nil, count: 0)
    package var testCase = Text(start: nil, count: 0)
    package var task = Text(start: nil, count: 0)
    package var repetition: Int32 = 1
    package var verdict = Verdict.error
    package var failure: TestFailure?

    /// Values that were replaced because they had not their shape.
    package var misfitCount = 0
    /// Names that their closed list does not have, read as `other`, and assumptions that are unknown. A later
    /// version may know them.
    package var unknownNameCount = 0
    /// A subject or session that is absent because it has not its shape: for who holds the log's
    /// key and can put a digest in its place. Never to be written or shown.
    package var misfitSubject = Text(start: nil, count: 0)
    package var misfitSession = Text(start: nil, count: 0)
    /// Keys that a line of this kind does not have; they were passed over.
    package var unknownKeyCount = 0

    package init() {}
}

extension FactView {
    /// Whether it tells how the gate stands for everybody: it names no session, or says *off* of what is
    /// none, and may mean anybody.
    package var tellsOfWholeGate: Bool {
        guard kind == .gate else { return false }
        guard let session else { return true }
        return !isOnDeviceAIEnabled && !session.isOne
    }
}
