// Segments that a writer gave up while it still has their lines: readers see them twice, and whoever
// erases has to get both.

import TestSupport
import Testing

@testable import EvalogLog

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("A segment that its writer gave up")
struct GivenUpSegmentTests {
    private let fixture = MaintenanceFixture()
    private var log: LogFixture { fixture.log }

    private func append(_ sequences: ClosedRange<UInt64>, to writer: LogWriter) {
        for number in sequences {
            _ = writer.append(LogFixture.line(1, number), to: .facts, eventTime: 0)
        }
    }

    /// A writer whose lines are in segments that could not be synced, and in memory.
    private func stranded() throws -> LogWriter {
        let writer = try log.writer(durability: .synced, clock: fixture.clock)
        append(1...5, to: writer)
        fixture.disk.set { $0.next[.syncFile] = [EIO, EIO] }
        #expect(throws: LogError.self) { try writer.flush() }
        return writer
    }

    /// Erases line 3; whenever the eraser waits a writer goes on.
    private func erase(beside writer: LogWriter?) throws -> EraseReport {
        let lock = try #require(try MaintenanceLock.wait(log.directory))
        let timing = MaintenanceTiming(clock: fixture.clock) { [clock = fixture.clock] in
            clock.advance(by: $0)
            try? writer?.flush()
        }
        return try LineEraser(lock, .facts, timing: timing).run { _, line in
            line.elementsEqual(LogFixture.line(1, 3)) ? .erase : .keep
        }
    }

    /// How many copies of line 3 there are in all files.
    private func copyCount() throws -> Int {
        let found = Monitor(0)
        _ = try EraseSurvey.run(log.directory, .facts) { _, line in
            if line.elementsEqual(LogFixture.line(1, 3)) { found.withLock { $0 += 1 } }
            return .keep
        }
        return found.withLock { $0 }
    }

    @Test("counts as held until the one is closed that has its lines as well")
    func held() throws {
        let writer = try stranded()
        #expect(try log.read().lines == keys(1, 1...5))
        #expect(try log.read().report.segments.first?.state == .live)
        try writer.flush()
        append(6...6, to: writer)
        try writer.flush()
        #expect(try log.read().report.segments.first?.state == .live)
        writer.roll()
        append(7...7, to: writer)
        try writer.flush()
        #expect(try log.read().report.segments.first?.state == .dead)
        try writer.close()
        #expect(try log.read().lines == keys(1, 1...7))
    }

    @Test("is let go by a writer that ends without having written its lines again")
    func abandoned() throws {
        let writer = try stranded()
        fixture.disk.set { $0.always[.create] = EIO }
        #expect(throws: LogError.self) { try writer.close() }
        #expect(try log.read().report.segments.allSatisfy { $0.state == .dead })
    }

    @Test("keeps an erasing waiting for the copy that its writer makes meanwhile")
    func erased() throws {
        let writer = try stranded()
        let report = try erase(beside: writer)
        #expect(report.isComplete && report.lineCount == 1 && report.laterCount == 0)
        #expect(try copyCount() == 0)
        try writer.close()
        #expect(try copyCount() == 0)
        #expect(try log.read().report.lineCount == 5)
    }

    @Test("makes an erasing say that it is not complete where its writer does not come to it")
    func stuck() throws {
        let writer = try stranded()
        let report = try erase(beside: nil)
        #expect(!report.isComplete && report.heldCount == 1)
        try writer.close()
    }

    // MARK: Files in the making

    @Test("was not, where the link to its name failed and was made all the same")
    func linked() throws {
        let writer = try log.writer(clock: fixture.clock)
        append(1...5, to: writer)
        fixture.disk.set { $0.linkErrorsAfterwards = 1 }
        try writer.flush()
        append(6...9, to: writer)
        try writer.close()
        let (lines, report) = try log.read()
        #expect(lines == keys(1, 1...9) && report.segments.count == 1 && report.isClean)
        #expect(try log.directory.list(.facts).ignored.isEmpty)
    }

    @Test(
        "was not, where others took the file in the making for a dead writer's",
        arguments: [DiskError.Operation.lock, .write, .link])
    func cleared(call: DiskError.Operation) throws {
        let writer = try log.writer(clock: fixture.clock)
        append(1...5, to: writer)
        let isCleared = Monitor(false)
        fixture.disk.set { [path = log.factsPath, directory = log.directory] in
            $0.before = { operation in
                let isFirst = isCleared.withLock { cleared in
                    defer { cleared = cleared || operation == call }
                    return !cleared && operation == call
                }
                guard isFirst, let listing = try? directory.list(.facts) else { return }
                for file in listing.ignored { unlink("\(path)/\(file.name)") }
            }
        }
        try writer.flush()
        fixture.disk.set { $0.before = nil }
        try writer.close()
        #expect(writer.takeRefusals().isEmpty)
        let (lines, report) = try log.read()
        #expect(lines == keys(1, 1...5) && report.isClean)
        #expect(report.segments.map(\.state) == [.closed])
    }
}

@Suite("Lines taken back")
struct WithdrawalTests {
    private func accept(_ count: Int, into buffer: inout StreamBuffer) {
        for _ in 0..<count {
            [UInt8(ascii: "x")].withUnsafeBytes { line in
                _ = buffer.accept(line, eventTime: 0, wallTime: { 0 }, monotonicTime: 0)
            }
        }
    }

    @Test("count for nobody who waits for the block before them, until that is written")
    func behindABlock() throws {
        var buffer = StreamBuffer(.facts)
        accept(5, into: &buffer)
        buffer.closeOpenBlock(wallTime: 0)
        let taken = buffer.takeBlock()
        let block = try #require(taken)
        accept(5, into: &buffer)
        buffer.withdraw(wallTime: 0)
        #expect(buffer.writtenCount == 0 && buffer.confirmedCount == 0)
        buffer.countWritten(block)
        buffer.unconfirmedByteCount = 1
        buffer.confirm(but: 5)
        #expect(buffer.writtenCount == 10 && buffer.confirmedCount == 0)
        buffer.confirm(but: 0)
        #expect(buffer.confirmedCount == 10)
    }

    @Test("count for nobody who waits for a block that the disk has not confirmed")
    func behindUnconfirmed() throws {
        var buffer = StreamBuffer(.facts)
        accept(5, into: &buffer)
        buffer.closeOpenBlock(wallTime: 0)
        let taken = buffer.takeBlock()
        buffer.countWritten(try #require(taken))
        buffer.unconfirmedByteCount = 1
        buffer.confirm(but: 5)
        accept(5, into: &buffer)
        buffer.withdraw(wallTime: 0)
        buffer.confirm(but: 5)
        #expect(buffer.writtenCount == 10 && buffer.confirmedCount == 0)
    }

    @Test("count at once where nothing is before them, and with the block that is given up")
    func alone() throws {
        var buffer = StreamBuffer(.facts)
        accept(5, into: &buffer)
        buffer.withdraw(wallTime: 0)
        #expect(buffer.writtenCount == 5 && buffer.confirmedCount == 5)
        accept(3, into: &buffer)
        buffer.closeOpenBlock(wallTime: 0)
        let taken = buffer.takeBlock()
        let block = try #require(taken)
        accept(2, into: &buffer)
        buffer.withdraw(wallTime: 0)
        #expect(buffer.writtenCount == 5)
        let isPending = buffer.putBack(block)
        #expect(!isPending)
        #expect(buffer.writtenCount == 10 && buffer.confirmedCount == 10)
    }
}
