// A disk that fills up, fails and lies, and what the writer makes of it.

import TestSupport
import Testing

@_spi(ContentStream) @testable import EvalogLog

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("A writer on a faulty disk")
struct WriterFaultTests {
    private let disk: FaultyDisk
    private let log: LogFixture
    private let clock = ManualClock()

    init() {
        disk = FaultyDisk()
        log = LogFixture(disk: disk)
    }

    private func append(_ numbers: ClosedRange<UInt64>, to writer: LogWriter) {
        for number in numbers {
            _ = writer.append(LogFixture.line(1, number), to: .facts, eventTime: 0)
        }
    }

    @Test(
        "a full disk is reported by flush, and the lines are written once there is space",
        arguments: [0, 1, 50, 200])
    func fullDisk(freeByteCount: Int) throws {
        let writer = try log.writer(clock: clock)
        append(1...10, to: writer)
        try writer.flush()
        disk.set { $0.freeByteCount = freeByteCount }
        append(11...30, to: writer)
        #expect(throws: LogError.self) { try writer.flush() }
        // Whatever part was written is cut back to the last whole block.
        var (lines, report) = try log.read()
        #expect(lines == keys(1, 1...10))
        #expect(report.isClean)
        disk.set { $0.freeByteCount = nil }
        append(31...40, to: writer)
        try writer.close()
        (lines, report) = try log.read()
        #expect(lines == keys(1, 1...40))
        #expect(report.isClean)
        #expect(report.segments.count == 1)
    }

    @Test("a disk full from the start leaves no file behind and loses nothing later")
    func fullFromStart() throws {
        disk.set { $0.always[.makeFolder] = ENOSPC }
        let writer = try log.writer(clock: clock)
        append(1...3, to: writer)
        #expect(throws: LogError.self) { try writer.flush() }
        disk.set {
            $0.always = [:]
            $0.freeByteCount = 60
        }
        #expect(throws: LogError.self) { try writer.flush() }
        #expect(try log.segmentNames().isEmpty)
        #expect(try log.directory.list(.facts).ignored.isEmpty)
        disk.set { $0.freeByteCount = nil }
        try writer.close()
        #expect(try log.read().lines == keys(1, 1...3))
    }

