// Whole runs of several writers in one gzip member: what a second subfield, `EP`, says of each. Byte by
// byte: schemas/log-format-v1.md.

/// The runs of a pack.
enum Pack {
    /// Identifier of the subfield, which stands right behind `EL`.
    static let mark: [UInt8] = [UInt8(ascii: "E"), UInt8(ascii: "P")]
    static let entryByteCount = 56
    /// What one extra field can hold beside `EL`.
    static let runCountMax = (0xffff - 4 - BlockHeader.byteCount - 8) / entryByteCount

    /// The subfield, its identifier and length included.
    ///
    /// - Parameter runs: Each a seal: range, times and how it ended. At most ``runCountMax``.
    static func encode(_ runs: [BlockHeader]) -> [UInt8] {
        let count = runs.count * entryByteCount + 4
        var bytes = [UInt8](repeating: 0, count: 4 + count)
        bytes.withUnsafeMutableBytes { raw in
            raw.copyBytes(from: mark)
            raw.storeBytes(of: UInt16(count).littleEndian, toByteOffset: 2, as: UInt16.self)
            for (index, run) in runs.enumerated() {
                encode(run, into: raw, at: 4 + index * entryByteCount)
            }
            let sum = checksum(UnsafeRawBufferPointer(rebasing: raw[4..<count]))
            raw.storeBytes(of: sum.littleEndian, toByteOffset: count, as: UInt32.self)
        }
        return bytes
    }

    private static func encode(
        _ run: BlockHeader, into bytes: UnsafeMutableRawBufferPointer, at start: Int
    ) {
        func store<Value: FixedWidthInteger>(_ value: Value, at offset: Int) {
            bytes.storeBytes(of: value.littleEndian, toByteOffset: start + offset, as: Value.self)
        }
        store(run.writer.high.byteSwapped, at: 0)
        store(run.writer.low.byteSwapped, at: 8)
        store(run.first, at: 16)
        store(run.count, at: 24)
        store(run.flags.rawValue, at: 28)
        store(run.generation, at: 29)
        store(run.leastEventTime, at: 32)
        store(run.greatestEventTime, at: 40)
        store(run.appendTime, at: 48)
    }

    /// Reads the subfield behind its identifier and length.
    ///
    /// - Parameter member: The `EL` subfield of the same member.
    /// - Returns: The runs as seals; nil where they are damaged or do not fit the member.
    static func decode(_ bytes: UnsafeRawBufferPointer, of member: BlockHeader) -> [BlockHeader]? {
        let end = bytes.count - 4
        guard end >= entryByteCount, end % entryByteCount == 0 else { return nil }
        let sum = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: end, as: UInt32.self))
        guard checksum(UnsafeRawBufferPointer(rebasing: bytes[..<end])) == sum else { return nil }
        var runs: [BlockHeader] = []
        var lineCount: UInt64 = 0
        for start in stride(from: 0, to: end, by: entryByteCount) {
            let entry = UnsafeRawBufferPointer(rebasing: bytes[start..<(start + entryByteCount)])
            guard let run = decodeRun(entry, of: member) else { return nil }
            lineCount += UInt64(run.count)
            runs.append(run)
        }
        return lineCount == UInt64(member.count) ? runs : nil
    }

    private static func decodeRun(
        _ bytes: UnsafeRawBufferPointer, of member: BlockHeader
    ) -> BlockHeader? {
        func load<Value: FixedWidthInteger>(_: Value.Type, at offset: Int) -> Value {
            Value(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Value.self))
        }
        // What the parts of a member share is as in the member: length, checksum, stream.
        var run = member
        run.writer = WriterID(
            high: load(UInt64.self, at: 0).byteSwapped, low: load(UInt64.self, at: 8).byteSwapped)
        run.first = load(UInt64.self, at: 16)
        run.count = load(UInt32.self, at: 24)
        run.flags = BlockHeader.Flags(rawValue: load(UInt8.self, at: 28))
        run.generation = load(UInt8.self, at: 29)
        run.leastEventTime = load(Int64.self, at: 32)
        run.greatestEventTime = load(Int64.self, at: 40)
        run.appendTime = load(Int64.self, at: 48)
        let isRun = run.flags.contains(.seal) && run.flags.isSubset(of: [.seal, .final])
        guard isRun, run.count > 0, run.first > 0,
            !run.first.addingReportingOverflow(UInt64(run.count)).overflow
        else { return nil }
        return run
    }
}
