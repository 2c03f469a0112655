// Erasing lines: gone from every copy, and nothing else changed, whenever it is interrupted.

import TestSupport
import Testing

@testable import EvalogLog

@Suite("Erasing lines")
struct LineEraserTests {
    private let disk: FaultyDisk
    private let log: LogFixture
    private let clock: ManualClock

    init() {
        disk = FaultyDisk()
        log = LogFixture(disk: disk)
        clock = ManualClock()
        clock.setWall(.max / 2)
    }

    private var timing: MaintenanceTiming {
        MaintenanceTiming(clock: clock) { [clock] in clock.advance(by: $0) }
    }

    /// Chooses every seventh line of writer 1, by what it says.
    private static func verdict(_ line: UnsafeRawBufferPointer) -> LineVerdict {
        if Tombstone(line) != nil { return .erased }
        return chosenLines.contains(Array(line)) ? .erase : .keep
    }

    private static let chosenLines = Set(
        stride(from: UInt64(7), through: 700, by: 7).map { LogFixture.line(1, $0) })

    @discardableResult
    private func erase(timing: MaintenanceTiming? = nil) throws -> EraseReport {
        let lock = try #require(try MaintenanceLock.wait(log.directory))
        let eraser = LineEraser(lock, .facts, threads: 2, timing: timing ?? self.timing)
        return try eraser.run { _, line in Self.verdict(line) }
    }

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

    /// What reading gives once writer 1 has been erased from and writer 2 has not.
    private static func expected(_ count: UInt64, _ others: UInt64 = 0) -> [LineKey: [UInt8]] {
        var lines: [LineKey: [UInt8]] = [:]
        for sequence in 1...count {
            lines[LineKey(writer: 1, sequence: sequence)] =
                sequence % 7 == 0 ? Tombstone.plain.line : LogFixture.line(1, sequence)
        }
        for sequence in 0..<others {
            lines[LineKey(writer: 2, sequence: sequence + 1)] = LogFixture.line(2, sequence + 1)
        }
        return lines
    }

    /// Every line of every file, whoever wins: what `zcat` shows.
    private func everyLine() throws -> [[UInt8]] {
        let found = Monitor<[[UInt8]]>([])
        let survey = try EraseSurvey.run(log.directory, .facts) { _, line in
            found.withLock { $0.append(Array(line)) }
            return .keep
        }
        #expect(survey.lineCount == 0)
        return found.withLock { $0 }
    }

    @Test("a long block beside a chosen line keeps its bytes")
    func longBlock() throws {
        var random = SeededGenerator(seed: 1)
        let long = (0..<2 * LogLimits.longBlockByteCount).map { _ in
            UInt8(ascii: "0") + UInt8(random.next() % 64)
        }
        let writer = try log.writer()
        for line in [LogFixture.line(1, 7), long] {
            _ = writer.append(line, to: .facts, eventTime: 0)
            try writer.flush()
        }
        try writer.close()
        try erase()
        let (lines, report) = try texts()
        #expect(lines[LineKey(writer: 1, sequence: 1)] == Tombstone.plain.line)
        #expect(lines[LineKey(writer: 1, sequence: 2)] == long)
        #expect(report.isClean)
    }

    @Test("the chosen lines are tombstones, segments without any keep their bytes")
    func erases() throws {
        try log.write([30, 40], id: 1)
        try log.write([20], id: 2)
        let other = try #require(try log.segmentNames().last)
        let bytes = try log.bytes(of: other)
        let report = try erase()
        #expect(report.lineCount == 10 && report.rewrittenCount == 1 && report.isComplete)
        let (lines, reading) = try texts()
        #expect(lines == Self.expected(70, 20) && reading.isClean)
        #expect(try log.bytes(of: other) == bytes)
        #expect(try everyLine().allSatisfy { !Self.chosenLines.contains($0) })
        let again = try erase()
        #expect(again.lineCount == 0 && again.rewrittenCount == 0)
    }

