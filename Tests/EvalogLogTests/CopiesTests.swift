// Lines that exist more than once, and lines that do not exist any more.

import TestSupport
import Testing

@testable import EvalogLog

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("Copies, generations and loss")
struct CopiesTests {
    private static func segment(
        _ id: UInt64, _ blocks: [ClosedRange<UInt64>], seal: BlockHeader.Flags? = [.seal, .final]
    ) -> SegmentBuilder {
        var builder = SegmentBuilder()
        for block in blocks { builder.block(id, block) }
        if let seal, let first = blocks.first, let last = blocks.last {
            builder.seal(id, first.lowerBound...last.upperBound, seal)
        }
        return builder
    }

    @Test("a copy and a prefix of a segment add nothing", arguments: [1, 2])
    func copies(threads: Int) throws {
        let log = LogFixture()
        let whole = Self.segment(1, [1...10, 11...15, 16...40])
        try log.put(SegmentBuilder.name(1, 1), whole.bytes)
        try log.put(SegmentBuilder.name(1, 1, time: 99), whole.bytes)
        try log.put(SegmentBuilder.name(3, 2), Array(whole.bytes.prefix(whole.offsets[2])))
        let (lines, report) = try log.read(threads: threads)
        #expect(lines == keys(1, 1...40))
        #expect(report.isClean)
        #expect(report.lineCount == 40)
    }

    @Test("blocks cut differently supply each line once")
    func otherBlocks() throws {
        let log = LogFixture()
        try log.put(SegmentBuilder.name(1, 1), Self.segment(1, [1...10, 11...20, 21...30]).bytes)
        try log.put(SegmentBuilder.name(1, 0), merged(1, [5...25]).bytes)
        let (lines, report) = try log.read()
        #expect(lines == keys(1, 1...30))
        #expect(report.isClean)
    }

    @Test("where one copy of a block is damaged another one is read")
    func fallback() throws {
        let log = LogFixture()
        let whole = Self.segment(1, [1...10, 11...20, 21...30])
        var broken = whole.bytes
        broken[whole.offsets[1] + 95] ^= 0xff
        try log.put(SegmentBuilder.name(1, 1), broken)
        try log.put(SegmentBuilder.name(1, 1, time: 5), whole.bytes)
        let (lines, report) = try log.read()
        #expect(lines == keys(1, 1...30))
        #expect(report.lostCount == 0)
        #expect(report.damages.map(\.reason) == [.dataChecksum])
    }

    @Test("the greater generation wins, in whatever order the files come", arguments: [1, 9])
    func generations(time: Int64) throws {
        let log = LogFixture()
        try log.put(SegmentBuilder.name(1, 1, time: 5), Self.segment(1, [1...10, 11...20]).bytes)
        var erased = SegmentBuilder()
        erased.block(1, 1...10)
        erased.block(1, 11...20, generation: 1) { _, sequence in
            sequence == 15 ? Array("{\"erased\":true}".utf8) : LogFixture.line(1, sequence)
        }
        erased.seal(1, 1...20, [.seal, .final])
        try log.put(SegmentBuilder.name(1, 1, time: time), erased.bytes)
        let collector = LineCollector()
        let report = try readLog(log.directory, .facts) { _, block in collector.add(block) }
        #expect(collector.lines == keys(1, 1...20))
        #expect(collector.wrongCount == 1)
        #expect(report.isClean)
    }

    @Test("what was erased does not come back because its tombstone is damaged")
    func damagedTombstone() throws {
        let log = LogFixture()
        try log.put(SegmentBuilder.name(1, 1, time: 5), Self.segment(1, [1...10]).bytes)
        var erased = SegmentBuilder()
        erased.block(1, 3...4, generation: 1)
        var bytes = erased.bytes
        bytes[90] ^= 0xff
        try log.put(SegmentBuilder.name(1, 1, time: 6), bytes)
        let (lines, report) = try log.read()
        #expect(lines == keys(1, 1...2) + keys(1, 5...10))
        #expect(report.lostCount == 2)
    }

    // MARK: Merged files

    private func merged(_ id: UInt64, _ blocks: [ClosedRange<UInt64>]) -> SegmentBuilder {
        Self.segment(id, blocks, seal: [.seal, .mergedEnd])
    }

