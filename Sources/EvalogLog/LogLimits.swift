// Every size and time that bounds the log, in one place. Byte offsets of the format live beside
// their codecs (`BlockHeader`, `Member`); what they mean is in schemas/log-format-v1.md.

/// The limits of the format and of one writer. Sizes in bytes, times in microseconds.
package enum LogLimits {
    /// A block of shorter lines is closed before its text, newlines included, would exceed this.
    package static let blockTextByteCount = 256 << 10
    /// A line's greatest length without its newline; a longer one is refused.
    package static let lineByteCountMax = 16 << 20
    /// The greatest text of one block: one longest line and its newline.
    package static let blockTextByteCountMax = lineByteCountMax + 1
    /// A block of more bytes, as text or as a member, is read while no other such block is.
    package static let longBlockByteCount = 2 << 20
    /// The greatest member a reader believes in: incompressible text, headers and spare room.
    package static let memberByteCountMax = blockTextByteCountMax + (256 << 10)

    /// The age of the oldest line at which a block is closed.
    package static let blockAge: Int64 = 1_000_000
    /// Compressed bytes at which a segment rolls.
    package static let segmentByteCount = 64 << 20
    /// The least size at which a segment rolls, however small the cap on the log is.
    package static let segmentByteCountMin = 256 << 10
    /// A cap on the whole log is spread over at least this many segments.
    package static let segmentsUnderCap = 16
    /// The age at which a segment rolls.
    package static let segmentAge: Int64 = 86_400_000_000
    /// Lines at which a segment rolls, so that a seal's 32-bit count always suffices.
    package static let segmentLineCount = 1 << 31

    /// Text that the facts stream keeps in memory before it refuses lines.
    package static let factsBufferByteCount = 2 << 20
    /// Text that the content stream keeps in memory before it refuses lines.
    package static let contentBufferByteCount = 8 << 20
    /// Room above the facts buffer that only `LogWriter.appendReserved` may use.
    package static let reserveByteCount = 16 << 10

    /// The age of the oldest unconfirmed block at which a synced writer syncs.
    package static let syncAge: Int64 = 1_000_000
    /// Unconfirmed compressed bytes at which a synced writer syncs.
    package static let syncByteCount = 4 << 20
    /// The first wait after a failed write; it doubles with each failure in a row.
    package static let retryDelay: Int64 = 1_000_000
    /// The longest wait between two attempts.
    package static let retryDelayMax: Int64 = 32_000_000
    /// Times a block's way to disk starts over because its segment failed or was replaced under
    /// the writer, before the attempt fails.
    static let placementCount = 16
    /// The least number of a copy whose name was taken.
    static let copyNumberMin = 1_000_000_000
    /// Attempts to find a free name for a new segment or a temporary file.
    package static let nameAttemptCount = 64

    /// The age since the last change at which a segment that is neither locked nor sealed is a dead
    /// writer's, for all that locks may be worth.
    package static let deadSegmentAge: Int64 = 60_000_000

    /// Blocks of a writer that were appended within this time may become one.
    static let joinAge: Int64 = 60_000_000
    /// Text of a run that may share a member with those of other writers.
    static let packedRunByteCount = 64 << 10

    /// A segment whose compressed blocks are shorter than this on the average is worth rewriting.
    static let shortBlockByteCount: Int64 = 16 << 10
    /// A segment up to this size is joined with smaller ones, however much smaller they are.
    static let smallSegmentByteCount: Int64 = 64 << 10
    /// How far apart lines were appended that come into one file: so much longer some are kept.
    package static let factsJoinSpan: Int64 = 20 * day
    package static let contentJoinSpan: Int64 = day
    /// Segments joined at a time.
    package static let joinSegmentCount = 4_096
    /// Times that maintenance looks anew for what its own steps have made possible.
    static let maintenancePassCount = 16

    /// What one portion of maintenance may take in a process that has something else to do: segments
    /// and bytes, segments that are joined at a time and their bytes, segments looked at. The last
    /// segment may exceed the bytes.
    package static let backgroundSegmentCount = 1_024
    package static let backgroundByteCount: Int64 = 8 << 20
    package static let backgroundJoinCount = 8...256
    package static let backgroundJoinByteCount: Int64 = 4 << 20
    package static let backgroundLookCount = 4_096

    /// Days for which lines are kept where nobody said otherwise, since they were appended.
    package static let factsDaysDefault = 400
    package static let contentDaysDefault = 7
    package static let day: Int64 = 86_400_000_000

    /// How often a writer with an open segment looks whether it is to end it.
    package static let rollLookAge: Int64 = 1_000_000
    /// How long maintenance waits for writers that it asked to end their segments.
    package static let rollPatience: Int64 = 10_000_000

    /// How long maintenance that somebody asked for waits for another one to end, and how long
    /// between two looks.
    package static let maintenancePatience: Int64 = 60_000_000
    static let maintenancePause: Int64 = 50_000

    /// How long a follower waits between two looks. With the age of a block, what was appended is on
    /// the screen within 1.5 s.
    package static let followPause: Int64 = 250_000

    /// Ranges of sequences that a description shows.
    static let rangesShown = 20

    /// Bytes read at a time while looking for the next block behind damage.
    static let resyncByteCount = 256 << 10
    /// Bytes read at a time while stepping from header to header.
    static let windowByteCount = 4 << 10
    /// Readable bytes behind the text of a block handed out, for scanners that load words.
    package static let slackByteCount = 64
    /// Times a reader starts over because files vanished under it, before it gives up.
    static let rescanCount = 16
}
