// The `EL` subfield: 72 bytes in each gzip member that say whose lines these are, so that a log
// is indexed, resumed and repaired without inflating it. Byte by byte: schemas/log-format-v1.md.

/// What a block, a seal or a hole says of itself. Valid values never overflow a sequence.
package struct BlockHeader: Hashable, Sendable {
    /// What a member is besides lines.
    package struct Flags: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }
        /// Ends a run; the member is empty, its range and times are the run's.
        package static let seal = Self(rawValue: 1)
        /// With `seal`: the writer closed and wrote nothing later.
        package static let final = Self(rawValue: 2)
        /// The member is empty; its range is known to be missing.
        package static let hole = Self(rawValue: 4)
        /// With `seal`: nothing follows in this merged file.
        package static let mergedEnd = Self(rawValue: 8)
        /// The member holds whole runs of several writers, which its second subfield names.
        package static let packed = Self(rawValue: 16)
        /// With `hole`: nobody knows how many more lines are missing before it.
        package static let open = Self(rawValue: 32)
    }

    static let byteCount = 72
    static let currentVersion: UInt8 = 1

    package var version: UInt8 = BlockHeader.currentVersion
    package var flags: Flags = []
    package var stream: UInt8
    /// Greater ones replace lesser ones at the same sequences.
    package var generation: UInt8 = 0
    /// From the first byte of the gzip member to the last of its trailer.
    package var memberByteCount: UInt32 = 0
    package var writer: WriterID
    /// The first line's sequence, counted from 1.
    package var first: UInt64
    package var count: UInt32
    /// CRC-32 of the deflate bytes.
    package var dataChecksum: UInt32 = 0
    /// Least and greatest event time of the lines, microseconds since 1970.
    package var leastEventTime: Int64
    package var greatestEventTime: Int64
    /// Wall clock when the block was closed, microseconds since 1970.
    package var appendTime: Int64
    /// Binds the block to the one before it in its run; 0 for the first.
    package var chain: UInt32 = 0

    package init(
        flags: Flags = [], stream: UInt8, generation: UInt8 = 0, writer: WriterID, first: UInt64,
        count: UInt32, leastEventTime: Int64, greatestEventTime: Int64, appendTime: Int64
    ) {
        self.flags = flags
        self.stream = stream
        self.generation = generation
        self.writer = writer
        self.first = first
        self.count = count
        self.leastEventTime = leastEventTime
        self.greatestEventTime = greatestEventTime
        self.appendTime = appendTime
    }

    /// The sequences of the block, of the run that a seal ends, or of a hole.
    package var sequences: Range<UInt64> { first..<(first + UInt64(count)) }
    /// Whether the member holds lines.
    package var isBlock: Bool { flags.isDisjoint(with: [.seal, .hole]) }

    // MARK: Bytes

    /// Writes the 72 bytes, their checksum included.
    func encode(into bytes: UnsafeMutableRawBufferPointer) {
        precondition(bytes.count >= Self.byteCount, "a header needs room for all its bytes")
        func store<Value: FixedWidthInteger>(_ value: Value, at offset: Int) {
            bytes.storeBytes(of: value.littleEndian, toByteOffset: offset, as: Value.self)
        }
        store(version, at: 0)
        store(flags.rawValue, at: 1)
        store(stream, at: 2)
        store(generation, at: 3)
        store(memberByteCount, at: 4)
        store(writer.high.byteSwapped, at: 8)
        store(writer.low.byteSwapped, at: 16)
        store(first, at: 24)
        store(count, at: 32)
        store(dataChecksum, at: 36)
        store(leastEventTime, at: 40)
        store(greatestEventTime, at: 48)
        store(appendTime, at: 56)
        store(chain, at: 64)
        store(checksum(UnsafeRawBufferPointer(rebasing: bytes[..<68])), at: 68)
    }

    /// Reads 72 bytes; nil where their checksum does not match or their range overflows.
    init?(decoding bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= Self.byteCount else { return nil }
        func load<Value: FixedWidthInteger>(_: Value.Type, at offset: Int) -> Value {
            Value(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Value.self))
        }
        let own = UnsafeRawBufferPointer(rebasing: bytes[..<68])
        guard load(UInt32.self, at: 68) == checksum(own) else { return nil }
        version = load(UInt8.self, at: 0)
        flags = Flags(rawValue: load(UInt8.self, at: 1))
        stream = load(UInt8.self, at: 2)
        generation = load(UInt8.self, at: 3)
        memberByteCount = load(UInt32.self, at: 4)
        writer = WriterID(
            high: load(UInt64.self, at: 8).byteSwapped, low: load(UInt64.self, at: 16).byteSwapped)
        first = load(UInt64.self, at: 24)
        count = load(UInt32.self, at: 32)
        dataChecksum = load(UInt32.self, at: 36)
        leastEventTime = load(Int64.self, at: 40)
        greatestEventTime = load(Int64.self, at: 48)
        appendTime = load(Int64.self, at: 56)
        chain = load(UInt32.self, at: 64)
        guard first > 0, !first.addingReportingOverflow(UInt64(count)).overflow else { return nil }
    }

    /// The value of `chain` in the member that follows one of these bytes and trailer.
    static func chain(
        after header: UnsafeRawBufferPointer, trailer: UnsafeRawBufferPointer
    ) -> UInt32 {
        checksum(trailer, from: checksum(UnsafeRawBufferPointer(rebasing: header[..<68])))
    }
}
