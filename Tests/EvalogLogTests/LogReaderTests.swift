// Reading: positions, filters, threads, and errors that are no damage.

import TestSupport
import Testing

@testable import EvalogLog

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("Reading a log")
struct LogReaderTests {
    @Test("each line comes once for any number of threads", arguments: 1...5)
    func threads(count: Int) throws {
        let log = LogFixture()
        for id: UInt64 in 1...3 { try log.write([7, 100, 1, 1, 60, 3, 3, 3, 40], id: id) }
        let collector = LineCollector()
        let report = try readLog(log.directory, .facts, threads: count) { worker, block in
            #expect(worker < count)
            collector.add(block)
        }
        #expect(collector.lines == (1...3).flatMap { keys($0, 1...218) })
        #expect(collector.wrongCount == 0)
        #expect(report.lineCount == 654)
        #expect(report.position[.facts].values.allSatisfy { $0.ranges == [1..<219] })
    }

    @Test("one thread gets the lines in the order of segments and sequences")
    func order() throws {
        let log = LogFixture()
        try log.write([5, 50, 5])
        let collector = LineCollector()
        try readLog(log.directory, .facts) { _, block in collector.add(block) }
        #expect(collector.unsorted == keys(1, 1...60))
    }

    @Test("a position leaves out what was read before, inside blocks too")
    func fromPosition() throws {
        let log = LogFixture()
        try log.write([10, 10])
        var position = Position()
        position.insert(SequenceSet(3..<15), of: WriterID(high: 0, low: 1), in: .facts)
        let (lines, report) = try log.read(from: position)
        #expect(lines == keys(1, 1...2) + keys(1, 15...20))
        #expect(report.lostCount == 0)
        #expect(try log.read(from: report.position).lines.isEmpty)
    }

    @Test("blocks that are not wanted are neither inflated nor lost")
    func filter() throws {
        let log = LogFixture()
        try log.write([10, 10, 10])
        let collector = LineCollector()
        let report = try readLog(
            log.directory, .facts, where: { $0.leastEventTime > 10 && $0.greatestEventTime <= 20 }
        ) { _, block in collector.add(block) }
        #expect(collector.lines == keys(1, 11...20))
        #expect(report.isClean)
        #expect(report.writers.map(\.skippedCount) == [20])
        #expect(report.position[.facts].values.map(\.ranges) == [[11..<21]])
    }

