// Rewriting a segment: what was to change changed, nothing else did, whenever it is interrupted.

import TestSupport
import Testing

@testable import EvalogLog

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("Rewriting segments")
struct SegmentRewriterTests {
    private let disk: FaultyDisk
    private let log: LogFixture
    private static let name = SegmentBuilder.name(1, 1)
    static let tombstone = Array("{\"erased\":true}".utf8)

    init() {
        disk = FaultyDisk()
        log = LogFixture(disk: disk)
    }

    /// Rewrites one segment under a lock of its own.
    @discardableResult
    private func rewrite(
        _ name: String = name, _ damaged: DamagedBytes = .dropped,
        among traces: WriterTraces = .init(),
        clock: any LogClock = Self.longAfter(), replacing victims: SequenceSet = .init()
    ) throws -> RewriteOutcome {
        // A child forked by another test may hold on to an earlier lock for a moment.
        let lock = try #require(try MaintenanceLock.wait(log.directory))
        let rewriter = SegmentRewriter(
            lock, .facts, damaged: damaged, clock: clock)
        let segment = try #require(SegmentName(name))
        return try rewriter.rewrite(segment, among: traces) { _ in victims }
    }

    /// A clock by which every file has been left alone for long.
    private static func longAfter() -> ManualClock {
        let clock = ManualClock()
        clock.setWall(.max / 2)
        return clock
    }

    /// Every line of the log by writer and sequence.
    private func texts() throws -> (lines: [LineKey: [UInt8]], report: ReadReport) {
        let found = Monitor<[LineKey: [UInt8]]>([:])
        let report = try readLog(log.directory, .facts) { _, block in
            block.forEachLine { sequence, line in
                let key = LineKey(writer: block.header.writer.low, sequence: sequence)
                found.withLock { $0[key] = Array(line) }
            }
        }
        return (found.withLock { $0 }, report)
    }

    private func headers() throws -> [BlockHeader] {
        try LogCatalog.scan(log.directory, .facts).headers.map(\.header)
    }

    private static func segment(
        _ blocks: [ClosedRange<UInt64>], seal: BlockHeader.Flags = [.seal, .final]
    ) -> SegmentBuilder {
        var builder = SegmentBuilder()
        for block in blocks { builder.block(1, block, appendTime: Int64(block.upperBound)) }
        guard let first = blocks.first, let last = blocks.last else { return builder }
        builder.seal(
            1, first.lowerBound...last.upperBound, seal, appendTime: Int64(last.upperBound))
        return builder
    }

    private static func lines(
        _ sequences: ClosedRange<UInt64>, erased: SequenceSet = .init()
    ) -> [LineKey: [UInt8]] {
        var lines: [LineKey: [UInt8]] = [:]
        for sequence in sequences {
            lines[LineKey(writer: 1, sequence: sequence)] =
                erased.contains(sequence) ? tombstone : LogFixture.line(1, sequence)
        }
        return lines
    }

    // MARK: Lines

    @Test("with nothing to replace and nothing damaged the new segment has the bytes of the old")
    func identity() throws {
        let segment = Self.segment([1...40, 41...50, 51...90])
        try log.put(Self.name, segment.bytes)
        #expect(try rewrite() == .rewritten(RewriteReport()))
        #expect(try log.bytes(of: Self.name) == segment.bytes)
    }

    @Test("replaced lines alone get another text and the next generation", arguments: [1, 2, 3])
    func replaces(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let blocks: [ClosedRange<UInt64>] = [1...40, 41...41, 42...90, 91...200]
        try log.put(Self.name, Self.segment(blocks).bytes)
        let before = try headers()
        for share in [0.02, 0.3, 1.0] {
            try log.clear()
            try log.put(Self.name, Self.segment(blocks).bytes)
            var victims = SequenceSet()
            for sequence: UInt64 in 1...200 where Double.random(in: 0..<1, using: &random) < share {
                victims.insert(sequence..<(sequence + 1))
            }
            var expected = RewriteReport()
            expected.replacedCount = victims.count
            #expect(try rewrite(replacing: victims) == .rewritten(expected))
            let (lines, report) = try texts()
            #expect(lines == Self.lines(1...200, erased: victims))
            #expect(report.isClean && report.segments.map(\.state) == [.merged])
            for header in try headers() {
                let set = SequenceSet(header.sequences)
                let isReplaced = set.intersection(victims) == set
                #expect(isReplaced || set.intersection(victims).isEmpty)
                #expect(header.generation == (isReplaced ? 1 : 0))
                let old = try #require(before.first { $0.sequences.contains(header.first) })
                #expect(header.appendTime == old.appendTime)
                #expect(header.leastEventTime == old.leastEventTime)
                #expect(header.greatestEventTime == old.greatestEventTime)
            }
        }
    }

