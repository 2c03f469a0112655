// Segments by hand, for what only maintenance, faults or other programs will write.

import Testing

@testable import EvalogLog

/// Puts members, seals, holes and other bytes one behind the other.
struct SegmentBuilder {
    private(set) var bytes: [UInt8] = []
    /// Where each member begins.
    private(set) var offsets: [Int] = []
    private var chain: UInt32 = 0
    private let deflater = Deflater(level: 6)

    typealias Line = (_ id: UInt64, _ sequence: UInt64) -> [UInt8]

    mutating func block(
        _ id: UInt64, _ sequences: ClosedRange<UInt64>, generation: UInt8 = 0,
        stream: UInt8 = 0, appendTime: Int64 = 0, count: UInt32? = nil,
        line: Line = LogFixture.line
    ) {
        var text: [UInt8] = []
        for sequence in sequences { text += line(id, sequence) + [0x0a] }
        var header = Self.header([], id, sequences, appendTime, stream)
        header.generation = generation
        header.count = count ?? header.count
        add(header, text)
    }

    /// Ends the run; the next member begins another.
    mutating func seal(
        _ id: UInt64, _ sequences: ClosedRange<UInt64>, _ flags: BlockHeader.Flags,
        generation: UInt8 = 0, appendTime: Int64 = 0
    ) {
        var header = Self.header(flags, id, sequences, appendTime, 0)
        header.generation = generation
        add(header, [])
        chain = 0
    }

    mutating func hole(
        _ id: UInt64, _ sequences: ClosedRange<UInt64>, appendTime: Int64 = 0, isOpen: Bool = false
    ) {
        add(Self.header(isOpen ? [.hole, .open] : .hole, id, sequences, appendTime, 0), [])
    }

    mutating func raw(_ more: [UInt8]) { bytes += more }

    /// Adds a member made elsewhere as it is.
    private mutating func add(_ header: BlockHeader, _ text: [UInt8]) {
        var block = text.withUnsafeBytes { EncodedBlock(header, text: $0, deflater: deflater) }
        chain = block.link(toChain: chain)
        offsets.append(bytes.count)
        bytes += block.bytes
    }

    private static func header(
        _ flags: BlockHeader.Flags, _ id: UInt64, _ sequences: ClosedRange<UInt64>,
        _ appendTime: Int64, _ stream: UInt8
    ) -> BlockHeader {
        BlockHeader(
            flags: flags, stream: stream, writer: WriterID(high: 0, low: id),
            first: sequences.lowerBound, count: UInt32(sequences.count),
            leastEventTime: Int64(sequences.lowerBound),
            greatestEventTime: Int64(sequences.upperBound), appendTime: appendTime)
    }

    /// A segment's name in the scheme, for a file made by hand.
    static func name(_ id: UInt64, _ number: Int, time: Int64 = 0) -> String {
        SegmentName(
            wallTime: time * 1_000_000, writer: WriterID(high: 0, low: id), number: number,
            kind: .facts
        ).description
    }
}

extension LogFixture {
    /// Puts a file into the facts folder, which is made where it is missing.
    func put(_ name: String, _ bytes: [UInt8]) throws {
        try directory.make()
        directory.disk.close(try directory.makeFolder(of: .facts))
        try replace(name, by: bytes)
    }
}
