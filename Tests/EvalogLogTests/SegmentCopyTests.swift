// Merging logs by copying segments.

import TestSupport
import Testing

@_spi(ContentStream) @testable import EvalogLog

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("Copying segments into another log")
struct SegmentCopyTests {
    private let source = LogFixture()
    private let disk: FaultyDisk
    private let target: LogFixture

    init() {
        disk = FaultyDisk()
        target = LogFixture(disk: disk)
    }

    private func copy() throws -> CopyReport {
        try copySegments(of: .facts, from: source.directory, to: target.directory)
    }

    @Test("all lines of both logs are there, and copying again adds nothing")
    func merges() throws {
        try source.write([5, 5], id: 1)
        try source.write([2], id: 2)
        try target.write([3], id: 3)
        #expect(try copy().copied.count == 2)
        let again = try copy()
        #expect(again.copied.isEmpty && again.present.count == 2)
        let (lines, report) = try target.read()
        #expect(lines == keys(1, 1...10) + keys(2, 1...2) + keys(3, 1...3))
        #expect(report.isClean)
        #expect(report.segments.count == 3)
    }

    @Test("a segment that is being written is copied as far as it goes, and again when it went on")
    func live() throws {
        let writer = try source.writer(1)
        for number: UInt64 in 1...6 {
            _ = writer.append(LogFixture.line(1, number), to: .facts, eventTime: 0)
            try writer.flush()
            _ = try copy()
            #expect(try target.read().lines == keys(1, 1...number))
        }
        try writer.close()
        _ = try copy()
        #expect(try copy().copied.isEmpty)
        #expect(try target.read().report.isClean)
    }

    @Test("two copies at once do not get in each other's way")
    func twoCopies() throws {
        try source.write([5, 5], id: 1)
        let (from, to) = (source.directory, target.directory)
        let isFirst = Monitor(true)
        disk.set {
            $0.before = { call in
                guard call == .link,
                    isFirst.withLock({ flag in
                        defer { flag = false }; return flag
                    })
                else { return }
                let other = LogDirectory(path: to.path)
                _ = try? copySegments(of: .facts, from: from, to: other)
            }
        }
        #expect(try copy().present.count == 1)
        let (lines, report) = try target.read()
        #expect(lines == keys(1, 1...10) && report.segments.count == 1)
        #expect(try target.directory.list(.facts).ignored.isEmpty)
    }

    @Test("a copy that is to stop is whole or not there, and copying goes on later")
    func stopped() throws {
        try source.write([5, 5], id: 1)
        try source.write([5], id: 2)
        var lookCount = 0
        let (from, to) = (source.directory, target.directory)
        let report = try copySegments(of: .facts, from: from, to: to) {
            lookCount += 1
            return lookCount > 1
        }
        #expect(report.copied.count == 1)
        let names = try target.directory.list(.facts)
        #expect(names.segments.count == 1 && names.ignored.isEmpty)
        #expect(try copy().copied.count == 1)
        #expect(try target.read().lines == keys(1, 1...10) + keys(2, 1...5))
    }

    @Test("a full disk leaves no half copy, and copying goes on later")
    func fullDisk() throws {
        try source.write([50])
        disk.set { $0.freeByteCount = 100 }
        #expect(throws: LogError.self) { try copy() }
        #expect(try target.directory.list(.facts).segments.isEmpty)
        #expect(try target.directory.list(.facts).ignored.isEmpty)
        disk.set { $0.freeByteCount = nil }
        #expect(try copy().copied.count == 1)
        #expect(try target.read().lines == keys(1, 1...50))
    }

    @Test("a segment that is cut while it is copied does not arrive as a whole one")
    func cutMeanwhile() throws {
        try source.write([20, 20])
        let name = try #require(try source.segmentNames().first)
        let path = "\(source.factsPath)/\(name)"
        let half = try source.bytes(of: name).count / 2
        disk.set { $0.before = { if $0 == .create { truncate(path, half) } } }
        let report = try copy()
        #expect(report.copied.isEmpty)
        #expect(report.vanished == [name])
        #expect(try target.directory.list(.facts).segments.isEmpty)
        #expect(try target.directory.list(.facts).ignored.isEmpty)
        disk.set { $0.before = nil }
        #expect(try copy().copied == [name])
    }

    @Test("the key comes along where the target has none, and another one stays")
    func key() throws {
        let token = ContentToken()
        func copy() throws -> KeyCopy? {
            try source.directory.copyKey(token, to: target.directory)
        }
        try source.directory.make()
        #expect(try copy() == nil)
        let key = try source.directory.key(token)
        // A copy that fails leaves none behind.
        disk.set { $0.next[.syncFile] = [EIO] }
        #expect(throws: LogError.self) { try copy() }
        #expect(try target.directory.list(.content(token)).ignored.isEmpty)
        #expect(try copy() == .copied)
        #expect(try target.directory.key(token) == key)
        #expect(try copy() == .present)

        let other = LogFixture()
        let otherKey = try other.directory.key(token)
        #expect(try source.directory.copyKey(token, to: other.directory) == .different)
        #expect(try other.directory.key(token) == otherKey)
    }

    @Test("a merged file whose name is taken stays a merged file")
    func merged() throws {
        var first = SegmentBuilder()
        first.block(1, 1...5)
        first.seal(1, 1...5, [.seal, .final, .mergedEnd])
        var second = SegmentBuilder()
        second.block(2, 1...5)
        second.seal(2, 1...5, [.seal, .final, .mergedEnd])
        try source.put(SegmentBuilder.name(9, 0), first.bytes)
        try target.put(SegmentBuilder.name(9, 0), second.bytes)
        _ = try copy()
        let (lines, report) = try target.read()
        #expect(lines == keys(1, 1...5) + keys(2, 1...5))
        #expect(report.segments.map(\.state) == [.merged, .merged])
    }
}
