// Maintenance: what was written stays, what had its time goes, whenever it is interrupted.

import TestSupport
import Testing

@testable import EvalogLog

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("Maintaining a log")
struct LogMaintainerTests {
    private let fixture = MaintenanceFixture()
    private var log: LogFixture { fixture.log }
    private var clock: ManualClock { fixture.clock }

    // MARK: Dead writers

    @Test("what dead writers left is sealed, with all lines, and nothing is left to do")
    func finishes() throws {
        try fixture.write([[10, 5], [7]], id: 1, isKilled: true)
        try fixture.write([[4]], id: 2)
        let before = try log.read()
        #expect(
            before.report.segments.map(\.state).sorted { $0.rawValue < $1.rawValue }
                == [.closed, .dead, .rolled])
        let report = try fixture.maintain()
        #expect(report.failure == nil && report.skipped.isEmpty && report.leftCount == 0)
        #expect(report.done[.finish]?.lineCount == 7)
        let after = try log.read()
        #expect(after.lines == before.lines && after.report.isClean)
        #expect(!after.report.segments.contains { $0.state == .dead })
        #expect(try fixture.plan().steps.isEmpty)
        #expect(try fixture.maintain().done.isEmpty)
    }

    @Test("a segment in use stays as it is, and one of a writer that died a moment ago")
    func inUse() throws {
        let writer = try log.writer(2, clock: clock)
        _ = writer.append(LogFixture.line(2, 1), to: .facts, eventTime: 0)
        try writer.flush()
        try fixture.write([[3]], id: 1, isKilled: true)
        let before = try fixture.snapshot()
        let status = try #require(try log.directory.list(.facts).segments.first).status
        clock.setWall(status.modified / 1_000)
        #expect(try fixture.plan().inUse.count == 2)
        try fixture.maintain()
        #expect(try fixture.snapshot() == before)
        try writer.close()
    }

    @Test("damage in a sealed segment goes aside and becomes a hole")
    func repairs() throws {
        try fixture.write([[10, 10, 10]], id: 1)
        let name = try #require(try log.segmentNames().first)
        var bytes = try log.bytes(of: name)
        bytes[bytes.count / 3 + 20] ^= 0xff  // Inside the second block's header.
        try log.replace(name, by: bytes)
        let lines = try log.read().lines
        let report = try fixture.maintain()
        let after = try log.read()
        #expect(after.lines == lines && after.report.isClean)
        #expect(after.report.holeCount == UInt64(30 - lines.count))
        #expect(report.asideByteCount > 0)
        #expect(try AsideFolder(of: log.directory).files(of: .facts).count == 1)
        // What is kept there has its time as the lines beside it have.
        clock.advance(by: 401 * MaintenanceFixture.day)
        try fixture.maintain()
        #expect(try AsideFolder(of: log.directory).files(of: .facts).isEmpty)
        #expect(try log.segmentNames().isEmpty)
    }

    @Test("who reads a segment meanwhile, and asks whether it has a writer, is not taken for one")
    func readBeside() throws {
        try fixture.write([[3, 4]], id: 1, isKilled: true)
        let folder = try #require(try log.directory.openFolder(of: .facts))
        defer { log.directory.disk.close(folder) }
        let name = try #require(try log.directory.list(.facts).segments.first).name
        _ = try log.directory.withSegment(name, in: folder) { scanner throws(DiskError) in
            _ = try scanner.scan()
            let report = try? fixture.maintain()
            #expect(report?.done[.finish]?.segmentCount == 1 && report?.skipped == [])
        }
        #expect(try log.read().report.segments.map(\.state) == [.closed])
    }

    @Test(
        "a segment of which nothing is left tells of a loss, unless those around it tell which lines it had",
        arguments: [2, 3])
    func emptied(number: Int) throws {
        var damaged = SegmentBuilder()
        damaged.raw([UInt8](repeating: 0, count: 300))
        try log.put(SegmentBuilder.name(1, number), damaged.bytes)
        // The other one has the number that is left, and lines that the emptied one may have had.
        for (number, lines) in [1: 1...10, 5 - number: 11...20] as [Int: ClosedRange<UInt64>] {
            var builder = SegmentBuilder()
            builder.block(1, lines, appendTime: fixture.clock.wallTime())
            try log.put(SegmentBuilder.name(1, number), builder.bytes)
        }
        let isUnknown = number == 3
        #expect(try log.read().report.hasUnknownLoss == isUnknown)
        try fixture.maintain(MaintenanceRules())
        let (lines, report) = try log.read()
        #expect(lines == keys(1, 1...20) && report.hasUnknownLoss == isUnknown)
        #expect(report.damages.isEmpty && report.lostCount + report.holeCount == 0)
        #expect(try fixture.plan(MaintenanceRules()).steps.isEmpty)
    }

    @Test("files in the making that a dead writer left go")
    func temporaries() throws {
        try fixture.write([[1]], id: 1)
        try log.replace(".tmp-left-0", by: [1, 2, 3])
        #expect(try fixture.maintain().clearedCount == 1)
        #expect(try log.directory.list(.facts).ignored.isEmpty)
    }

    // MARK: Retention

    @Test("whole segments go once their last line had its time, and count as retired")
    func prunes() throws {
        try fixture.write([[10], [20], [30]], id: 1)
        clock.advance(by: 398 * MaintenanceFixture.day)
        for (retired, wait) in [(UInt64(0), Int64(0)), (10, 1), (30, MaintenanceFixture.day)] {
            clock.advance(by: wait)
            try fixture.maintain()
            let (lines, report) = try log.read()
            #expect(lines == keys(1, (retired + 1)...60))
            #expect(report.retiredCount == retired && report.isClean)
        }
        clock.advance(by: MaintenanceFixture.day)
        #expect(try fixture.plan().steps.map(\.lineCount) == [30])
        try fixture.maintain()
        #expect(try log.segmentNames().isEmpty)
    }

    @Test("later lines stay as long as earlier ones of their writer, whose clock ran ahead")
    func order() throws {
        let writer = try log.writer(1, clock: clock)
        let start = clock.wallTime()
        for (sequence, day) in [(UInt64(1), Int64(50)), (2, 0), (3, 1)] {
            clock.setWall(start + day * MaintenanceFixture.day)
            writer.roll()
            _ = writer.append(LogFixture.line(1, sequence), to: .facts, eventTime: 0)
            try writer.flush()
        }
        try writer.close()
        clock.setWall(start + 402 * MaintenanceFixture.day)
        try fixture.maintain()
        #expect(try log.read().lines == keys(1, 1...3))
        clock.setWall(start + 451 * MaintenanceFixture.day)
        #expect(try fixture.plan().steps.map(\.kind) == [.prune, .prune, .prune])
        try fixture.maintain()
        #expect(try log.segmentNames().isEmpty)
    }

    @Test("each stream is kept as long as somebody says")
    func rules() throws {
        try fixture.write([[10]], id: 1)
        clock.advance(by: 30 * MaintenanceFixture.day)
        try fixture.maintain(MaintenanceFixture.alone(factsDays: 31, contentDays: 1))
        #expect(try log.read().lines.count == 10)
        try fixture.maintain(MaintenanceFixture.alone(factsDays: 29, contentDays: 400))
        #expect(try log.read().lines.isEmpty)
    }

    // MARK: Bounds

    @Test("a budget ends it between two steps, and the next run goes on")
    func budget() throws {
        for id: UInt64 in 1...5 { try fixture.write([[2]], id: id, isKilled: true) }
        let budget = MaintenanceBudget(segmentCount: 2, byteCount: .max)
        for left in [3, 1, 0] {
            let report = try fixture.maintain(budget: budget)
            #expect(report.leftCount == left)
            #expect(try log.read().lines.count == 10)
        }
        #expect(try fixture.plan().steps.isEmpty)
    }

    @Test("who wants an end gets it before the next step")
    func stops() throws {
        try fixture.write([[2]], id: 1, isKilled: true)
        let before = try fixture.snapshot()
        #expect(try fixture.maintain(shouldStop: { true }).leftCount == 1)
        #expect(try fixture.snapshot() == before)
    }

    // MARK: Interruptions

    /// Three writers: one to prune, one to finish, one with damage.
    private func makeWork() throws -> MaintenanceRules {
        try fixture.write([[10], [5, 6]], id: 1)
        clock.advance(by: 10 * MaintenanceFixture.day)
        try fixture.write([[7, 8], [9]], id: 2, isKilled: true)
        try fixture.write([[3, 3, 3]], id: 3)
        let name = try #require(try log.segmentNames().last)
        var bytes = try log.bytes(of: name)
        bytes[bytes.count / 3 + 20] ^= 0xff
        try log.replace(name, by: bytes)
        return MaintenanceFixture.alone(factsDays: 5)
    }

    @Test("a kill at any call loses nothing and doubles nothing, and the next run ends the work")
    func kills() throws {
        let rules = try makeWork()
        let before = try fixture.snapshot()
        let linesBefore = try log.read().lines
        fixture.disk.set { $0.calls = [] }
        try fixture.maintain(rules)
        let callCount = fixture.disk.takeCalls().count
        let after = try fixture.snapshot()
        let linesAfter = try log.read().lines
        #expect(callCount > 100 && linesAfter.count < linesBefore.count)
        for count in 0..<callCount {
            try fixture.restore(before)
            fixture.disk.set { $0.callsUntilDeath = count }
            let report = try? fixture.maintain(rules)
            #expect(report == nil || report?.failure != nil || report?.clearedCount == 0)
            fixture.disk.set { $0.callsUntilDeath = nil }
            let (lines, found) = try log.read()
            #expect(Set(lines).count == lines.count && Set(lines).isSuperset(of: linesAfter))
            #expect(found.lostCount + found.holeCount == 3, "call \(count)")
            #expect(!found.hasUnknownLoss, "call \(count)")
            // Whatever is gone was the first that its writer had.
            #expect(
                found.retiredCount + UInt64(lines.count)
                    == UInt64(linesBefore.count)
                    || !found.writers.contains { $0.writer.low == 1 }, "call \(count)")
            try fixture.maintain(rules)
            #expect(try fixture.snapshot() == after, "call \(count)")
            #expect(try log.directory.list(.facts).ignored.isEmpty, "call \(count)")
        }
    }

    @Test("on a full disk what had its time goes, and the rest is as good as before")
    func fullDisk() throws {
        let rules = try makeWork()
        let before = try fixture.snapshot()
        for free in [0, 50, 200, 400] {
            try fixture.restore(before)
            fixture.disk.set { $0.freeByteCount = free }
            let report = try fixture.maintain(rules)
            #expect(report.failure?.isNoSpace == true)
            #expect(report.done[.prune]?.segmentCount == 2)
            fixture.disk.set { $0.freeByteCount = nil }
            #expect(try log.read().lines.count == 24 + 6)
            #expect(try log.directory.list(.facts).ignored.isEmpty)
        }
    }

    @Test(
        "a copy is not deleted before the name of the merged file is on the disk that has its lines"
    )
    func dropsBehindSync() throws {
        for id: UInt64 in 1...2 { try fixture.write([[5]], id: id) }
        let copies = try fixture.snapshot()
        try fixture.maintain(MaintenanceRules())
        for (name, bytes) in copies { try log.replace(name, by: bytes) }
        // A disk that does not confirm the name keeps the copies.
        fixture.disk.set { $0.always[.syncFolder] = EIO }
        #expect(try fixture.maintain(MaintenanceRules()).failure != nil)
        #expect(try log.segmentNames().count == 3)
        fixture.disk.set { $0.always = [:] }
        try fixture.maintain(MaintenanceRules())
        #expect(try log.segmentNames().count == 1)
        #expect(try log.read().lines == keys(1, 1...5) + keys(2, 1...5))
    }

    // MARK: Who may

    @Test("a log on a network file system is refused before anything is changed")
    func network() throws {
        try fixture.write([[2]], id: 1, isKilled: true)
        fixture.disk.set { $0.isRemote = true }
        #expect(throws: LogError.networkFileSystem(path: log.directory.path)) {
            try MaintenanceLock(log.directory)
        }
        #expect(try !log.directory.list(.facts).segments.isEmpty)
    }
}