    private func twoRuns(end: BlockHeader.Flags = [.seal, .final, .mergedEnd]) -> SegmentBuilder {
        var builder = SegmentBuilder()
        builder.block(1, 1...10)
        builder.block(1, 11...20)
        builder.seal(1, 1...20, .seal)
        builder.block(2, 1...5)
        builder.seal(2, 1...5, [.seal, .final])
        builder.block(1, 21...30)
        builder.seal(1, 21...30, end)
        return builder
    }

    @Test("a merged file holds runs of several writers, each with its seal")
    func mergedFile() throws {
        let log = LogFixture()
        try log.put(SegmentBuilder.name(77, 0), twoRuns().bytes)
        let (lines, report) = try log.read()
        #expect(lines == keys(1, 1...30) + keys(2, 1...5))
        #expect(report.isClean)
        #expect(report.segments.map(\.state) == [.merged])
    }

    @Test("a merged file that ends before its last seal is cut, though it ends on a seal")
    func cutMergedFile() throws {
        let log = LogFixture()
        let whole = twoRuns()
        try log.put(SegmentBuilder.name(77, 0), Array(whole.bytes.prefix(whole.offsets[5])))
        let (lines, report) = try log.read()
        #expect(lines == keys(1, 1...20) + keys(2, 1...5))
        #expect(report.damages.map(\.reason) == [.cut])
        // Writer 1 rolled, so there was more.
        #expect(report.writers.map(\.hasUnknownLoss) == [true, false])
    }

    @Test("a damaged seal inside a merged file costs no line")
    func damagedInnerSeal() throws {
        let log = LogFixture()
        let whole = twoRuns()
        var bytes = whole.bytes
        bytes[whole.offsets[2] + 20] ^= 1
        try log.put(SegmentBuilder.name(77, 0), bytes)
        let (lines, report) = try log.read()
        #expect(lines == keys(1, 1...30) + keys(2, 1...5))
        #expect(report.damages.map(\.reason) == [.subfield])
        #expect(report.lostCount == 0)
    }

    @Test("two segments in one file are read like two files")
    func concatenated() throws {
        let log = LogFixture()
        let bytes = Self.segment(1, [1...10]).bytes + Self.segment(2, [1...3]).bytes
        try log.put(SegmentBuilder.name(1, 1), bytes)
        let (lines, report) = try log.read()
        #expect(lines == keys(1, 1...10) + keys(2, 1...3))
        #expect(report.isClean)
    }

    @Test("a known hole is no damage and no loss")
    func hole() throws {
        let log = LogFixture()
        var builder = SegmentBuilder()
        builder.block(1, 1...10)
        builder.hole(1, 11...14)
        builder.block(1, 15...20)
        builder.seal(1, 1...20, [.seal, .final])
        try log.put(SegmentBuilder.name(1, 1), builder.bytes)
        var (lines, report) = try log.read()
        #expect(lines == keys(1, 1...10) + keys(1, 15...20))
        #expect(report.isClean)
        #expect(report.holeCount == 4)
        // A copy that has the lines fills the hole.
        try log.put(SegmentBuilder.name(1, 1, time: 7), Self.segment(1, [1...20]).bytes)
        (lines, report) = try log.read()
        #expect(lines == keys(1, 1...20))
        #expect(report.holeCount == 0)
    }

    // MARK: Loss

    @Test("a missing segment between two others is lost exactly")
    func missingMiddle() throws {
        let log = LogFixture()
        try log.put(SegmentBuilder.name(1, 1), Self.segment(1, [1...10], seal: .seal).bytes)
        try log.put(SegmentBuilder.name(1, 3), Self.segment(1, [31...40]).bytes)
        let report = try log.read().report
        #expect(report.writers.map(\.lost.ranges) == [[11..<31]])
        #expect(report.damages.isEmpty)
        #expect(!report.isClean)
    }

    @Test("what lies before the first segment present is retired, not lost")
    func retired() throws {
        let log = LogFixture()
        try log.put(SegmentBuilder.name(1, 3), Self.segment(1, [31...40]).bytes)
        let report = try log.read().report
        #expect(report.isClean)
        #expect(report.retiredCount == 30)
    }

