// Two streams, one writer: what one of them suffers is not the other one's.

import TestSupport
import Testing

@_spi(ContentStream) @testable import EvalogLog

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("A writer with one broken stream")
struct WriterStreamsTests {
    private let disk: FaultyDisk
    private let log: LogFixture
    private let clock = ManualClock()
    private let content = LogStream.content(ContentToken())

    init() {
        disk = FaultyDisk()
        log = LogFixture(disk: disk)
    }

    /// Puts a file where the stream's folder belongs.
    private func breakStream(_ kind: StreamKind) throws {
        try log.directory.make()
        rmdir("\(log.directory.path)/\(kind.name)")
        try writeFile("\(log.directory.path)/\(kind.name)", [])
    }

    private func lineCount(_ stream: LogStream) throws -> UInt64 {
        try readLog(log.directory, stream) { _, _ in }.lineCount
    }

    @Test("facts are written and sealed although the content cannot be")
    func brokenContent() throws {
        try breakStream(.content)
        let writer = try log.writer(clock: clock)
        _ = writer.append(LogFixture.line(1, 1), to: .facts, eventTime: 0)
        _ = writer.append([0x61], to: content, eventTime: 0)
        #expect(throws: LogError.self) { try writer.flush() }
        #expect(writer.append([0x61], to: content, eventTime: 0) == .refused(.ioError))
        for count: UInt64 in 2...5 {
            _ = writer.append(LogFixture.line(1, count), to: .facts, eventTime: 0)
            clock.advance(by: LogLimits.blockAge)
            #expect(throws: LogError.self) { try writer.flush() }
            #expect(try lineCount(.facts) == count)
        }
        #expect(throws: LogError.self) { try writer.close() }
        let (lines, report) = try log.read()
        #expect(lines == keys(1, 1...5))
        #expect(report.segments.map(\.state) == [.closed])
    }

    @Test("the waits of a broken stream grow while the other one is written every second")
    func backoff() throws {
        try breakStream(.content)
        let writer = try log.writer(clock: clock)
        _ = writer.append(LogFixture.line(1, 1), to: .facts, eventTime: 0)
        _ = writer.append([0x61], to: content, eventTime: 0)
        #expect(throws: LogError.self) { try writer.flush() }
        _ = disk.takeCalls()
        var attempts: [Int] = []
        for second in 1...63 {
            clock.advance(by: LogLimits.retryDelay)
            _ = writer.append(LogFixture.line(1, UInt64(second + 1)), to: .facts, eventTime: 0)
            let calls = disk.takeCalls()
            // Only the content still looks for its folder.
            if calls.contains(.makeFolder) { attempts.append(second) }
            // A block is due one second after its first line.
            #expect(try lineCount(.facts) >= UInt64(second))
        }
        #expect(attempts == [1, 3, 7, 15, 31, 63])
        #expect(throws: LogError.self) { try writer.close() }
    }

    @Test("what is taken back is never written, and sequences have no hole for it")
    func withdrawal() throws {
        let writer = try log.writer(durability: .synced, clock: clock)
        for stream in [.facts, content] {
            for letter: UInt8 in [0x61, 0x62] {
                _ = writer.append([letter], to: stream, eventTime: 0)
                if letter == 0x61 { try writer.flush() }
            }
        }
        writer.roll()
        writer.withdraw(content)
        try writer.flush()
        #expect(try lineCount(content) == 1)
        #expect(try lineCount(.facts) == 2)
        #expect(writer.append([0x63], to: content, eventTime: 0) == .accepted(sequence: 2))
        try writer.close()
        let refused = writer.takeRefusals()
        #expect(refused.map(\.stream) == [.content] && refused.map(\.cause) == [.withdrawn])
        #expect(refused.map(\.count) == [1])
        let report = try readLog(log.directory, content) { _, _ in }
        #expect(report.isClean && report.segments.count == 2, "the roll asked for still happens")
    }

    @Test("a block that is being written when it is taken back is not tried again if it fails")
    func withdrawalDuringWrite() throws {
        let writer = try log.writer(clock: clock)
        disk.set {
            $0.next[.write] = [EIO]
            $0.before = { [content] operation in
                if operation == .write { writer.withdraw(content) }
            }
        }
        _ = writer.append([0x61], to: content, eventTime: 0)
        try writer.flush()
        disk.set { $0.before = nil }
        #expect(writer.append([0x62], to: content, eventTime: 0) == .accepted(sequence: 1))
        try writer.close()
        #expect(try lineCount(content) == 1)
        #expect(writer.takeRefusals().map(\.cause) == [.withdrawn])
    }

    @Test("content is written although the facts cannot be, where space is not what is missing")
    func brokenFacts() throws {
        try breakStream(.facts)
        let writer = try log.writer(clock: clock)
        _ = writer.append(LogFixture.line(1, 1), to: .facts, eventTime: 0)
        #expect(throws: LogError.self) { try writer.flush() }
        #expect(writer.append([0x61], to: content, eventTime: 0) == .accepted(sequence: 1))
        #expect(throws: LogError.self) { try writer.flush() }
        #expect(throws: LogError.self) { try writer.close() }
        #expect(try lineCount(content) == 1)
        #expect(try LogCatalog.scan(log.directory, content).segments.map(\.state) == [.closed])
    }

    @Test("an importer goes on waiting for room for facts while the content cannot be written")
    func waiting() throws {
        disk.set { $0.next[.create] = [ENOSPC] }
        let writer = try log.writer(clock: clock)
        _ = writer.append([0x61], to: content, eventTime: 0)
        #expect(throws: LogError.self) { try writer.flush() }
        let line = [UInt8](repeating: 0x61, count: 60_000)
        for number: UInt64 in 1...100 {
            #expect(
                writer.appendWaiting(line, to: .facts, eventTime: 0) == .accepted(sequence: number))
        }
        #expect(writer.append([0x61], to: content, eventTime: 0) == .refused(.noSpace))
        try writer.close()
        #expect(try lineCount(.facts) == 100)
        #expect(try lineCount(content) == 1)
    }
}