    @Test("a follower does not meet again what it had, and meets a tombstone for what it had not")
    func follower() throws {
        try log.write([30, 40], id: 1)
        let name = try #require(try log.segmentNames().first)
        let follower = LogFollower(log.directory, .facts)
        _ = try follower.poll { _ in }
        var half = Position()
        half.insert(SequenceSet(1..<31), of: WriterID(high: 0, low: 1), in: .facts)
        let late = LogFollower(log.directory, .facts, from: half)
        try erase()
        #expect(try follower.poll { _ in Issue.record("delivered again") }.lineCount == 0)
        var seen: [UInt64: [UInt8]] = [:]
        _ = try late.poll { block in block.forEachLine { seen[$0] = Array($1) } }
        #expect(seen.count == 40 && seen[35] == Tombstone.plain.line)
        #expect(seen[36] == LogFixture.line(1, 36))
        #expect(try log.segmentNames().count == 1 && log.segmentNames() != [name])
    }

    @Test("a follower that met a damaged tombstone does not take an older copy for new lines")
    func damagedTombstone() throws {
        var segment = SegmentBuilder()
        segment.block(1, 1...10)
        segment.block(1, 11...14, generation: 1) { _, _ in Tombstone.plain.line }
        var bytes = segment.bytes
        bytes[segment.offsets[1] + 90] ^= 0xff
        try log.put(SegmentBuilder.name(1, 1), bytes)
        let follower = LogFollower(log.directory, .facts)
        #expect(try follower.poll { _ in }.lineCount == 10)
        var old = SegmentBuilder()
        old.block(1, 1...14)
        try log.put(SegmentBuilder.name(1, 1, time: 5), old.bytes)
        #expect(try follower.poll { _ in }.lineCount == 0)
    }

    @Test(
        "an old copy that comes back stays erased, also under its own name, and goes the next time")
    func oldCopy() throws {
        try log.write([30, 40], id: 1)
        let name = try #require(try log.segmentNames().first)
        let bytes = try log.bytes(of: name)
        try erase()
        let erased = try log.segmentNames()
        for copy in [name] + [1, 2_000_000_000].map({ SegmentBuilder.name(1, 1, time: $0) }) {
            try log.put(copy, bytes)
            #expect(try texts().lines == Self.expected(70))
            let follower = LogFollower(log.directory, .facts)
            var seen: Set<[UInt8]> = []
            _ = try follower.poll { block in block.forEachLine { seen.insert(Array($1)) } }
            #expect(seen.isDisjoint(with: Self.chosenLines))
            // Nothing is chosen any more, but what was is known by its tombstones.
            let lock = try #require(try MaintenanceLock.wait(log.directory))
            let eraser = LineEraser(lock, .facts, timing: timing)
            let report = try eraser.run { _, line in
                Tombstone(line) != nil ? .erased : .keep
            }
            #expect(report.isComplete)
            #expect(try everyLine().allSatisfy { !Self.chosenLines.contains($0) })
            #expect(try texts().lines == Self.expected(70))
            #expect(try log.segmentNames() == erased)
        }
    }

    @Test("of a copy that came back with lines of its own, only the erased ones are taken out")
    func partCopy() throws {
        var old = SegmentBuilder()
        old.block(1, 1...20)
        try log.put(SegmentBuilder.name(1, 1), old.bytes)
        try erase()
        var copy = SegmentBuilder()
        copy.block(1, 1...40)
        try log.put(SegmentBuilder.name(1, 1), copy.bytes)
        let lock = try #require(try MaintenanceLock.wait(log.directory))
        let eraser = LineEraser(lock, .facts, timing: timing)
        #expect(try eraser.eraseReturned() == 2)
        #expect(try eraser.eraseReturned() == 0)
        #expect(try everyLine().allSatisfy { $0 != LogFixture.line(1, 7) })
        #expect(try texts().lines[LineKey(writer: 1, sequence: 40)] == LogFixture.line(1, 40))
        #expect(try texts().lines.count == 40)
    }

