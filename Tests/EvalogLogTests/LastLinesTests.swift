// The newest lines: which they are, and what damage and change do to them.

import TestSupport
import Testing

@testable import EvalogLog

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("The last lines")
struct LastLinesTests {
    private let log = LogFixture()
    private let clock = ManualClock()

    private func append(
        _ numbers: ClosedRange<UInt64>, _ id: UInt64 = 1, to writer: LogWriter
    ) throws {
        for number in numbers {
            _ = writer.append(LogFixture.line(id, number), to: .facts, eventTime: 0)
            clock.advance(by: 10)
        }
        try writer.flush()
    }

    private func poll(_ follower: LogFollower) throws -> [LineKey] {
        let collector = LineCollector()
        _ = try follower.poll { collector.add($0) }
        return collector.unsorted
    }

    private func last(_ count: Int) throws -> (lines: [LineKey], report: LastLinesReport) {
        let collector = LineCollector()
        let report = try readLastLines(count, of: log.directory, .facts) { collector.add($0) }
        #expect(collector.wrongCount == 0)
        return (collector.unsorted, report)
    }

    /// Changes a byte in the data of blocks of a segment, by their number in it.
    private func damage(_ name: String, blocks: [Int]) throws {
        let catalog = try LogCatalog.scan(log.directory, .facts)
        let offsets = catalog.headers
            .filter { catalog.segments[$0.segment].name.description == name }.map(\.offset)
        var bytes = try log.bytes(of: name)
        for block in blocks { bytes[Int(offsets[block]) + 95] ^= 0x10 }
        try log.replace(name, by: bytes)
    }

    @Test(
        "the last lines are the newest by append time, oldest first",
        arguments: [0, 1, 5, 9, 12, 100])
    func lastLines(count: Int) throws {
        let first = try log.writer(1, clock: clock)
        let second = try log.writer(2, clock: clock)
        try append(1...4, to: first)
        try append(1...3, 2, to: second)
        first.roll()
        try append(5...7, to: first)
        try first.close()
        try append(4...5, 2, to: second)
        let collector = LineCollector()
        let report = try readLastLines(count, of: log.directory, .facts) { collector.add($0) }
        let all = keys(1, 1...4) + keys(2, 1...3) + keys(1, 5...7) + keys(2, 4...5)
        #expect(collector.unsorted == Array(all.suffix(count)))
        let follower = LogFollower(log.directory, .facts, from: report.position)
        #expect(try poll(follower).isEmpty)
        try append(6...6, 2, to: second)
        #expect(try poll(follower) == keys(2, 6...6))
        try second.close()
    }

    @Test("the last lines of many closed segments cost one small read for each")
    func lastLinesOfMany() throws {
        let disk = FaultyDisk()
        let log = LogFixture(disk: disk)
        for id: UInt64 in 1...100 {
            let writer = try log.writer(id, clock: clock)
            for number: UInt64 in 1...3 {
                _ = writer.append(LogFixture.line(id, number), to: .facts, eventTime: 0)
                clock.advance(by: 10)
                try writer.flush()
            }
            try writer.close()
        }
        _ = disk.takeCalls()
        let collector = LineCollector()
        let report = try readLastLines(4, of: log.directory, .facts) { collector.add($0) }
        #expect(collector.unsorted == keys(99, 3...3) + keys(100, 1...3))
        #expect(disk.takeCalls().filter { $0 == .read }.count < 2 * 100 + 30)
        #expect(report.position[.facts].count == 100)
    }

    @Test("copies do not take the place of other lines among the last")
    func lastLinesWithCopies() throws {
        try log.write([2, 2, 2])
        let name = try #require(try log.segmentNames().first)
        for number in 1...4 { try log.put(SegmentBuilder.name(8, number), try log.bytes(of: name)) }
        let collector = LineCollector()
        _ = try readLastLines(5, of: log.directory, .facts) { collector.add($0) }
        #expect(collector.unsorted == keys(1, 2...6))
    }

    // MARK: Damage

    @Test(
        "older lines take the place of damaged ones, and the damage is told, once",
        arguments: [false, true])
    func damaged(isClosed: Bool) throws {
        let writer = try log.write([20, 20, 20, 20, 20], closing: isClosed)
        let name = try #require(try log.segmentNames().first)
        try damage(name, blocks: [2, 4])
        let (lines, report) = try last(45)
        #expect(lines == keys(1, 16...40) + keys(1, 61...80))
        #expect(report.damages.map(\.reason) == [.dataChecksum, .dataChecksum])
        #expect(report.damages.map(\.segment) == [name, name])
        #expect(try last(5).report.damages.count == 1)
        let follower = LogFollower(
            log.directory, .facts, from: report.position, knowing: report.damages)
        #expect(try follower.poll { _ in }.damages.isEmpty)
        try writer.close()
        #expect(try poll(follower).isEmpty)
    }

    @Test("older lines come from older segments where the newest one is damaged")
    func damagedSegment() throws {
        let writer = try log.writer(clock: clock)
        for start: UInt64 in [1, 11, 21] {
            try append(start...(start + 9), to: writer)
            writer.roll()
        }
        try writer.close()
        let names = try log.segmentNames()
        for name in names.dropFirst() { try damage(name, blocks: [0]) }
        let (lines, report) = try last(3)
        #expect(lines == keys(1, 8...10))
        #expect(report.damages.map(\.segment) == Array(names.dropFirst()))
    }

    @Test("another copy stands in for a damaged block")
    func damagedCopy() throws {
        try log.write([20, 20])
        let name = try #require(try log.segmentNames().first)
        try log.put(SegmentBuilder.name(8, 2), try log.bytes(of: name))
        for name in try log.segmentNames() {
            try damage(name, blocks: name.contains("00000008-") ? [0] : [1])
        }
        #expect(try last(30).lines == keys(1, 11...40))
    }

    @Test("a file that vanishes between two blocks costs no line where another has them")
    func vanishes() throws {
        let writer = try log.writer(clock: clock)
        try append(1...3, to: writer)
        writer.roll()
        try append(4...6, to: writer)
        let names = try log.segmentNames()
        let collector = LineCollector()
        let report = try readLastLines(5, of: log.directory, .facts) { block in
            collector.add(block)
            guard block.header.first == 1 else { return }
            rename("\(log.factsPath)/\(names[1])", "\(log.factsPath)/\(SegmentBuilder.name(8, 2))")
            try append(1...9, 2, to: try log.writer(2, clock: clock))
        }
        #expect(collector.unsorted == keys(1, 2...6))
        // What came meanwhile comes next.
        let follower = LogFollower(log.directory, .facts, from: report.position)
        #expect(try poll(follower) == keys(2, 1...9))
    }
}
