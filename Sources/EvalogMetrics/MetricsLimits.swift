// Every limit of this module and every byte count that its documents promise, in one place.

package enum MetricsLimits {
    /// Groups that keep their names; the rest of them is `(other)`.
    package static let groupCount = 2_000
    /// An impression is over this long after its first evaluation, whatever the gap: 24 h in µs.
    package static let impressionSpan: Int64 = 86_400_000_000
    /// The longest duration that counts: 24 h in µs.
    package static let durationMax: Int64 = 86_400_000_000
    /// The longest fixed window: ten years in µs.
    package static let windowMax: Int64 = 315_576_000_000_000
    /// Rows that one collector can hold, the holes left by ``FactCollector/absorb(_:)`` included.
    package static let rowCountMax = IndexTable.rowCountMax

    /// Bytes of a row: id 16, time 8, digest 8, packed values 8, three name numbers 12.
    package static let bytesPerRow = 52
    /// What a line is taken for before it is known: a row, its place in the index, a session and a
    /// subject of its own.
    package static let estimatedBytesPerLine = 140
    /// What a run is taken to need besides: buffers, names, the rows of the output.
    package static let fixedBytes = 128 << 20

    /// Bytes that the index takes for a row, at most: 4 a slot, filled between 40 and 80 %.
    package static let indexBytesPerRow = 10
    /// Bytes that the fold takes for a row on top, while the digests are already released.
    package static let foldBytesPerRow = 4
    /// Bytes that the payload of an event takes on top of its row.
    package static let bytesPerEvent = MemoryLayout<EventPayload>.stride
    /// Bytes of one version of a line whose id has been seen with other bytes, its index included.
    package static let bytesPerClaim = 34
}
