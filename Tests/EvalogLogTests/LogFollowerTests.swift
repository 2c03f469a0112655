// Following: each line once, whatever happens to the files.

import TestSupport
import Testing

@testable import EvalogLog

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("Following a log")
struct LogFollowerTests {
    private let log = LogFixture()
    private let clock = ManualClock()

    private func append(_ numbers: ClosedRange<UInt64>, _ id: UInt64 = 1, to writer: LogWriter)
        throws
    {
        for number in numbers {
            _ = writer.append(LogFixture.line(id, number), to: .facts, eventTime: 0)
        }
        clock.advance(by: 1_000)
        try writer.flush()
    }

    private func poll(_ follower: LogFollower) throws -> [LineKey] {
        let collector = LineCollector()
        let report = try follower.poll { collector.add($0) }
        #expect(collector.wrongCount == 0)
        #expect(report.lineCount == UInt64(collector.unsorted.count))
        return collector.unsorted
    }

    @Test("new lines come with the next poll, once")
    func grows() throws {
        let writer = try log.writer(clock: clock)
        try append(1...3, to: writer)
        let follower = LogFollower(log.directory, .facts)
        #expect(try poll(follower) == keys(1, 1...3))
        #expect(try poll(follower).isEmpty)
        try append(4...5, to: writer)
        #expect(try poll(follower) == keys(1, 4...5))
        try writer.close()
        #expect(try poll(follower).isEmpty)
    }

    @Test("rolls, new writers, copies and deletions neither repeat nor hide a line")
    func throughChanges() throws {
        let writer = try log.writer(1, clock: clock)
        let follower = LogFollower(log.directory, .facts)
        try append(1...3, to: writer)
        #expect(try poll(follower) == keys(1, 1...3))
        writer.roll()
        try append(4...6, to: writer)
        writer.roll()
        try append(7...7, to: writer)
        #expect(try poll(follower) == keys(1, 4...7))

        let names = try log.segmentNames()
        #expect(names.count == 3)
        try log.put(SegmentBuilder.name(5, 9), try log.bytes(of: names[1]))
        unlink("\(log.factsPath)/\(names[0])")
        let other = try log.writer(2, clock: clock)
        try append(1...2, 2, to: other)
        #expect(try poll(follower) == keys(2, 1...2))
        try append(8...8, to: writer)
        try append(3...3, 2, to: other)
        #expect(try poll(follower) == keys(1, 8...8) + keys(2, 3...3))
        try writer.close()
        try other.close()
        #expect(try poll(follower).isEmpty)
    }

    @Test("a merged file in place of its sources brings only what is new")
    func merged() throws {
        var first = SegmentBuilder()
        first.block(1, 1...5)
        first.seal(1, 1...5, .seal)
        try log.put(SegmentBuilder.name(1, 1), first.bytes)
        let follower = LogFollower(log.directory, .facts)
        #expect(try poll(follower) == keys(1, 1...5))
        var all = SegmentBuilder()
        all.block(1, 1...9)
        all.seal(1, 1...9, .seal)
        all.block(2, 1...2)
        all.seal(2, 1...2, [.seal, .final, .mergedEnd])
        try log.put(SegmentBuilder.name(9, 0), all.bytes)
        unlink("\(log.factsPath)/\(SegmentBuilder.name(1, 1))")
        let collector = LineCollector()
        let report = try follower.poll { collector.add($0) }
        #expect(collector.lines == keys(1, 6...9) + keys(2, 1...2))
        #expect(report.vanished == [SegmentBuilder.name(1, 1)])
    }

    @Test("a copy with the original cut to nothing repeats nothing and is reported")
    func copyTruncate() throws {
        let writer = try log.writer(clock: clock)
        try append(1...4, to: writer)
        let follower = LogFollower(log.directory, .facts)
        #expect(try poll(follower) == keys(1, 1...4))
        let name = try #require(try log.segmentNames().first)
        try log.put(SegmentBuilder.name(1, 1, time: 1), try log.bytes(of: name))
        truncate("\(log.factsPath)/\(name)", 0)
        let collector = LineCollector()
        let report = try follower.poll { collector.add($0) }
        #expect(collector.lines.isEmpty)
        #expect(report.truncated == [name])
        try append(1...2, to: writer)
        #expect(try poll(follower) == keys(1, 1...2))
    }

    @Test("files that begin empty and grow in reverse order are followed once each")
    func emptyFiles() throws {
        let names: [String] = (1...3).map { SegmentBuilder.name($0, 1) }
        for name in names { try log.put(name, []) }
        let follower = LogFollower(log.directory, .facts)
        #expect(try poll(follower).isEmpty)
        for id: UInt64 in [3, 2, 1] {
            var builder = SegmentBuilder()
            builder.block(id, 1...4)
            try log.put(names[Int(id) - 1], builder.bytes)
            #expect(try poll(follower) == keys(id, 1...4))
        }
    }

    @Test("damage is reported once and passed over")
    func damage() throws {
        var builder = SegmentBuilder()
        builder.block(1, 1...5)
        builder.block(1, 6...9)
        builder.block(1, 10...12)
        var bytes = builder.bytes
        bytes[builder.offsets[1] + 92] ^= 0xff
        try log.put(SegmentBuilder.name(1, 1), bytes)
        let follower = LogFollower(log.directory, .facts)
        let collector = LineCollector()
        let report = try follower.poll { collector.add($0) }
        #expect(collector.lines == keys(1, 1...5) + keys(1, 10...12))
        #expect(report.damages.map(\.reason) == [.dataChecksum])
        for _ in 0..<3 {
            let report = try follower.poll { _ in }
            #expect(report.damages.isEmpty && report.lineCount == 0)
        }
    }

