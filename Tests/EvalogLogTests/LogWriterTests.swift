// What a writer puts on disk, seen from outside.

import TestSupport
import Testing

@_spi(ContentStream) @testable import EvalogLog

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("A log writer", .timeLimit(.minutes(10)))
struct LogWriterTests {
    @Test("what is appended is read back, once, in order")
    func roundTrip() throws {
        let log = LogFixture()
        try log.write([3, 1, 250])
        let (lines, report) = try log.read()
        #expect(lines == keys(1, 1...254))
        #expect(report.isClean)
        #expect(report.blockCount == 3)
        #expect(report.segments.map(\.state) == [.closed])
        #expect(report.writers.map(\.readCount) == [254])
    }

    @Test("a writer without lines leaves no file")
    func noLines() throws {
        let log = LogFixture()
        let writer = try log.writer()
        try writer.flush()
        writer.roll()
        try writer.close()
        #expect(try log.segmentNames().isEmpty)
        #expect(try log.read().report.isClean)
    }

    @Test("who wants to know is told of each full segment, once it is sealed")
    func rolls() throws {
        let log = LogFixture()
        var options = LogFixture.options()
        let states = Monitor<[[LogCatalog.State]]>([])
        options.didRoll = {
            let found = try? LogCatalog.scan(log.directory, .facts).segments.map(\.state)
            states.withLock { $0.append(found ?? []) }
        }
        let writer = try LogWriter(log.directory, options: options)
        for sequence: UInt64 in 1...3 {
            _ = writer.append(LogFixture.line(1, sequence), to: .facts, eventTime: 0)
            writer.roll()
            try writer.flush()
        }
        try writer.close()
        #expect(states.withLock { $0 } == [[.rolled, .live], [.rolled, .rolled, .live]])
    }

