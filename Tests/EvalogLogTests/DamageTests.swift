// What a damaged segment still gives, and what is said of the rest.

import TestSupport
import Testing

@testable import EvalogLog

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("Reading damaged segments")
struct DamageTests {
    /// Three blocks and no seal, as a kill leaves them.
    private static func unsealed() -> SegmentBuilder {
        var builder = SegmentBuilder()
        builder.block(1, 1...40)
        builder.block(1, 41...50)
        builder.block(1, 51...70)
        return builder
    }

    private static let name = SegmentBuilder.name(1, 1)

    @Test("a cut at any byte of the last two blocks loses only the blocks it cuts")
    func cuts() throws {
        let whole = Self.unsealed()
        let log = LogFixture()
        for length in whole.offsets[1]...whole.bytes.count {
            try log.put(Self.name, Array(whole.bytes.prefix(length)))
            let (lines, report) = try log.read()
            let last: UInt64 =
                length == whole.bytes.count ? 70 : length >= whole.offsets[2] ? 50 : 40
            #expect(lines == keys(1, 1...last), "cut at \(length)")
            let start = length >= whole.offsets[2] ? whole.offsets[2] : whole.offsets[1]
            if length == start || length == whole.bytes.count {
                #expect(report.isClean, "cut at \(length)")
                continue
            }
            #expect(report.damages.map(\.offset) == [Int64(start)], "cut at \(length)")
            #expect(report.damages.map(\.byteCount) == [Int64(length - start)])
            #expect(report.damages.map(\.reason) == [.tornTail])
            // Whether the loss is known depends on whether the header is whole.
            let isKnown = length - start >= 88
            #expect(report.lostCount == (isKnown ? (start == whole.offsets[2] ? 20 : 10) : 0))
            #expect(report.hasUnknownLoss == !isKnown)
        }
    }

    @Test("zeros in place of the tail are a tail, not an endless or an empty block")
    func zeroedTail() throws {
        let whole = Self.unsealed()
        let log = LogFixture()
        for count in Array(1...600) + [1_024, 4_096, 8_192] {
            var bytes = whole.bytes
            let zeroed = min(count, bytes.count)
            bytes.replaceSubrange(
                (bytes.count - zeroed)..., with: [UInt8](repeating: 0, count: zeroed))
            if bytes == whole.bytes { continue }
            try log.put(Self.name, bytes)
            let (lines, report) = try log.read()
            // The last bytes of a trailer are zeros anyway.
            let changed = zip(bytes, whole.bytes).enumerated().first {
                $0.element.0 != $0.element.1
            }
            let block = try #require(whole.offsets.lastIndex { $0 <= changed?.offset ?? 0 })
            let last: UInt64 = [0, 40, 50][block]
            #expect(lines == (last == 0 ? [] : keys(1, 1...last)), "\(count) zeros")
            #expect(!report.damages.isEmpty)
        }
    }

    @Test("a flipped bit is found where the chain stands for the sum of the text")
    func trustedChain() throws {
        let whole = Self.unsealed()
        let log = LogFixture()
        for offset in 0..<whole.bytes.count {
            var bytes = whole.bytes
            bytes[offset] ^= 1 << UInt8(offset % 8)
            try log.put(Self.name, bytes)
            let summed = try log.read()
            let trusting = try log.read(trustsChain: true)
            #expect(trusting.lines == summed.lines, "byte \(offset)")
            #expect(trusting.report.damages == summed.report.damages, "byte \(offset)")
            #expect(!trusting.report.damages.isEmpty, "byte \(offset)")
        }
    }