    @Test("half a block of a live writer is waited for, and comes when it is whole")
    func inFlight() throws {
        var builder = SegmentBuilder()
        builder.block(1, 1...5)
        builder.block(1, 6...9)
        let name = SegmentBuilder.name(1, 1)
        let path = "\(log.factsPath)/\(name)"
        try log.put(name, [])
        let number = open(path, O_RDWR)
        #expect(flock(number, LOCK_EX | LOCK_NB) == 0)
        let follower = LogFollower(log.directory, .facts)
        var delivered = 0
        for length in [
            60, builder.offsets[1], builder.offsets[1] + 30, builder.bytes.count - 3,
            builder.bytes.count,
        ] {
            pwrite(number, builder.bytes, length, 0)
            let collector = LineCollector()
            let report = try follower.poll { collector.add($0) }
            let whole = length == builder.bytes.count ? 9 : length >= builder.offsets[1] ? 5 : 0
            #expect(collector.lines == Array(keys(1, 1...9)[delivered..<whole]))
            #expect(report.damages.isEmpty)
            #expect(try log.read().report.isClean)
            delivered = whole
        }
        close(number)
    }

    @Test("a position resumes exactly, in a new follower too")
    func resumes() throws {
        let writer = try log.writer(clock: clock)
        try append(1...10, to: writer)
        let first = LogFollower(log.directory, .facts)
        #expect(try poll(first).count == 10)
        try append(11...12, to: writer)
        try writer.close()
        let text = first.position.text
        let second = LogFollower(log.directory, .facts, from: try Position(text: text))
        #expect(try poll(second) == keys(1, 11...12))
        #expect(try poll(LogFollower(log.directory, .facts, from: second.position)).isEmpty)
    }

    @Test("lines whose consumer failed come again, those before it do not")
    func consumerFails() throws {
        struct Stop: Error {}
        try log.write([2, 3, 4])
        let follower = LogFollower(log.directory, .facts)
        let collector = LineCollector()
        #expect(throws: Stop.self) {
            try follower.poll { block in
                if block.header.first == 3 { throw Stop() }
                collector.add(block)
            }
        }
        #expect(collector.lines == keys(1, 1...2))
        #expect(try poll(follower) == keys(1, 3...9))
    }

    @Test("a clock set back or far ahead holds nothing up")
    func clockJumps() throws {
        let writer = try log.writer(clock: clock)
        let follower = LogFollower(log.directory, .facts)
        for (number, time) in [(1, 5), (2, 900_000_000_000_000), (3, 7), (4, -5)]
            as [(UInt64, Int64)]
        {
            clock.setWall(time)
            try append(number...number, to: writer)
            writer.roll()
            #expect(try poll(follower) == keys(1, number...number))
        }
        try writer.close()
        let other = LogFollower(log.directory, .facts)
        #expect(try poll(other) == keys(1, 1...4))
    }

    @Test("between polls no file is open, and unchanged segments are not opened")
    func descriptors() throws {
        let disk = FaultyDisk()
        let log = LogFixture(disk: disk)
        for id: UInt64 in 1...30 { try log.write([1], id: id) }
        let follower = LogFollower(log.directory, .facts)
        _ = try follower.poll { _ in }
        _ = disk.takeCalls()
        _ = try follower.poll { _ in }
        #expect(!disk.takeCalls().contains(.open))
    }

    @Test(
        "a follower sees what a reader sees, through random lives",
        arguments: 0..<40 as Range<UInt64>)
    func random(seed: UInt64) throws {
        var random = SplitMix(seed)
        try log.directory.make()
        let follower = LogFollower(log.directory, .facts)
        let seen = LineCollector()
        var writers: [UInt64: LogWriter] = [:]
        var numbers: [UInt64: UInt64] = [:]
        for _ in 0..<60 {
            let id = 1 + random.next() % 3
            switch random.next() % 8 {
            case 0:
                try writers.removeValue(forKey: id)?.close()
                numbers[id] = nil
            case 1: writers[id]?.roll()
            case 2, 3: _ = try follower.poll { seen.add($0) }
            case 4:
                let names = try log.segmentNames()
                if let name = names.randomElement(using: &random) {
                    try log.put(
                        SegmentBuilder.name(50, Int(random.next() % 99 + 1)),
                        try log.bytes(of: name))
                }
            default:
                // A writer id is used once.
                let own = "-\(WriterID(high: 0, low: id))-"
                let isUsed = try log.segmentNames().contains { $0.contains(own) }
                guard writers[id] != nil || !isUsed else { break }
                let writer = try writers[id] ?? log.writer(id, clock: clock)
                writers[id] = writer
                let start = (numbers[id] ?? 0) + 1
                let end = start + random.next() % 9
                try append(start...end, id, to: writer)
                numbers[id] = end
            }
        }
        for writer in writers.values { try writer.close() }
        _ = try follower.poll { seen.add($0) }
        let lines = seen.unsorted
        #expect(seen.lines == (try log.read().lines))
        for id: UInt64 in 1...3 {
            let own = lines.filter { $0.writer == id }.map(\.sequence)
            #expect(own == own.sorted())
        }
    }
}