    @Test("while space is short content is refused first, then facts, never waited for")
    func shortage() throws {
        let writer = try log.writer(clock: clock)
        disk.set { $0.always[.create] = ENOSPC }
        append(1...1, to: writer)
        #expect(throws: LogError.self) { try writer.flush() }
        let content = LogStream.content(ContentToken())
        #expect(writer.append([0x61], to: content, eventTime: 0) == .refused(.noSpace))
        var accepted: UInt64 = 1
        let line = [UInt8](repeating: 0x61, count: 60_000)
        while writer.append(line, to: .facts, eventTime: 0) != .refused(.noSpace) { accepted += 1 }
        #expect(accepted > 30)
        // The reserve is there for the line that tells of it.
        #expect(
            writer.appendReserved([0x62], to: .facts, eventTime: 0)
                == .accepted(sequence: accepted + 1))
        #expect(writer.appendWaiting(line, to: .facts, eventTime: 0) == .refused(.noSpace))
        let refusals = writer.takeRefusals()
        #expect(refusals.map(\.stream) == [.facts, .content])
        #expect(refusals.map(\.count) == [2, 1])
        #expect(refusals.allSatisfy { $0.cause == .noSpace })
        disk.set { $0.always = [:] }
        try writer.close()
        #expect(try readLog(log.directory, .facts) { _, _ in }.lineCount == accepted + 1)
    }

    @Test("failed writes are tried again after a while without being asked to")
    func retries() throws {
        let writer = try log.writer(clock: clock)
        disk.set { $0.next[.create] = [ENOSPC, ENOSPC] }
        append(1...2, to: writer)
        #expect(throws: LogError.self) { try writer.flush() }
        _ = disk.takeCalls()
        append(3...3, to: writer)
        #expect(!disk.takeCalls().contains(.create))
        clock.advance(by: LogLimits.retryDelay)
        append(4...4, to: writer)
        #expect(disk.takeCalls().contains(.create))
        clock.advance(by: 2 * LogLimits.retryDelay)
        append(5...5, to: writer)
        #expect(try log.read().lines.count >= 3)
        try writer.close()
        #expect(try log.read().lines == keys(1, 1...5))
    }

    @Test("short writes are finished", arguments: [1, 7, 100])
    func shortWrites(byteCount: Int) throws {
        disk.set {
            $0.writeByteCountMax = byteCount
            $0.readByteCountMax = byteCount
        }
        try log.write([10, 10])
        #expect(try log.read().lines == keys(1, 1...20))
    }

    @Test("where a short write cannot be cut back the segment is given up and nothing is lost")
    func cutFails() throws {
        let writer = try log.writer(clock: clock)
        append(1...10, to: writer)
        try writer.flush()
        disk.set {
            $0.freeByteCount = 50
            $0.always[.truncate] = EIO
        }
        append(11...20, to: writer)
        #expect(throws: LogError.self) { try writer.flush() }
        disk.set {
            $0.freeByteCount = nil
            $0.always = [:]
        }
        try writer.close()
        let (lines, report) = try log.read()
        #expect(lines == keys(1, 1...20))
        #expect(report.segments.map(\.state) == [.dead, .closed])
        #expect(report.damages.map(\.reason) == [.tornTail])
        #expect(report.lostCount == 0 && !report.hasUnknownLoss)
    }

    @Test(
        "a write that fails for good moves the writer to a new segment",
        arguments: [EIO, ESTALE, EBADF])
    func writeFails(code: Int32) throws {
        let writer = try log.writer(clock: clock)
        append(1...10, to: writer)
        try writer.flush()
        disk.set { $0.next[.write] = [code] }
        append(11...20, to: writer)
        #expect(throws: LogError.self) { try writer.flush() }
        try writer.close()
        let (lines, report) = try log.read()
        #expect(lines == keys(1, 1...20))
        #expect(report.isClean)
        #expect(report.segments.count == 2)
    }

    @Test(
        "faults of any kind lose nothing that a later close confirms",
        arguments: 0..<150 as Range<UInt64>)
    func anyFaults(seed: UInt64) throws {
        var random = SplitMix(seed)
        let operations: [DiskError.Operation] = [
            .write, .truncate, .syncFile, .syncFolder, .create, .link, .unlink, .lock, .status,
            .openFolder,
        ]
        var segments = SegmentPolicy()
        segments.byteCountMax = 900
        let writer = try log.writer(
            durability: seed % 2 == 0 ? .synced : .buffered, segments: segments, clock: clock)
        var number: UInt64 = 0
        var flushed: UInt64 = 0
        for _ in 0..<30 {
            let count = random.next() % 20
            if count > 0 { append((number + 1)...(number + count), to: writer) }
            number += count
            let operation = operations[Int(random.next() % UInt64(operations.count))]
            let code = [ENOSPC, EIO, 0, 0][Int(random.next() % 4)]
            disk.set { $0.next[operation] = [code, 0, code] }
            if random.next() % 3 == 0 { disk.set { $0.freeByteCount = Int(random.next() % 900) } }
            clock.advance(by: Int64(random.next() % 3_000_000))
            if (try? writer.flush()) != nil { flushed = number }
            disk.set {
                $0.next = [:]
                $0.freeByteCount = nil
            }
            let lines = try log.read().lines
            #expect(Set(keys(1, 1...max(1, flushed))).isSubset(of: lines) || flushed == 0)
        }
        try writer.close()
        let (lines, report) = try log.read()
        #expect(lines == (number == 0 ? [] : keys(1, 1...number)))
        #expect(report.lostCount == 0 && !report.hasUnknownLoss)
        #expect(report.damages.allSatisfy { $0.reason == .tornTail || $0.reason == .empty })
    }

    // MARK: The file under the writer

    @Test("a segment deleted under its writer is replaced, and what may be lost is counted")
    func deleted() throws {
        let writer = try log.writer(clock: clock)
        append(1...10, to: writer)
        try writer.flush()
        let name = try #require(try log.segmentNames().first)
        unlink("\(log.factsPath)/\(name)")
        append(1...5, to: writer)
        try writer.flush()
        #expect(writer.takeRefusals().map(\.count) == [10])
        #expect(writer.writerID(of: .facts) == WriterID(high: 1, low: 1))
        append(6...6, to: writer)
        try writer.close()
        let (lines, report) = try log.read()
        #expect(lines == keys(1, 1...6))
        #expect(report.isClean)
    }

    @Test("a segment cut to nothing under its writer is left alone")
    func truncated() throws {
        let writer = try log.writer(clock: clock)
        append(1...10, to: writer)
        try writer.flush()
        let name = try #require(try log.segmentNames().first)
        truncate("\(log.factsPath)/\(name)", 0)
        append(1...5, to: writer)
        try writer.close()
        let (lines, report) = try log.read()
        #expect(lines == keys(1, 1...5))
        #expect(report.damages.map(\.reason) == [.empty])
        #expect(try log.bytes(of: name).isEmpty)
    }

    @Test("the whole log deleted under its writer is made again")
    func logDeleted() throws {
        let writer = try log.writer(clock: clock)
        append(1...1, to: writer)
        try writer.flush()
        rename(log.directory.path, log.scratch.path("moved"))
        unlink(
            "\(log.scratch.path("moved"))/facts/\(SegmentName(wallTime: clock.wallTime(), writer: WriterID(high: 0, low: 1), number: 1, kind: .facts))"
        )
        append(1...2, to: writer)
        try writer.close()
        #expect(try log.read().lines == keys(1, 1...2))
    }

    @Test("a line for which there is no room is refused and counted, not waited for")
    func bufferFull() throws {
        // Without a thread nothing is written before the block is full, so the buffer is exact.
        let stream = StreamBuffer(.facts)
        #expect(stream.hasRoom(for: LogLimits.lineByteCountMax, isReserved: false))
        var full = StreamBuffer(.facts)
        let line = [UInt8](repeating: 0x61, count: (64 << 10) - 1)
        for _ in 0..<32 {
            line.withUnsafeBytes {
                _ = full.accept($0, eventTime: 0, wallTime: { 0 }, monotonicTime: 0)
            }
        }
        #expect(full.byteCount == LogLimits.factsBufferByteCount)
        #expect(!full.hasRoom(for: 0, isReserved: false))
        #expect(full.hasRoom(for: LogLimits.reserveByteCount - 1, isReserved: true))
        #expect(!full.hasRoom(for: LogLimits.reserveByteCount, isReserved: true))
    }
}
