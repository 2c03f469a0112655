// What a synced writer promises, and what it does when the disk breaks the promise.

import TestSupport
import Testing

@_spi(ContentStream) @testable import EvalogLog

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("A synced writer")
struct WriterSyncTests {
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

    @Test("a synced flush returns after the file and, for a new one, the folders on the way to it")
    func syncs() throws {
        let writer = try log.writer(durability: .synced, clock: clock)
        append(1...1, to: writer)
        try writer.flush()
        let first = disk.takeCalls()
        #expect(first.firstIndex(of: .link) ?? .max < first.firstIndex(of: .syncFile) ?? 0)
        #expect(first.firstIndex(of: .syncFile) ?? .max < first.firstIndex(of: .syncFolder) ?? 0)
        // The stream's folder, the log's, and the one that this lies in.
        #expect(first.filter { $0 == .syncFolder }.count == 3)
        append(2...2, to: writer)
        try writer.flush()
        let calls = disk.takeCalls()
        #expect(calls.filter { $0 == .syncFile }.count == 1)
        #expect(!calls.contains(.syncFolder))
        try writer.close()
    }

    @Test("a buffered writer never syncs")
    func buffered() throws {
        try log.write([5, 5])
        #expect(!disk.takeCalls().contains(.syncFile))
    }

    @Test("a synced writer syncs once a second by itself")
    func groupSync() throws {
        let writer = try log.writer(durability: .synced, clock: clock)
        append(1...1, to: writer)
        clock.advance(by: LogLimits.blockAge)
        append(2...2, to: writer)
        #expect(!disk.takeCalls().contains(.syncFile))
        clock.advance(by: LogLimits.syncAge)
        append(3...3, to: writer)
        #expect(disk.takeCalls().contains(.syncFile))
        try writer.close()
    }

    @Test("after a failed sync the blocks are written again, elsewhere, with the same sequences")
    func syncFailsOnce() throws {
        let writer = try log.writer(durability: .synced, clock: clock)
        append(1...10, to: writer)
        try writer.flush()
        disk.set { $0.next[.syncFile] = [EIO] }
        append(11...20, to: writer)
        try writer.flush()
        let (lines, report) = try log.read()
        #expect(lines == keys(1, 1...20))
        #expect(report.segments.count == 2)
        // Both are held: their lines are not all where they will stay.
        #expect(report.segments.map(\.state) == [.live, .live])
        #expect(
            try LogCatalog.scan(log.directory, .facts).headers.map(\.header.first) == [1, 11, 11])
        try writer.close()
        #expect(try log.read().report.isClean)
    }

    @Test("two failed syncs in a row are like a full disk: reported, kept, tried again")
    func syncFailsTwice() throws {
        let writer = try log.writer(durability: .synced, clock: clock)
        append(1...10, to: writer)
        try writer.flush()
        disk.set { $0.next[.syncFile] = [EIO, EIO] }
        append(11...20, to: writer)
        #expect(throws: LogError.self) { try writer.flush() }
        #expect(
            writer.append([0x61], to: .content(ContentToken()), eventTime: 0) == .refused(.ioError))
        append(21...25, to: writer)
        try writer.flush()
        try writer.close()
        let (lines, report) = try log.read()
        #expect(lines == keys(1, 1...25))
        #expect(report.isClean)
    }

    @Test("a failed sync of the folder counts as a failed sync")
    func folderSyncFails() throws {
        let writer = try log.writer(durability: .synced, clock: clock)
        disk.set { $0.next[.syncFolder] = [EIO] }
        append(1...10, to: writer)
        try writer.flush()
        try writer.close()
        let (lines, report) = try log.read()
        #expect(lines == keys(1, 1...10))
        #expect(report.segments.count == 2)
    }

    @Test("a folder above the log that nobody can sync is none of its business")
    func foreignParent() throws {
        let writer = try log.writer(durability: .synced, clock: clock)
        disk.set { $0.next[.syncFolder] = [0, 0, EINVAL] }
        append(1...10, to: writer)
        try writer.flush()
        #expect(try log.read().report.segments.count == 1)
        try writer.close()
    }

    @Test("unconfirmed blocks survive the loss of their file under a new identity")
    func deletedUnconfirmed() throws {
        let writer = try log.writer(durability: .synced, clock: clock)
        append(1...10, to: writer)
        clock.advance(by: LogLimits.blockAge)
        append(11...11, to: writer)
        let name = try #require(try log.segmentNames().first)
        unlink("\(log.factsPath)/\(name)")
        append(12...12, to: writer)
        try writer.flush()
        #expect(writer.takeRefusals().isEmpty)
        try writer.close()
        #expect(try log.read().lines == keys(1, 1...12))
    }
}