    @Test("a copy of the old segment that comes back changes nothing", arguments: [-5, 0, 5])
    func oldCopy(shift: Int64) throws {
        let segment = Self.segment([1...40, 41...60])
        try log.put(SegmentBuilder.name(1, 1, time: 10), segment.bytes)
        let victims = SequenceSet(uniting: [3..<9, 40..<42])
        try rewrite(SegmentBuilder.name(1, 1, time: 10), replacing: victims)
        try log.put(SegmentBuilder.name(1, 1, time: 10 + shift), segment.bytes)
        let (lines, report) = try texts()
        #expect(lines == Self.lines(1...60, erased: victims))
        #expect(report.isClean)
    }

    @Test("a merged file keeps its runs, its seals and the mark of its end")
    func merged() throws {
        let name = SegmentBuilder.name(77, 0)
        var builder = SegmentBuilder()
        builder.block(1, 1...10)
        builder.seal(1, 1...10, .seal)
        builder.block(2, 1...5)
        builder.seal(2, 1...5, [.seal, .final])
        builder.block(1, 11...30)
        builder.seal(1, 11...30, [.seal, .final, .mergedEnd])
        try log.put(name, builder.bytes)
        let before = try texts().lines
        try rewrite(name)
        #expect(try texts().lines == before && texts().report.segments.map(\.state) == [.merged])
        let once = try log.bytes(of: name)
        #expect(once.count < builder.bytes.count)
        try rewrite(name)
        #expect(try log.bytes(of: name) == once)
        try rewrite(name, replacing: SequenceSet(4..<5))
        let (lines, report) = try texts()
        #expect(
            lines.filter { $0.value == Self.tombstone }.keys.sorted() == [
                LineKey(writer: 1, sequence: 4), LineKey(writer: 2, sequence: 4),
            ])
        #expect(lines.count == 35 && report.isClean)
        #expect(report.segments.map(\.state) == [.merged])
    }

    @Test("a merged file that was cut stays known as cut")
    func cutMerged() throws {
        let name = SegmentBuilder.name(77, 0)
        var builder = SegmentBuilder()
        builder.block(1, 1...10)
        builder.seal(1, 1...10, [.seal, .final])
        try log.put(name, builder.bytes)
        try rewrite(name, replacing: SequenceSet(4..<5))
        #expect(try texts().report.damages.map(\.reason) == [.cut])
    }

    // MARK: Dead writers

    @Test("a dead segment cut at any byte keeps its lines, and its loss becomes a known hole")
    func cuts() throws {
        var whole = SegmentBuilder()
        for block: ClosedRange<UInt64> in [1...40, 41...50, 51...70] { whole.block(1, block) }
        for length in whole.offsets[1]...whole.bytes.count {
            try log.put(Self.name, Array(whole.bytes.prefix(length)))
            let before = try texts()
            try rewrite()
            let after = try texts()
            #expect(after.lines == before.lines, "cut at \(length)")
            #expect(after.report.damages.isEmpty && after.report.lostCount == 0)
            #expect(after.report.holeCount == before.report.lostCount)
            // What is known to be gone is a hole; where the header is cut nobody knows how much is.
            let isUnknown = before.report.hasUnknownLoss
            #expect(after.report.hasUnknownLoss == isUnknown, "cut at \(length)")
            #expect(after.report.segments.map(\.state) == [isUnknown ? .rolled : .closed])
        }
    }

    @Test("a dead segment whose writer went on elsewhere is sealed as rolled")
    func successor() throws {
        var first = SegmentBuilder()
        first.block(1, 1...10)
        var second = SegmentBuilder()
        second.block(1, 11...20)
        try log.put(Self.name, first.bytes)
        try log.put(SegmentBuilder.name(1, 2), second.bytes)
        let traces = WriterTraces(ends: [WriterID(high: 0, low: 1): 21])
        try rewrite(among: traces)
        try rewrite(SegmentBuilder.name(1, 2), among: traces)
        let (lines, report) = try texts()
        #expect(lines == Self.lines(1...20))
        #expect(report.isClean && report.segments.map(\.state) == [.rolled, .closed])
    }

    @Test("a segment that a writer holds, or that changed within a minute, stays as it is")
    func live() throws {
        let writer = try log.writer(2)
        _ = writer.append(LogFixture.line(2, 1), to: .facts, eventTime: 0)
        try writer.flush()
        let held = try #require(try log.segmentNames().first)
        #expect(try rewrite(held) == .live)
        var dead = SegmentBuilder()
        dead.block(1, 1...10)
        try log.put(Self.name, dead.bytes)
        let listing = try log.directory.list(.facts).segments
        let status = try #require(listing.first { $0.name.description == Self.name }).status
        let clock = ManualClock()
        clock.setWall(status.modified / 1_000 + LogLimits.deadSegmentAge - 1)
        #expect(try rewrite(clock: clock) == .live)
        #expect(try log.bytes(of: Self.name) == dead.bytes)
        clock.advance(by: 1)
        #expect(try rewrite(clock: clock) == .rewritten(RewriteReport()))
        try writer.close()
    }

    // MARK: Damage

    @Test(
        "damaged bytes leave the segment, and are kept where that is asked for",
        arguments: [DamagedBytes.keptAside, .dropped])
    func damage(fate: DamagedBytes) throws {
        let whole = Self.segment([1...40, 41...50, 51...90])
        let inBlock = whole.offsets[1] + 95
        let inHeader = whole.offsets[1] + 30
        for place in [inBlock, inHeader] {
            var bytes = whole.bytes
            bytes[place] ^= 0xff
            try log.put(Self.name, bytes)
            try rewrite(Self.name, fate)
            let (lines, report) = try texts()
            #expect(lines.count == 80 && report.isClean && report.holeCount == 10)
            let folder = AsideFolder(of: log.directory)
            let files = try folder.files(of: .facts)
            #expect(files == (fate == .dropped ? [] : ["\(Self.name)@\(whole.offsets[1])"]))
            for file in files {
                let kept = try readFile("\(log.directory.path)/aside/\(file)")
                #expect(kept == Array(bytes[whole.offsets[1]..<whole.offsets[2]]))
            }
            #expect(try folder.files(of: .content).isEmpty)
            try folder.delete(files)
            #expect(try folder.files(of: .facts).isEmpty)
        }
    }

    @Test("a lost head becomes a hole where the seal tells of it")
    func head() throws {
        var bytes = Self.segment([11...40, 41...50]).bytes
        bytes.replaceSubrange(0..<60, with: [UInt8](repeating: 0, count: 60))
        try log.put(SegmentBuilder.name(1, 2), bytes)
        try rewrite(SegmentBuilder.name(1, 2))
        let (lines, report) = try texts()
        #expect(lines == Self.lines(41...50))
        #expect(report.isClean && report.holeCount == 30 && report.retiredCount == 10)
    }

    @Test(
        "of a file of which nothing is left it stays known what others tell, or that nobody knows")
    func garbage() throws {
        var successor = SegmentBuilder()
        successor.block(1, 5...9)
        successor.seal(1, 5...9, [.seal, .final])
        for hasSuccessor in [false, true] {
            try log.put(Self.name, Array("not a segment at all".utf8))
            if hasSuccessor { try log.put(SegmentBuilder.name(1, 2), successor.bytes) }
            let before = try texts().report
            // It was the first one, and the next one tells of the line that it begins with.
            #expect(before.hasUnknownLoss == !hasSuccessor)
            #expect(before.lostCount == (hasSuccessor ? 4 : 0))
            let traces = WriterTraces(try LogCatalog.scan(log.directory, .facts))
            guard case .rewritten(let report) = try rewrite(Self.name, .keptAside, among: traces)
            else {
                Issue.record("it went")
                return
            }
            #expect(report.damagedByteCount == 20)
            #expect(try AsideFolder(of: log.directory).files(of: .facts) == ["\(Self.name)@0"])
            let after = try texts()
            #expect(after.report.hasUnknownLoss == !hasSuccessor && after.report.damages.isEmpty)
            #expect(after.report.lostCount + after.report.holeCount == (hasSuccessor ? 4 : 1))
            #expect(after.report.retiredCount == 0)
            #expect(after.lines == (hasSuccessor ? Self.lines(5...9) : [:]))
        }
    }

    @Test(
        "an empty file was not born empty: what it held stays unknown, also once it is rewritten",
        arguments: [0, 1, 2])
    func empty(number: Int) throws {
        let name = SegmentBuilder.name(1, number)
        try log.put(name, [])
        let reason = { try texts().report.uncounted.map(\.reason) }
        #expect(try reason() == [.unreadable])
        #expect(try rewrite(name) == .rewritten(RewriteReport()))
        #expect(try reason() == [.successor])
        let report = try texts().report
        #expect(report.damages.isEmpty && report.holeCount == 1 && report.lostCount == 0)
        #expect(report.segments.map(\.state) == [number == 0 ? .merged : .rolled])
        // Nothing is left to be done to it.
        #expect(try rewrite(name) == .rewritten(RewriteReport()))
        #expect(try reason() == [.successor])
    }

    @Test("a damaged block of replaced lines still stands before an old copy when it is rewritten")
    func damagedReplacement() throws {
        var segment = SegmentBuilder()
        segment.block(1, 1...10)
        segment.block(1, 11...14, generation: 1) { _, _ in Self.tombstone }
        segment.seal(1, 1...14, [.seal, .final], generation: 1)
        var bytes = segment.bytes
        bytes[segment.offsets[1] + 90] ^= 0xff
        try log.put(Self.name, bytes)
        try rewrite()
        try log.put(SegmentBuilder.name(1, 1, time: 9), Self.segment([1...14]).bytes)
        let (lines, report) = try texts()
        // Nobody knows what had stood there.
        let gone = Dictionary(
            uniqueKeysWithValues: (11...14).map {
                (LineKey(writer: 1, sequence: $0), Tombstone.unread.line)
            })
        #expect(lines == Self.lines(1...10).merging(gone) { $1 })
        #expect(report.isClean)
    }

    @Test("lines are replaced by what says whether anybody could read them")
    func unread() throws {
        try log.put(Self.name, Self.segment([1...10, 11...14]).bytes)
        let lock = try #require(try MaintenanceLock.wait(log.directory))
        let rewriter = SegmentRewriter(lock, .facts, damaged: .dropped, clock: Self.longAfter())
        let segment = try #require(SegmentName(Self.name))
        let victims = SequenceSet(3..<7)
        let unread = [WriterID(high: 0, low: 1): SequenceSet(4..<6)]
        _ = try rewriter.rewrite(segment, among: .init(), unread: unread) { _ in victims }
        let lines = try texts().lines
        for sequence in 3..<7 as Range<UInt64> {
            let tombstone: Tombstone = (4..<6).contains(sequence) ? .unread : .plain
            #expect(lines[LineKey(writer: 1, sequence: sequence)] == tombstone.line)
        }
        #expect(lines.values.count { $0 == LogFixture.line(1, 14) } == 1)
    }

    @Test("a segment with members of a later version stays as it is")
    func newerVersion() throws {
        let segment = Self.segment([1...10])
        var later = SegmentBuilder()
        later.block(1, 11...20)
        var member = later.bytes
        member[16] = 2
        let sum = member[16..<84].withUnsafeBytes { checksum($0) }
        withUnsafeBytes(of: sum.littleEndian) { member.replaceSubrange(84..<88, with: $0) }
        try log.put(Self.name, segment.bytes + member)
        #expect(try rewrite() == .newerVersion)
        #expect(try log.bytes(of: Self.name) == segment.bytes + member)
    }

    // MARK: Interruptions

    @Test("a kill at any call leaves the old segment or the new one, and the next run does it")
    func kills() throws {
        var bytes = Self.segment([1...40, 41...50, 51...90]).bytes
        bytes[bytes.count / 2] ^= 0xff
        let victims = SequenceSet(uniting: [5..<7, 60..<61])
        try log.put(Self.name, bytes)
        let before = try texts()
        disk.set { $0.calls = [] }
        try rewrite(Self.name, .keptAside, replacing: victims)
        let callCount = disk.takeCalls().count
        let after = try texts()
        #expect(callCount > 20)
        for count in 0..<callCount {
            try log.clear()
            try log.put(Self.name, bytes)
            disk.set { $0.callsUntilDeath = count }
            #expect(throws: LogError.self) {
                try rewrite(Self.name, .keptAside, replacing: victims)
            }
            disk.set { $0.callsUntilDeath = nil }
            let found = try texts()
            #expect(found.lines == before.lines || found.lines == after.lines, "call \(count)")
            #expect(try !log.segmentNames().isEmpty)
            let outcome = try rewrite(Self.name, .keptAside, replacing: victims)
            if outcome == .vanished { #expect(found.lines == after.lines, "call \(count)") }
            #expect(try texts().lines == after.lines, "call \(count)")
            #expect(try log.directory.list(.facts).ignored.isEmpty, "call \(count)")
        }
    }

    @Test("a full disk leaves the old segment and no other file")
    func fullDisk() throws {
        let segment = Self.segment([1...40, 41...50])
        try log.put(Self.name, segment.bytes)
        for free in stride(from: 0, to: segment.bytes.count, by: 37) {
            disk.set { $0.freeByteCount = free }
            #expect { try rewrite(replacing: SequenceSet(3..<4)) } throws: { error in
                (error as? LogError)?.isNoSpace == true
            }
            #expect(try log.bytes(of: Self.name) == segment.bytes)
            #expect(try log.directory.list(.facts).ignored.isEmpty)
        }
    }

    @Test("one maintenance at a time, and the next one when the first has gone")
    func exclusion() throws {
        try log.write([1])
        var first = try MaintenanceLock(log.directory)
        #expect(first != nil)
        let clock = ManualClock()
        let timing = MaintenanceTiming(clock: clock) { clock.advance(by: $0) }
        #expect(try MaintenanceLock.wait(log.directory, timing: timing) == nil)
        #expect(clock.monotonicTime() == LogLimits.maintenancePatience)
        first = nil
        #expect(try MaintenanceLock.wait(log.directory) != nil)
    }
}