    @Test("a rolled seal without a successor is unknown loss")
    func rolledWithoutSuccessor() throws {
        let log = LogFixture()
        try log.put(SegmentBuilder.name(1, 1), Self.segment(1, [1...10], seal: .seal).bytes)
        let report = try log.read().report
        #expect(
            report.uncounted == [
                UncountedLoss(
                    segment: SegmentBuilder.name(1, 1), writer: WriterID(high: 0, low: 1),
                    reason: .successor)
            ])
        #expect(report.lostCount == 0)
        try log.put(SegmentBuilder.name(1, 2), Self.segment(1, [11...12]).bytes)
        #expect(try log.read().report.isClean)
    }

    @Test("the seal of a segment whose blocks are all gone still says how many they were")
    func onlySeal() throws {
        let log = LogFixture()
        let whole = Self.segment(1, [1...10, 11...20])
        try log.put(SegmentBuilder.name(1, 1), Array(whole.bytes[whole.offsets[2]...]))
        let report = try log.read().report
        #expect(report.lostCount == 20)
    }

    @Test("a block taken out of a run without a trace breaks the chain")
    func spliced() throws {
        let log = LogFixture()
        let whole = Self.segment(1, [1...10, 11...20, 21...30])
        var bytes = whole.bytes
        bytes.removeSubrange(whole.offsets[1]..<whole.offsets[2])
        try log.put(SegmentBuilder.name(1, 1), bytes)
        let report = try log.read().report
        #expect(report.damages.map(\.reason) == [.chain])
        #expect(report.damages.map(\.offset) == [Int64(whole.offsets[1])])
        #expect(report.lostCount == 10)
    }

    @Test("a block of a later version is named and passed over")
    func newerVersion() throws {
        let log = LogFixture()
        let deflater = Deflater(level: 6)
        var header = BlockHeader(
            stream: 0, writer: WriterID(high: 0, low: 1), first: 1, count: 1, leastEventTime: 0,
            greatestEventTime: 0, appendTime: 0)
        header.version = 2
        let block = [0x61, 0x0a].withUnsafeBytes { _ in
            EncodedBlock(
                header, text: UnsafeRawBufferPointer(start: nil, count: 0), deflater: deflater)
        }
        try log.put(SegmentBuilder.name(1, 1), block.bytes)
        let report = try log.read().report
        #expect(report.damages.map(\.reason) == [.newerVersion])
        #expect(report.lineCount == 0)
    }

    @Test("a header that promises another number of lines is damage")
    func lineCount() throws {
        let log = LogFixture()
        var builder = SegmentBuilder()
        builder.block(1, 1...10, count: 9)
        try log.put(SegmentBuilder.name(1, 1), builder.bytes)
        let report = try log.read().report
        #expect(report.damages.map(\.reason) == [.lineCount])
        #expect(report.lostCount == 9)
    }

    @Test("other subfields before and behind ours are passed over")
    func otherSubfields() throws {
        let log = LogFixture()
        let whole = Self.segment(1, [1...10], seal: nil).bytes
        // gzip header, then XX before and YY behind our subfield, then the data.
        let before: [UInt8] = [0x58, 0x58, 3, 0, 1, 2, 3]
        let behind: [UInt8] = [0x59, 0x59, 0, 0]
        let length = 76 + before.count + behind.count
        var header = try #require(whole[16..<88].withUnsafeBytes { BlockHeader(decoding: $0) })
        header.memberByteCount += UInt32(before.count + behind.count)
        var field = [UInt8](repeating: 0, count: 72)
        field.withUnsafeMutableBytes { header.encode(into: $0) }
        let bytes =
            Array(whole[..<10]) + [UInt8(length), 0] + before + Member.mark + field + behind
            + whole[88...]
        try log.put(SegmentBuilder.name(1, 1), bytes)
        var (lines, report) = try log.read()
        #expect(lines == keys(1, 1...10))
        #expect(report.isClean)
        // And found again behind junk.
        try log.put(SegmentBuilder.name(1, 1), Array("junk, junk, junk".utf8) + bytes)
        (lines, report) = try log.read()
        #expect(lines == keys(1, 1...10))
        #expect(report.damages.map(\.byteCount) == [16])
    }
}
