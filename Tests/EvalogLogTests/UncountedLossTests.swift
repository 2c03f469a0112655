// Losses that nobody can count stay stated, whatever maintenance does to the segments that tell of them.

import TestSupport
import Testing

@testable import EvalogLog

@Suite("A loss that nobody can count")
struct UncountedLossTests {
    private let fixture = MaintenanceFixture()
    private var log: LogFixture { fixture.log }
    private let name = SegmentBuilder.name

    private func reasons() throws -> [UncountedLoss.Reason] {
        try log.read().report.uncounted.map(\.reason)
    }

    private func traces() throws -> WriterTraces {
        WriterTraces(try LogCatalog.scan(log.directory, .facts))
    }

    private func rewriter() throws -> SegmentRewriter {
        let lock = try #require(try MaintenanceLock.wait(log.directory))
        return SegmentRewriter(
            lock, .facts, damaged: .keptAside, clock: fixture.clock)
    }

    private var now: Int64 { fixture.clock.wallTime() }

    /// A block without a seal, as a dead writer leaves it.
    private func dead(_ sequences: ClosedRange<UInt64>) -> SegmentBuilder {
        var builder = SegmentBuilder()
        builder.block(1, sequences, appendTime: now)
        return builder
    }

    // MARK: A torn end

    @Test("no other copy of its lines is sealed as the writer's last")
    func tornEnd() throws {
        for number in [1, 3] { try log.put(name(1, number, 0), dead(1...5).bytes) }
        var torn = dead(1...5)
        torn.raw([UInt8](repeating: 0x55, count: 40))
        try log.put(name(1, 2, 0), torn.bytes)
        #expect(try reasons() == [.tail])
        let first = try #require(SegmentName(name(1, 1, 0)))
        let outcome = try rewriter().rewrite(first, among: try traces()) { _ in .init() }
        #expect(outcome == .rewritten(.init()))
        #expect(try reasons().contains(.tail))
        let names = [first, try #require(SegmentName(name(1, 3, 0)))]
        let joined = try SegmentJoin(try rewriter()).run(
            names, as: WriterID(high: 7, low: 7), among: try traces(), shouldStop: { false })
        guard case .joined = joined else {
            Issue.record("they were not joined")
            return
        }
        #expect(try reasons().contains(.tail))
        try fixture.maintain(MaintenanceRules())
        #expect(try !reasons().isEmpty)
        #expect(try log.read().lines == keys(1, 1...5))
    }

    // MARK: A damaged head

    @Test(
        "a damaged head stays one through finishing and joining, until what was before it is back")
    func head() throws {
        var builder = dead(11...15)
        builder.block(1, 16...20, appendTime: now)
        var bytes = builder.bytes
        bytes.replaceSubrange(..<builder.offsets[1], with: [UInt8](repeating: 0x55, count: 200))
        try log.put(name(1, 2, 0), bytes)
        #expect(try reasons() == [.head])
        try fixture.maintain()
        #expect(try reasons() == [.head])
        let finished = try log.read().report
        #expect(finished.holeCount == 1 && finished.damages.isEmpty)
        var follower = dead(21...30)
        follower.seal(1, 21...30, [.seal, .final], appendTime: now)
        try log.put(name(1, 3, 0), follower.bytes)
        #expect(try reasons() == [.head])
        try fixture.maintain(MaintenanceRules())
        let joined = try log.read()
        #expect(joined.report.segments.map(\.state) == [.merged])
        #expect(joined.lines == keys(1, 16...30))
        #expect(try reasons() == [.head])
        try log.put(name(1, 1, 0), dead(1...10).bytes)
        let whole = try log.read().report
        #expect(whole.uncounted.isEmpty)
        #expect(whole.lostCount + whole.holeCount == 5)
    }

    @Test(
        "a merged file does not stand for a segment whose head is not known, unless it says so too")
    func cover() throws {
        for isOpen in [false, true] {
            try fixture.restore([:])
            var plain = SegmentBuilder()
            plain.hole(1, 10...10, appendTime: now, isOpen: true)
            plain.block(1, 11...15, appendTime: now)
            plain.seal(1, 10...15, [.seal, .final], appendTime: now)
            var merged = SegmentBuilder()
            merged.hole(1, 10...10, appendTime: now, isOpen: isOpen)
            merged.block(1, 11...15, appendTime: now)
            merged.seal(1, 10...15, [.seal, .final, .mergedEnd], appendTime: now)
            try log.put(name(1, 2, 0), plain.bytes)
            try log.put(name(9, 0, 0), merged.bytes)
            #expect(try fixture.plan().steps.map(\.kind) == (isOpen ? [.drop] : []))
            try fixture.maintain(MaintenanceRules())
            #expect(try reasons().contains(.head))
        }
    }

    // MARK: An emptied segment

    @Test("lines in a merged file do not tell which ones an emptied segment had")
    func emptiedBeforeMerged() throws {
        try log.put(name(1, 2, 0), [])
        for (number, first) in [(3, 11), (4, 16)] as [(Int, UInt64)] {
            var builder = dead(first...first + 4)
            builder.seal(1, first...first + 4, .seal, appendTime: now)
            try log.put(name(1, number, 0), builder.bytes)
        }
        var last = dead(21...25)
        last.seal(1, 21...25, [.seal, .final], appendTime: now)
        try log.put(name(1, 5, 0), last.bytes)
        #expect(try reasons() == [.unreadable])
        let third = try #require(SegmentName(name(1, 3, 0)))
        _ = try rewriter().rewrite(third, among: try traces()) { header in
            SequenceSet(12..<13).intersection(SequenceSet(header.sequences))
        }
        #expect(try log.segmentNames().contains { SegmentName($0)?.isMerged == true })
        #expect(try reasons() == [.unreadable])
        // A segment before it does.
        try log.put(name(1, 1, 0), dead(1...5).bytes)
        #expect(try reasons().isEmpty)
        #expect(try log.read().report.lostCount == 5)
    }

    @Test("an older copy of an emptied segment does not tell that nothing came behind it")
    func emptiedBeforeCopy() throws {
        var first = dead(1...5)
        first.seal(1, 1...5, .seal, appendTime: now)
        let backup = LogFixture()
        for log in [log, backup] { try log.put(name(1, 1, 0), first.bytes) }
        // It had more lines than the copy when it was emptied.
        try log.put(name(1, 2, 0), [])
        try backup.put(name(1, 2, 0), dead(6...8).bytes)
        #expect(try reasons() == [.successor, .unreadable])
        let report = try copySegments(of: .facts, from: backup.directory, to: log.directory)
        #expect(report.copied.count == 1 && report.present.count == 1)
        #expect(try log.read().lines == keys(1, 1...8))
        #expect(try reasons() == [.unreadable])
        try fixture.maintain(MaintenanceRules())
        #expect(try log.read().lines == keys(1, 1...8) && !reasons().isEmpty)
    }

    @Test("nothing of a writer goes before it is noted what an emptied segment of it had")
    func emptiedBeforePruned() throws {
        try fixture.write([[5], [5], [5]], id: 1)
        let names = try log.segmentNames()
        try log.replace(names[1], by: [])
        #expect(try log.read().report.lostCount == 5)
        fixture.clock.advance(by: 10 * MaintenanceFixture.day)
        let rules = MaintenanceFixture.alone(factsDays: 3)
        #expect(try fixture.plan(rules).steps.map(\.kind) == [.finish])
        try fixture.maintain(rules, budget: MaintenanceBudget(segmentCount: 1, byteCount: .max))
        let noted = try log.read().report
        #expect(noted.lostCount + noted.holeCount == 5 && noted.retiredCount == 0)
        try fixture.maintain(rules)
        #expect(try log.segmentNames().isEmpty)
    }
}