    @Test("flushes of nothing change nothing")
    func emptyFlushes() throws {
        let log = LogFixture()
        let writer = try log.writer()
        try writer.flush()
        try writer.flush()
        #expect(
            writer.append(LogFixture.line(1, 1), to: .facts, eventTime: 1) == .accepted(sequence: 1)
        )
        try writer.flush()
        try writer.flush()
        try writer.close()
        let (lines, report) = try log.read()
        #expect(lines == keys(1, 1...1))
        #expect(report.blockCount == 1)
        #expect(report.isClean)
    }

    @Test("calls after closing do nothing and say so")
    func afterClose() throws {
        let log = LogFixture()
        let writer = try log.write([2])
        #expect(writer.append([1], to: .facts, eventTime: 0) == .refused(.closed))
        #expect(throws: LogError.closed) { try writer.flush() }
        try writer.close()
        #expect(try log.read().lines == keys(1, 1...2))
    }

    @Test("a line longer than a block has its own, one longer than any line is refused")
    func longLines() throws {
        let log = LogFixture()
        let writer = try log.writer()
        let sizes = [10, 5 << 20, 300 << 10, 17 << 20, 20, 256 << 10, 0]
        for (index, size) in sizes.enumerated() {
            let line = [UInt8](repeating: UInt8(0x61 + index), count: size)
            let outcome = writer.appendWaiting(line, to: .facts, eventTime: 0)
            #expect((outcome == .refused(.tooLong)) == (size > 16 << 20))
        }
        try writer.close()
        #expect(writer.takeRefusals().map(\.count) == [1])
        let found = Monitor<[Int]>([])
        let report = try readLog(log.directory, .facts) { _, block in
            block.forEachLine { _, line in found.withLock { $0.append(line.count) } }
        }
        #expect(found.withLock { $0 } == sizes.filter { $0 <= 16 << 20 })
        #expect(report.isClean)
        #expect(report.blockCount == 6)
    }

    @Test("a line with a newline in it is refused, since it would come back as two")
    func newline() throws {
        let log = LogFixture()
        let writer = try log.writer()
        #expect(writer.append(Array("a\nb".utf8), to: .facts, eventTime: 0) == .refused(.notALine))
        #expect(writer.takeRefusals().map(\.cause) == [.notALine])
        #expect(writer.takeRefusals().isEmpty)
        try writer.close()
    }

    @Test("the header says the least and the greatest event time, in whatever order they came")
    func eventTimes() throws {
        let log = LogFixture()
        let writer = try log.writer()
        for time: Int64 in [5, -7, 300, .min, 9] {
            _ = writer.append(LogFixture.line(1, 1), to: .facts, eventTime: time)
        }
        try writer.close()
        let catalog = try LogCatalog.scan(log.directory, .facts)
        #expect(catalog.headers.map(\.header.leastEventTime) == [.min])
        #expect(catalog.headers.map(\.header.greatestEventTime) == [300])
        #expect(catalog.marks.map(\.header.greatestEventTime) == [300])
    }

    // MARK: Segments

    @Test("a full segment rolls: sealed behind the next one's first block, and nothing is lost")
    func rollsBySize() throws {
        let log = LogFixture()
        var segments = SegmentPolicy()
        segments.byteCountMax = 500
        try log.write([30, 30, 30, 30, 30], segments: segments)
        let (lines, report) = try log.read()
        #expect(lines == keys(1, 1...150))
        #expect(report.isClean)
        #expect(report.segments.count > 1)
        #expect(report.segments.dropLast().allSatisfy { $0.state == .rolled })
        #expect(report.segments.last?.state == .closed)
        #expect(report.segments.map(\.name.number) == Array(1...report.segments.count))
    }

    @Test("an old segment rolls with the next block, a forced roll too")
    func rollsByAge() throws {
        let log = LogFixture()
        let clock = ManualClock()
        let writer = try log.writer(clock: clock)
        func append(_ number: UInt64) throws {
            _ = writer.append(LogFixture.line(1, number), to: .facts, eventTime: 0)
            try writer.flush()
        }
        try append(1)
        clock.advance(by: LogLimits.segmentAge)
        try append(2)
        clock.advance(by: LogLimits.segmentAge - 1)
        try append(3)
        writer.roll()
        try append(4)
        writer.roll()
        try writer.close()
        let (lines, report) = try log.read()
        #expect(lines == keys(1, 1...4))
        #expect(report.segments.map(\.state) == [.rolled, .rolled, .closed])
        #expect(report.isClean)
    }

    @Test("two writers share a folder without knowing of each other")
    func twoWriters() async throws {
        let log = LogFixture()
        await withTaskGroup(of: Void.self) { group in
            for id: UInt64 in 1...2 {
                group.addTask {
                    guard
                        let writer = try? LogWriter(
                            log.directory,
                            options: .init(makeWriterID: { WriterID(high: 0, low: id) }))
                    else { return }
                    for number: UInt64 in 1...1_000 {
                        _ = writer.appendWaiting(
                            LogFixture.line(id, number), to: .facts, eventTime: 0)
                        if number % 100 == 0 { try? writer.flush() }
                    }
                    try? writer.close()
                }
            }
        }
        let (lines, report) = try log.read(threads: 2)
        #expect(lines == keys(1, 1...1_000) + keys(2, 1...1_000))
        #expect(report.isClean)
    }

    @Test("a writer that dies leaves every flushed line, and the next one starts at once")
    func dies() throws {
        let log = LogFixture()
        let first = try log.write([5, 5], closing: false)
        #expect(try log.read().report.segments.map(\.state) == [.live])
        // What a kill leaves: the file as it is, and no lock.
        let name = try #require(try log.segmentNames().first)
        let bytes = try log.bytes(of: name)
        try first.close()
        try log.replace(name, by: bytes)
        try log.write([3], id: 2)
        let (lines, report) = try log.read()
        #expect(lines == keys(1, 1...10) + keys(2, 1...3))
        #expect(report.isClean)
        #expect(Set(report.segments.map(\.state)) == [.dead, .closed])
    }

    @Test("a writer that is let go still writes what it took")
    func letGo() async throws {
        let log = LogFixture()
        do {
            let writer = try LogWriter(
                log.directory, options: .init(makeWriterID: { WriterID(high: 0, low: 1) }))
            for number: UInt64 in 1...10 {
                _ = writer.append(LogFixture.line(1, number), to: .facts, eventTime: 0)
            }
        }
        try await waitUntil { try log.read().report.segments.map(\.state) == [.closed] }
        #expect(try log.read().lines == keys(1, 1...10))
    }

    @Test("a line becomes readable without a flush")
    func appearsByItself() async throws {
        let log = LogFixture()
        let writer = try LogWriter(
            log.directory, options: .init(makeWriterID: { WriterID(high: 0, low: 1) }))
        _ = writer.append(LogFixture.line(1, 1), to: .facts, eventTime: 0)
        try await waitUntil { try !log.read().lines.isEmpty }
        _ = writer.append(LogFixture.line(1, 2), to: .facts, eventTime: 0)
        try await waitUntil { try log.read().lines.count >= 2 }
        try writer.close()
        #expect(try log.read().report.blockCount == 2)
    }

    @Test("opening makes no file call but those for the log's own folders, however full it is")
    func opensWithoutReading() throws {
        let disk = FaultyDisk()
        let log = LogFixture(disk: disk)
        for id: UInt64 in 1...20 { try log.write([1], id: id) }
        _ = disk.takeCalls()
        let writer = try log.writer(99)
        #expect(disk.takeCalls() == [.openFolder, .makeFolder])
        try writer.close()
    }

    // MARK: Streams

    @Test("facts and content are counted apart and lie in folders of their own")
    func streams() throws {
        let log = LogFixture()
        let writer = try log.writer()
        let content = LogStream.content(ContentToken())
        #expect(writer.append([0x61], to: .facts, eventTime: 0) == .accepted(sequence: 1))
        #expect(writer.append([0x62], to: content, eventTime: 0) == .accepted(sequence: 1))
        #expect(writer.append([0x63], to: content, eventTime: 0) == .accepted(sequence: 2))
        try writer.close()
        #expect(try readLog(log.directory, .facts) { _, _ in }.lineCount == 1)
        #expect(try readLog(log.directory, content) { _, _ in }.lineCount == 2)
    }

    @Test("a content segment in the facts folder is not read as facts")
    func wrongStream() throws {
        let log = LogFixture()
        var builder = SegmentBuilder()
        builder.block(1, 1...5, stream: 1)
        try log.put(SegmentBuilder.name(1, 1), builder.bytes)
        let (lines, report) = try log.read()
        #expect(lines.isEmpty)
        #expect(report.damages.map(\.reason) == [.wrongStream])
    }

    // MARK: Other tools

    @Test("gzip reads a segment that is open, closed or torn up to the tear")
    func gzip() throws {
        let log = LogFixture()
        let writer = try log.write([10, 20], closing: false)
        let name = try #require(try log.segmentNames().first)
        let open = try unzip("\(log.factsPath)/\(name)")
        #expect(open.lineCount == 30 && open.status == 0)
        try writer.close()
        let closed = try unzip("\(log.factsPath)/\(name)")
        #expect(closed.lineCount == 30 && closed.status == 0)
        try log.replace(name, by: Array(try log.bytes(of: name).dropLast(120)))
        let torn = try unzip("\(log.factsPath)/\(name)")
        #expect(torn.lineCount >= 10 && torn.status != 0)
    }

    private func unzip(_ path: String) throws -> (lineCount: Int, status: Int32) {
        guard let pipe = popen("gzip -dc '\(path)' 2>/dev/null", "r") else {
            throw DiskError(operation: .open, path: path, code: errno)
        }
        var count = 0
        while true {
            let byte = fgetc(pipe)
            if byte == EOF { break }
            if byte == 0x0a { count += 1 }
        }
        return (count, pclose(pipe))
    }
}