    @Test("what the body throws stops the reading and comes out", arguments: [1, 3])
    func bodyThrows(threads: Int) throws {
        struct Enough: Error {}
        let log = LogFixture()
        try log.write([Int](repeating: 2, count: 50))
        let calls = Monitor(0)
        #expect(throws: Enough.self) {
            try readLog(log.directory, .facts, threads: threads) { _, _ in
                let count = calls.withLock { count in
                    count += 1
                    return count
                }
                if count == 5 { throw Enough() }
            }
        }
        #expect(calls.withLock { $0 } < 50)
    }

    /// Long lines between short ones, each in a block of its own.
    private func longBlocks() throws -> LogFixture {
        let log = LogFixture()
        let writer = try log.writer()
        for number in 1...16 {
            let byteCount = number % 3 == 0 ? 10 : LogLimits.longBlockByteCount + number
            let line = [UInt8](repeating: UInt8(ascii: "x"), count: byteCount)
            _ = writer.append(line, to: .facts, eventTime: 0)
            try writer.flush()
        }
        try writer.close()
        return log
    }

    @Test("however many threads read, one at a time holds a long block", arguments: [1, 8])
    func oneLongBlock(threads: Int) throws {
        let log = try longBlocks()
        let held = Monitor((now: 0, most: 0, lines: UInt64(0)))
        try readLog(log.directory, .facts, threads: threads) { _, block in
            guard block.text.count > LogLimits.longBlockByteCount else {
                held.withLock { $0.lines += 1 }
                return
            }
            held.withLock { state in
                state.now += 1
                state.most = max(state.most, state.now)
            }
            usleep(2_000)
            held.withLock { state in
                state.now -= 1
                state.lines += 1
            }
        }
        #expect(held.withLock { $0.most } == 1)
        #expect(held.withLock { $0.lines } == 16)
    }

    @Test("a body that throws over a long block lets the other threads go on")
    func longBlockThrows() throws {
        struct Enough: Error {}
        let log = try longBlocks()
        #expect(throws: Enough.self) {
            try readLog(log.directory, .facts, threads: 8) { _, block in
                if block.text.count > LogLimits.longBlockByteCount { throw Enough() }
            }
        }
    }

    @Test("progress ends at the total")
    func progress() throws {
        let log = LogFixture()
        try log.write([Int](repeating: 2, count: 50))
        let last = Monitor<ReadProgress?>(nil)
        try readLog(
            log.directory, .facts, progress: { seen in last.withLock { $0 = seen } }
        ) { _, _ in }
        let seen = try #require(last.withLock { $0 })
        #expect(seen.byteCount == seen.byteCountTotal)
        #expect(seen.lineCount == 100)
    }

    @Test("a catalog that is known saves a look, and what came later stays out")
    func knownCatalog() throws {
        let disk = FaultyDisk()
        let log = LogFixture(disk: disk)
        try log.write([2, 2], id: 1)
        let catalog = try LogCatalog.scan(log.directory, .facts)
        try log.write([3], id: 2)
        _ = disk.takeCalls()
        let collector = LineCollector()
        try readLog(log.directory, .facts, catalog: catalog) { _, block in collector.add(block) }
        #expect(collector.lines == keys(1, 1...4))
        #expect(!disk.takeCalls().contains(.list))
    }

    @Test("where files moved since the catalog was made, it looks again")
    func outdatedCatalog() throws {
        let log = LogFixture()
        try log.write([2, 2])
        let catalog = try LogCatalog.scan(log.directory, .facts)
        let name = try #require(try log.segmentNames().first)
        rename("\(log.factsPath)/\(name)", "\(log.factsPath)/\(SegmentBuilder.name(8, 2))")
        let collector = LineCollector()
        try readLog(log.directory, .facts, catalog: catalog) { _, block in collector.add(block) }
        #expect(collector.lines == keys(1, 1...4))
    }

    @Test("text behind a block may be read as padding")
    func padding() throws {
        let log = LogFixture()
        try log.write([1, 3])
        try readLog(log.directory, .facts) { _, block in
            let start = block.text.baseAddress.map { $0 + block.text.count }
            let behind = UnsafeRawBufferPointer(start: start, count: LogLimits.slackByteCount)
            #expect(behind.reduce(0) { $0 | $1 } <= 0xff)
        }
    }

    // MARK: Errors

    @Test(
        "a file that cannot be read is an error, never the end of the log",
        arguments: [DiskError.Operation.open, .read, .status, .list], [EIO, EACCES])
    func readError(operation: DiskError.Operation, code: Int32) throws {
        let disk = FaultyDisk()
        let log = LogFixture(disk: disk)
        try log.write([10, 10])
        let before = try log.bytes(of: try #require(try log.segmentNames().first))
        for skipped in 0..<6 {
            disk.set { $0.next[operation] = [Int32](repeating: 0, count: skipped) + [code] }
            _ = disk.takeCalls()
            do {
                let (lines, _) = try log.read()
                // Only where the failing call was never made.
                #expect(disk.takeCalls().filter { $0 == operation }.count <= skipped)
                #expect(lines == keys(1, 1...20))
            } catch LogError.disk(let error) {
                #expect(error.code == code && error.operation == operation)
                #expect(error.path.hasPrefix(log.directory.path))
            }
            disk.set { $0.next = [:] }
        }
        #expect(try log.bytes(of: try #require(try log.segmentNames().first)) == before)
    }

    @Test("a segment without read permission is an error with its path")
    func unreadable() throws {
        let log = LogFixture()
        try log.write([10])
        let name = try #require(try log.segmentNames().first)
        chmod("\(log.factsPath)/\(name)", 0)
        defer { chmod("\(log.factsPath)/\(name)", 0o600) }
        if access("\(log.factsPath)/\(name)", R_OK) == 0 {
            print("skipped: this user may read everything")
            return
        }
        #expect(
            throws: LogError.disk(
                DiskError(operation: .open, path: "\(log.factsPath)/\(name)", code: EACCES))
        ) { try log.read() }
    }

    @Test("a segment replaced while it is read is looked up again")
    func replacedMeanwhile() throws {
        let log = LogFixture()
        try log.write([1, 1, 1, 1, 1, 1, 1, 1, 1, 1])
        let name = try #require(try log.segmentNames().first)
        let bytes = try log.bytes(of: name)
        let collector = LineCollector()
        let isReplaced = Monitor(false)
        let path = log.factsPath
        let report = try readLog(log.directory, .facts) { _, block in
            collector.add(block)
            let isFirst = isReplaced.withLock { done in
                defer { done = true }
                return !done
            }
            if isFirst {
                try writeFile("\(path)/\(SegmentBuilder.name(1, 0))", bytes)
                unlink("\(path)/\(name)")
            }
        }
        #expect(collector.lines == keys(1, 1...10))
        #expect(report.lostCount == 0)
    }
}
