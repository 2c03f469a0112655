// A writer that is asked to end its segment does so within a second, and loses nothing by it.

import TestSupport
import Testing

@testable import EvalogLog

@Suite("A writer that is asked to end its segment", .timeLimit(.minutes(10)))
struct RollRequestTests {
    private let clock = ManualClock()
    private let log = LogFixture()

    private func ask() throws {
        let folder = try #require(try log.directory.openFolder(of: .facts))
        defer { log.directory.disk.close(folder) }
        try RollRequest.make(in: folder, on: log.directory.disk)
    }

    private func append(_ sequences: ClosedRange<UInt64>, to writer: LogWriter) {
        for number in sequences {
            _ = writer.append(LogFixture.line(1, number), to: .facts, eventTime: 0)
        }
    }

    @Test("seals it for good, though nothing follows", arguments: [Durability.buffered, .synced])
    func idle(durability: Durability) throws {
        let writer = try log.writer(durability: durability, clock: clock)
        append(1...5, to: writer)
        try writer.flush()
        try ask()
        try writer.flush()
        #expect(try log.read().report.segments.map(\.state) == [.live])
        clock.advance(by: LogLimits.rollLookAge)
        try writer.flush()
        #expect(try log.read().report.segments.map(\.state) == [.closed])
        try writer.close()
        let (lines, report) = try log.read()
        #expect(lines == keys(1, 1...5) && report.isClean)
        #expect(try log.directory.list(.facts).ignored.isEmpty)
    }

    @Test("puts what it had accepted into it, and what comes later under a new id")
    func pending() throws {
        let writer = try log.writer(clock: clock)
        append(1...5, to: writer)
        try writer.flush()
        append(6...9, to: writer)
        try ask()
        clock.advance(by: LogLimits.rollLookAge)
        _ = writer.takeRefusals()
        try writer.flush()
        let answer = writer.append(LogFixture.line(1, 1), to: .facts, eventTime: 0)
        #expect(answer == .accepted(sequence: 1))
        try writer.flush()
        let report = try log.read().report
        #expect(report.writers.map(\.readCount) == [9, 1])
        #expect(
            report.segments.map(\.state).sorted { $0.rawValue < $1.rawValue } == [.closed, .live])
        try writer.close()
        #expect(try log.read().report.isClean)
    }

    @Test("answers each request once, and none from before the segment")
    func once() throws {
        try log.directory.make()
        log.directory.disk.close(try log.directory.makeFolder(of: .facts))
        try ask()
        let writer = try log.writer(clock: clock)
        for number: UInt64 in 1...4 {
            append(number...number, to: writer)
            clock.advance(by: LogLimits.rollLookAge)
            try writer.flush()
        }
        #expect(try log.segmentNames().count == 1)
        try ask()
        for number: UInt64 in 5...8 {
            append(number...number, to: writer)
            clock.advance(by: LogLimits.rollLookAge)
            try writer.flush()
        }
        #expect(try log.segmentNames().count == 2)
        try writer.close()
        #expect(try log.read().report.lineCount == 8)
    }

    @Test("keeps its lines and tries again where the disk is in the way")
    func fullDisk() throws {
        let disk = FaultyDisk()
        let log = LogFixture(disk: disk)
        let writer = try log.writer(clock: clock)
        append(1...5, to: writer)
        try writer.flush()
        append(6...9, to: writer)
        let folder = try #require(try log.directory.openFolder(of: .facts))
        try RollRequest.make(in: folder, on: disk)
        disk.close(folder)
        disk.set { $0.freeByteCount = 0 }
        clock.advance(by: LogLimits.rollLookAge)
        #expect(throws: LogError.self) { try writer.flush() }
        disk.set { $0.freeByteCount = nil }
        clock.advance(by: LogLimits.rollLookAge)
        try writer.flush()
        try writer.close()
        let report = try log.read().report
        #expect(report.isClean && report.lineCount == 9)
    }

    @Test("notices by itself while its thread has nothing to do")
    func thread() async throws {
        let writer = try LogWriter(
            log.directory, options: .init(makeWriterID: { WriterID(high: 0, low: 1) }))
        append(1...5, to: writer)
        try writer.flush()
        try ask()
        try await waitUntil { try log.read().report.segments.map(\.state) == [.closed] }
        try writer.close()
    }
}
