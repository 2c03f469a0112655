// What reading a stream has found, lost and not understood.

/// What is known of one writer's lines in one stream.
package struct WriterReport: Hashable, Sendable {
    package var writer: WriterID
    /// Lines read now.
    package var readCount: UInt64 = 0
    /// Lines present and passed over by the caller's filter.
    package var skippedCount: UInt64 = 0
    /// Lines that must have been there and are not, outside of known holes.
    package var lost = SequenceSet()
    /// Lines known to be missing since damage was repaired.
    package var holes = SequenceSet()
    /// Lines before the first that is present: removed by retention, not lost.
    package var retiredCount: UInt64 = 0
    /// Whether more may be lost than can be counted.
    package var hasUnknownLoss = false
}

/// The result of reading a stream.
package struct ReadReport: Sendable {
    /// By writer.
    package var writers: [WriterReport] = []
    /// By segment and offset.
    package var damages: [Damage] = []
    /// Where more may be lost than can be counted, in the order of segments.
    package var uncounted: [UncountedLoss] = []
    package var segments: [LogCatalog.Segment] = []
    /// Names that are no segments.
    package var ignored: [LogDirectory.Ignored] = []
    package var blockCount = 0
    package var lineCount: UInt64 = 0
    /// Compressed bytes of the blocks read, and their text.
    package var byteCount: Int64 = 0
    package var textByteCount: Int64 = 0
    /// The position started from and everything read since.
    package var position = Position()

    package init() {}

    package var lostCount: UInt64 { writers.reduce(0) { $0 + $1.lost.count } }
    package var holeCount: UInt64 { writers.reduce(0) { $0 + $1.holes.count } }
    package var retiredCount: UInt64 { writers.reduce(0) { $0 + $1.retiredCount } }
    package var hasUnknownLoss: Bool { !uncounted.isEmpty }
    /// Segments that nobody writes and that have no seal, as a kill leaves them.
    package var unsealed: [LogCatalog.Segment] { segments.filter { $0.state == .dead } }
    /// Whether nothing is damaged or lost. Known holes and unsealed segments are no damage.
    package var isClean: Bool { damages.isEmpty && lostCount == 0 && !hasUnknownLoss }
}

/// How far a long reading has come.
package struct ReadProgress: Hashable, Sendable {
    package var byteCount: Int64
    package var byteCountTotal: Int64
    package var lineCount: UInt64
}