    @Test("a mebibyte of zeros behind the last block is one damage and costs nothing")
    func appendedZeros() throws {
        let whole = Self.unsealed()
        let log = LogFixture()
        try log.put(Self.name, whole.bytes + [UInt8](repeating: 0, count: 1 << 20))
        let (lines, report) = try log.read()
        #expect(lines == keys(1, 1...70))
        #expect(
            report.damages == [
                Damage(
                    segment: Self.name, offset: Int64(whole.bytes.count), byteCount: 1 << 20,
                    reason: .zeros)
            ])
        #expect(report.lostCount == 0)
    }

    @Test("old bytes of another segment behind the tail give no lines, and the loss is not known")
    func staleBytes() throws {
        var other = SegmentBuilder()
        other.block(2, 500...520)
        other.block(2, 521...540)
        let whole = Self.unsealed()
        let log = LogFixture()
        for start in [0, 1, 30, other.offsets[1]] {
            try log.put(Self.name, whole.bytes + other.bytes[start...])
            let (lines, report) = try log.read()
            #expect(lines == keys(1, 1...70), "from \(start)")
            #expect(report.writers.map(\.writer.low) == [1])
            #expect(report.lostCount == 0)
            #expect(report.hasUnknownLoss, "the writer may have gone on where the old bytes stand")
            // Without its first byte the block seems to begin in the trailer before it.
            let start = Int64(whole.bytes.count - (start == 1 ? 1 : 0))
            #expect(report.damages.first?.offset == start)
            #expect(report.damages.contains { $0.reason == .stale })
        }
    }

    @Test("an earlier block of the same writer behind the tail is stale too")
    func staleOwnBytes() throws {
        let whole = Self.unsealed()
        let log = LogFixture()
        try log.put(Self.name, whole.bytes + whole.bytes[..<whole.offsets[1]])
        let (lines, report) = try log.read()
        #expect(lines == keys(1, 1...70))
        #expect(report.damages.map(\.reason) == [.stale])
    }

    @Test("a flipped bit costs at most the lines of its block", arguments: FuzzSeeds.first(500))
    func bitFlips(seed: UInt64) throws {
        var builder = SegmentBuilder()
        let blocks: [ClosedRange<UInt64>] = [1...40, 41...50, 51...70, 71...71, 72...90]
        for block in blocks { builder.block(1, block) }
        builder.seal(1, 1...90, [.seal, .final])
        var bytes = builder.bytes
        var random = SplitMix(seed)
        // Every second one hits a frame, where the rarer cases are.
        let place =
            seed % 2 == 0
            ? Int(random.next() % UInt64(bytes.count))
            : builder.offsets[Int(random.next() % 6)] + Int(random.next() % 90)
        bytes[place] ^= 1 << UInt8(random.next() % 8)
        let hit = builder.offsets.lastIndex { $0 <= place }

        let log = LogFixture()
        try log.put(Self.name, bytes)
        let collector = LineCollector()
        let report = try readLog(log.directory, .facts) { _, block in collector.add(block) }
        let index = try #require(hit)
        let hitLines = index < blocks.count ? Set(keys(1, blocks[index])) : []
        #expect(Set(keys(1, 1...90)).subtracting(collector.lines).isSubset(of: hitLines))
        #expect(collector.wrongCount == 0)
        #expect(collector.lines.count == Set(collector.lines).count)
        #expect(!report.damages.isEmpty)
        #expect(report.lostCount == UInt64(90 - collector.lines.count))
        let end = index + 1 < builder.offsets.count ? builder.offsets[index + 1] : bytes.count
        for damage in report.damages {
            #expect(damage.offset >= Int64(builder.offsets[index]) && damage.end <= Int64(end))
        }
    }

    @Test("a damaged gzip header is named and its lines are read", arguments: 0..<16)
    func gzipHeader(byte: Int) throws {
        var builder = SegmentBuilder()
        builder.block(1, 1...5)
        builder.block(1, 6...10)
        builder.seal(1, 1...10, [.seal, .final])
        var bytes = builder.bytes
        bytes[builder.offsets[1] + byte] ^= 0x10
        let log = LogFixture()
        try log.put(Self.name, bytes)
        let (lines, report) = try log.read()
        #expect(!report.damages.isEmpty)
        #expect(report.damages.allSatisfy { $0.offset == Int64(builder.offsets[1]) })
        if byte < 12 {
            #expect(lines == keys(1, 1...10))
            #expect(report.lostCount == 0)
        } else {
            #expect(lines == keys(1, 1...5))
            #expect(report.lostCount == 5)
        }
    }

    @Test("whatever lies between two blocks is named and costs neither", arguments: Junk.all)
    func junk(_ junk: Junk) throws {
        var builder = SegmentBuilder()
        builder.block(1, 1...40)
        let start = builder.bytes.count
        builder.raw(junk.bytes)
        builder.block(1, 41...50)
        builder.seal(1, 1...50, [.seal, .final])
        let log = LogFixture()
        try log.put(Self.name, builder.bytes)
        let (lines, report) = try log.read()
        #expect(lines == keys(1, 1...50))
        #expect(report.lostCount == 0)
        #expect(report.damages.map(\.offset) == [Int64(start)])
        #expect(report.damages.map(\.byteCount) == [Int64(junk.bytes.count)])
        #expect(report.damages.map(\.reason) == [junk.reason])
    }

    @Test("bytes lost inside a block cost that block only", arguments: [1, 7, 60, 100])
    func shortenedBody(count: Int) throws {
        var builder = SegmentBuilder()
        builder.block(1, 1...40)
        builder.block(1, 41...80)
        builder.block(1, 81...90)
        builder.seal(1, 1...90, [.seal, .final])
        var bytes = builder.bytes
        bytes.removeSubrange((builder.offsets[1] + 90)..<(builder.offsets[1] + 90 + count))
        let log = LogFixture()
        try log.put(Self.name, bytes)
        let (lines, report) = try log.read()
        #expect(lines == keys(1, 1...40) + keys(1, 81...90))
        #expect(report.lostCount == 40)
        #expect(report.damages.first?.offset == Int64(builder.offsets[1]))
    }

    @Test("files of a few bytes are damage, not a crash", arguments: [0, 1, 5, 9, 10, 17, 87])
    func tinyFiles(byteCount: Int) throws {
        let log = LogFixture()
        try log.put(Self.name, Array(Self.unsealed().bytes.prefix(byteCount)))
        try log.put(SegmentBuilder.name(2, 1), [UInt8](repeating: 0x41, count: byteCount))
        let (lines, report) = try log.read()
        #expect(lines.isEmpty)
        #expect(report.damages.count == 2)
        #expect(report.damages.map(\.byteCount) == [Int64(byteCount), Int64(byteCount)])
        if byteCount == 0 { #expect(report.damages.allSatisfy { $0.reason == .empty }) }
        // No writer leaves such a file, so it held lines; nobody knows how many.
        #expect(report.uncounted.map(\.reason) == [.unreadable, .unreadable])
        #expect(report.uncounted.map(\.writer?.low) == [1, 2])
        #expect(!report.isClean && report.lostCount == 0)
    }

    @Test("nobody knows whose lines an unreadable merged file held", arguments: [0, 1, 300])
    func unreadableMergedFile(byteCount: Int) throws {
        let log = LogFixture()
        try log.put(SegmentBuilder.name(9, 0), [UInt8](repeating: 0, count: byteCount))
        let report = try log.read().report
        #expect(report.uncounted.map(\.writer) == [nil])
        #expect(report.hasUnknownLoss && report.writers.isEmpty)
    }

    @Test(
        "what is gone of a writer's first segment is counted once the second says where it ended",
        arguments: [0, 1, 300])
    func unreadableFirst(byteCount: Int) throws {
        var second = SegmentBuilder()
        second.block(1, 71...80)
        second.seal(1, 71...80, [.seal, .final])
        let log = LogFixture()
        try log.put(Self.name, [UInt8](repeating: 0, count: byteCount))
        try log.put(SegmentBuilder.name(1, 2), second.bytes)
        let (lines, report) = try log.read()
        #expect(lines == keys(1, 71...80))
        #expect(report.writers.map(\.lost.ranges) == [[1..<71]])
        #expect(report.retiredCount == 0)
    }

    @Test("a cut on the edge of a block leaves a segment without a seal, which is named")
    func cutAtEdge() throws {
        let log = LogFixture()
        let whole = Self.unsealed()
        try log.put(Self.name, Array(whole.bytes.prefix(whole.offsets[2])))
        try log.write([3], id: 2)
        let live = try log.write([3], id: 3, closing: false)
        let report = try log.read().report
        #expect(report.isClean)
        #expect(report.unsealed.map(\.name.description) == [Self.name])
        try live.close()
    }

    @Test("random bytes of any kind never stop the reader", arguments: 0..<200 as Range<UInt64>)
    func noise(seed: UInt64) throws {
        var random = SplitMix(seed)
        var builder = SegmentBuilder()
        var next: UInt64 = 1
        var expected: [LineKey] = []
        for _ in 0..<8 {
            switch random.next() % 3 {
            case 0:
                let count = Int(random.next() % 700)
                let source = Self.unsealed().bytes
                let start = Int(random.next() % UInt64(source.count))
                builder.raw(Array(source[start...].prefix(count)))
            case 1:
                builder.raw(
                    (0..<(random.next() % 300)).map { _ in UInt8(truncatingIfNeeded: random.next())
                    })
            default:
                let range = next...(next + random.next() % 30)
                builder.block(9, range)
                expected += keys(9, range)
                next = range.upperBound + 1
            }
        }
        let log = LogFixture()
        try log.put(SegmentBuilder.name(9, 1), builder.bytes)
        let collector = LineCollector()
        _ = try readLog(log.directory, .facts) { _, block in collector.add(block) }
        // Pieces of the other writer's blocks may come first, and then own the file.
        if collector.lines.allSatisfy({ $0.writer == 9 }) { #expect(collector.lines == expected) }
        #expect(collector.wrongCount == 0)
    }

    struct Junk: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var bytes: [UInt8]
        var reason: Damage.Reason

        static let all: [Self] = {
            let block = DamageTests.unsealed().bytes
            var brokenField = Array(block.prefix(300))
            brokenField[30] ^= 1
            return [
                Self(
                    testDescription: "plain text",
                    bytes: Array("{\"type\":\"evaluation\"}\nEL\n".utf8), reason: .garbage),
                Self(
                    testDescription: "zeros", bytes: [UInt8](repeating: 0, count: 300),
                    reason: .zeros),
                Self(testDescription: "one byte", bytes: [0x45], reason: .garbage),
                Self(
                    testDescription: "marks without a header",
                    bytes: (0..<50).flatMap { _ in Member.mark }, reason: .garbage),
                Self(
                    testDescription: "half a header", bytes: Array(block.prefix(50)),
                    reason: .subfield),
                Self(testDescription: "a broken subfield", bytes: brokenField, reason: .subfield),
                Self(
                    testDescription: "a large piece",
                    bytes: (0..<700_000).map { UInt8(truncatingIfNeeded: $0 &* 31) | 1 },
                    reason: .garbage),
            ]
        }()
    }
}

/// A small seeded generator.
struct SplitMix: RandomNumberGenerator {
    private var state: UInt64
    init(_ seed: UInt64) { state = seed &* 0x9e37_79b9_7f4a_7c15 }
    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}
