// Every limit of this module and every byte count that its documents promise, in one place.

import EvalogText

/// Numbers that tests and docs/metrics.md refer to.
package enum MetricsLimits {
    /// Groups that keep their names; the rest of them is `(other)`.
    package static let groupCount = 2_000
    /// An impression is over this long after its first evaluation, whatever the gap: 24 h in µs.
    package static let impressionSpan = Timestamp.microsecondsPerDay
    /// The longest fixed window: ten years in µs.
    package static let windowMax: Int64 = 315_576_000_000_000
    /// Rows that one collector can hold, the holes left by ``FactCollector/absorb(_:)`` included.
    package static let rowCountMax = IndexTable.rowCountMax

    /// After so many rows, a power of two, a collector looks whether it takes more memory than it may.
    static let checkpointRowCount = 1 << 15
    /// What a line is taken for before it is known: a row, its places in index and fold, and a
    /// share of a session and of names. Where every fact has a session and a subject of its own it
    /// is half of the truth; the run notices.
    package static let estimatedBytesPerLine = RecordStore.bytesPerRow + 20
    /// Tied facts that one more reading of the log looks at, at most.
    package static let tieCount = 100_000
    /// Bytes of lines that it keeps, to within a line for each thread; the other ties wait for the
    /// next reading.
    package static let tieBytes = 32 << 20
    /// A number of attempts that does not fit into its row: 12 in a dictionary filled to 3/4.
    static let bytesPerLargeAttempts = 16
    /// From so many parts on, a run takes the memory that it needs: cutting finer would not help.
    package static let partCountMax = 1_024
    /// What a run takes besides rows: buffers, and the rows of the output.
    package static let fixedBytes = 128 << 20

    /// Sessions that each side of a drift has to have.
    package static let driftSessionCountMin = 5
    /// Values of a field that are told apart in a drift; the rarest others are one.
    package static let driftValueCount = 64
    /// Deals of the sessions to the two sides, at least, before a difference counts as beyond chance.
    static let driftDealCount = 9_999
    /// And at most, for levels and numbers of comparisons that ask for more.
    static let driftDealCountMax = 1_000_000

    /// What a live view looks back, in µs; what comes in later is late.
    package static let liveHorizon = Timestamp.microsecondsPerDay
    /// How far a clock may run ahead before a live view leaves its facts out, in µs.
    package static let liveLead: Int64 = 60_000_000
    /// Width of the slices of a live view, in µs, and how far back the fine ones go.
    package static let liveFineSlice: Int64 = 10_000_000
    package static let liveCoarseSlice: Int64 = 900_000_000
    package static let liveFineSpan: Int64 = 900_000_000
    /// Groups of a live view that keep their names; those that come when there are so many are
    /// `(other)`.
    package static let liveGroupCount = 64
    /// Newest evaluations, at least, among which a live view recognises duplicates.
    package static let liveIdentityCount = 100_000
}
