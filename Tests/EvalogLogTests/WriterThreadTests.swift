// The thread behind a writer, and the lack of one: in a forked child, or from the start.

import TestSupport
import Testing

@_spi(ContentStream) @testable import EvalogLog

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("A writer's thread")
struct WriterThreadTests {
    private let log = LogFixture()

    @Test("a writer whose thread cannot be started refuses lines and says why, without hanging")
    func noThread() throws {
        let writer = try LogWriter(log.directory, options: .init(startThread: { _ in false }))
        #expect(writer.append([0x61], to: .facts, eventTime: 0) == .refused(.closed))
        #expect(writer.appendWaiting([0x61], to: .facts, eventTime: 0) == .refused(.closed))
        let error = LogError.disk(DiskError(operation: .write, path: "", code: EAGAIN))
        #expect(throws: error) { try writer.flush() }
        #expect(throws: error) { try writer.close() }
    }

    @Test("in a forked child the writer takes a new identity and leaves the parent's lines alone")
    func forked() throws {
        let process = Monitor<Int32>(100)
        var options = LogFixture.options()
        options.processID = { process.withLock { $0 } }
        let writer = try LogWriter(log.directory, options: options)
        append(1...10, to: writer)
        try writer.flush()
        append(11...15, to: writer)
        process.withLock { $0 = 101 }
        append(1...3, to: writer)
        try writer.close()
        let report = try readLog(log.directory, .facts) { _, _ in }
        #expect(report.writers.map(\.readCount) == [10, 3])
        #expect(report.writers.map(\.writer.high) == [0, 1])
    }

    @Test("an importer waits for room instead of being refused")
    func waits() async throws {
        let log = LogFixture()
        let writer = try LogWriter(
            log.directory, options: .init(makeWriterID: { WriterID(high: 0, low: 1) }))
        let line = [UInt8](repeating: 0x61, count: 50_000)
        for _ in 0..<400 {
            guard case .accepted = writer.appendWaiting(line, to: .facts, eventTime: 0) else {
                Issue.record("refused")
                break
            }
        }
        try writer.close()
        #expect(writer.takeRefusals().isEmpty)
        #expect(try readLog(log.directory, .facts) { _, _ in }.lineCount == 400)
    }

    private func append(_ numbers: ClosedRange<UInt64>, to writer: LogWriter) {
        for number in numbers {
            _ = writer.append(LogFixture.line(1, number), to: .facts, eventTime: 0)
        }
    }
}