    @Test("lines that go last go only when none of the others is left, in any segment")
    func last() throws {
        try putSegments()
        let open = try log.writer(2)
        _ = open.append(LogFixture.line(1, 7), to: .facts, eventTime: 0)
        try open.flush()
        let verdict: @Sendable (UnsafeRawBufferPointer) -> LineVerdict = { line in
            if Tombstone(line) != nil { return .erased }
            if line.elementsEqual(LogFixture.line(1, 14)) { return .eraseLast }
            return Self.chosenLines.contains(Array(line)) ? .erase : .keep
        }
        func run() throws -> EraseReport {
            let lock = try #require(try MaintenanceLock.wait(log.directory))
            return try LineEraser(lock, .facts, timing: timing).run { verdict($1) }
        }
        // The writer of the fourth segment does not answer.
        let held = try run()
        #expect(!held.isComplete && held.heldCount == 2 && held.lineCount == 41)
        #expect(try everyLine().contains(LogFixture.line(1, 14)))
        try open.close()
        let rest = try run()
        #expect(rest.isComplete && rest.heldCount == 0 && rest.lineCount == 2)
        #expect(try everyLine().allSatisfy { !Self.chosenLines.contains($0) })
    }

    @Test("what cannot be read goes too, from segments, from aside, and from files in the making")
    func unreadable() throws {
        try log.write([30, 40], id: 1)
        let name = try #require(try log.segmentNames().first)
        var bytes = try log.bytes(of: name)
        bytes[100] ^= 0xff
        try log.replace(name, by: bytes)
        try log.put(".tmp-left-0", Array("half a segment".utf8))
        try log.put("notes.txt", [0x61])
        let lock = try #require(try MaintenanceLock.wait(log.directory))
        let folder = AsideFolder(of: log.directory)
        let facts = try #require(try log.directory.openFolder(of: .facts))
        let handle = try disk.openFile(name, in: facts)
        try folder.keep(0..<50, of: try #require(SegmentName(name)), handle)
        disk.close(handle)
        disk.close(facts)
        let report = try LineEraser(lock, .facts, timing: timing).run { _, line in
            Self.verdict(line)
        }
        #expect(report.unreadableCount == 30 && report.asideCount == 1 && report.isComplete)
        #expect(report.foreignNames == ["notes.txt"])
        #expect(try folder.files(of: .facts).isEmpty)
        #expect(try log.directory.list(.facts).ignored.map(\.name) == ["notes.txt"])
        let (lines, reading) = try texts()
        #expect(lines.count == 40 && reading.isClean && reading.holeCount == 30)
    }

    // MARK: Writers

    @Test("a live writer ends its segment when asked, and its later lines stay")
    func liveWriter() throws {
        let time = ManualClock()
        let writer = try log.writer(1, clock: time)
        for number: UInt64 in 1...20 {
            _ = writer.append(LogFixture.line(1, number), to: .facts, eventTime: 0)
        }
        try writer.flush()
        let pause: @Sendable (Int64) -> Void = { [clock] span in
            clock.advance(by: span)
            time.advance(by: span)
            try? writer.flush()
            _ = writer.append(LogFixture.line(1, 7), to: .facts, eventTime: 0)
            try? writer.flush()
        }
        let report = try erase(timing: MaintenanceTiming(clock: clock, pause: pause))
        #expect(report.isComplete && report.lineCount >= 2)
        #expect(report.laterCount >= 1)
        try writer.close()
        let lines = try everyLine()
        #expect(!lines.contains(LogFixture.line(1, 14)))
        #expect(UInt64(lines.count { $0 == LogFixture.line(1, 7) }) == report.laterCount)
    }

    @Test("a writer that does not answer is waited for, for a while, and named")
    func deafWriter() throws {
        // Its work is done when it is called, and nobody calls it.
        let writer = try log.writer(1)
        for number: UInt64 in 1...20 {
            _ = writer.append(LogFixture.line(1, number), to: .facts, eventTime: 0)
        }
        try writer.flush()
        let name = try #require(try log.segmentNames().first)
        let start = clock.monotonicTime()
        let report = try erase()
        #expect(report.heldNames == [name] && report.heldCount == 2 && report.lineCount == 0)
        #expect(clock.monotonicTime() - start == LogLimits.rollPatience)
        #expect(!report.isComplete)
        try writer.close()
        #expect(try erase().lineCount == 2)
    }

    @Test("a segment of a writer that just died is waited for until it is surely dead")
    func recentlyDead() throws {
        var dead = SegmentBuilder()
        dead.block(1, 1...20)
        try log.put(SegmentBuilder.name(1, 1), dead.bytes)
        let listing = try log.directory.list(.facts).segments
        clock.setWall(try #require(listing.first).status.modified / 1_000)
        let report = try erase()
        #expect(report.isComplete && report.lineCount == 2)
        #expect(try texts().lines == Self.expected(20))
        #expect(try texts().report.segments.map(\.state) == [.merged])
    }

    // MARK: Interruptions

    private func putSegments() throws {
        try log.clear()
        for (number, start) in [UInt64(1), 101, 201].enumerated() {
            var builder = SegmentBuilder()
            builder.block(1, start...(start + 49))
            builder.block(1, (start + 50)...(start + 99))
            builder.seal(1, start...(start + 99), start == 201 ? [.seal, .final] : .seal)
            try log.put(SegmentBuilder.name(1, number + 1), builder.bytes)
        }
    }

    @Test("killed at any call it leaves lines as they were or erased, and goes on when run again")
    func kills() throws {
        try putSegments()
        try erase()
        try putSegments()
        _ = disk.takeCalls()
        try erase()
        let callCount = disk.takeCalls().count
        let whole = Self.expected(300)
        for count in 0..<callCount {
            try putSegments()
            disk.set { $0.callsUntilDeath = count }
            #expect(throws: LogError.self) { try erase() }
            disk.set { $0.callsUntilDeath = nil }
            let (lines, report) = try texts()
            #expect(report.isClean && lines.count == 300, "call \(count)")
            for (key, line) in lines where line != whole[key] {
                #expect(line == LogFixture.line(1, key.sequence), "call \(count)")
            }
            try erase()
            #expect(try texts().lines == whole, "call \(count)")
            #expect(try log.segmentNames().count == 3)
            #expect(try log.directory.list(.facts).ignored.isEmpty)
        }
    }

    @Test("killed at any call, lines that go last are there as long as one of the others is")
    func killsBeforeLast() throws {
        // Each segment holds some of both.
        let last = Set(
            stride(from: UInt64(21), through: 300, by: 21).map { LogFixture.line(1, $0) })
        func run() throws {
            let lock = try #require(try MaintenanceLock.wait(log.directory))
            _ = try LineEraser(lock, .facts, timing: timing).run { _, line in
                last.contains(Array(line)) ? .eraseLast : Self.verdict(line)
            }
        }
        try putSegments()
        try run()
        try putSegments()
        _ = disk.takeCalls()
        try run()
        for count in 0..<disk.takeCalls().count {
            try putSegments()
            disk.set { $0.callsUntilDeath = count }
            #expect(throws: LogError.self) { try run() }
            disk.set { $0.callsUntilDeath = nil }
            let left = Set(try everyLine()).intersection(Self.chosenLines)
            #expect(left.isSubset(of: last) || last.isSubset(of: left), "call \(count)")
            try run()
            #expect(try texts().lines == Self.expected(300), "call \(count)")
        }
    }

    @Test("a disk that fills up in the middle keeps what is done, and the next run does the rest")
    func fullDisk() throws {
        try putSegments()
        try erase()
        let byteCount = try log.bytes(of: try #require(try log.segmentNames().first)).count
        try putSegments()
        disk.set { $0.freeByteCount = byteCount * 3 / 2 }
        #expect { try erase() } throws: { ($0 as? LogError)?.isNoSpace == true }
        disk.set { $0.freeByteCount = nil }
        let (lines, report) = try texts()
        #expect(report.isClean && lines.count == 300)
        let erasedCount = lines.values.count { $0 == Tombstone.plain.line }
        #expect(erasedCount > 0 && erasedCount < 42)
        try erase()
        #expect(try texts().lines == Self.expected(300))
    }
}
