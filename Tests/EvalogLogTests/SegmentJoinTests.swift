// Joining segments: few files, short members shared, and each line as it was, under its own identity.

import TestSupport
import Testing

@testable import EvalogLog

@Suite("Joining segments")
struct SegmentJoinTests {
    private let fixture = MaintenanceFixture()
    private var log: LogFixture { fixture.log }
    private var clock: ManualClock { fixture.clock }
    private let rules = MaintenanceRules()

    /// What a reader says of each writer, but for what it read.
    private func account() throws -> [WriterReport] { try log.read().report.writers }

    // MARK: Merging

    @Test("short-lived writers come into one file, with all lines, seals and accounts")
    func merges() throws {
        for id: UInt64 in 1...50 {
            try fixture.write([[Int(id % 7) + 1]], id: id, isKilled: id % 2 == 0)
        }
        let before = try log.read()
        let writers = try account()
        let byteCount = try fixture.snapshot().values.reduce(0) { $0 + $1.count }
        let report = try fixture.maintain(rules)
        #expect(report.failure == nil && report.skipped.isEmpty)
        #expect(report.done[.merge]?.segmentCount == 50 && report.done[.finish] == nil)
        let after = try log.read()
        #expect(after.lines == before.lines && after.report.isClean)
        #expect(try account() == writers)
        #expect(after.report.segments.map(\.state) == [.merged])
        let files = try fixture.snapshot()
        #expect(
            report.done[.merge]?.newByteCount == Int64(files.values.reduce(0) { $0 + $1.count }))
        #expect(files.values.reduce(0) { $0 + $1.count } * 2 < byteCount)
        #expect(try fixture.plan(rules).steps.isEmpty)
    }

    @Test("a gzip reader gets all lines of a merged file, one behind the other")
    func gzip() throws {
        for id: UInt64 in 1...20 { try fixture.write([[5]], id: id) }
        try fixture.maintain(rules)
        let name = try #require(try log.segmentNames().first)
        let run = try #require(Subprocess(["zcat", "\(log.factsPath)/\(name)"]))
        #expect(run.status == 0)
        let lines = run.output.utf8.split(separator: UInt8(ascii: "\n")).map(Array.init)
        #expect(lines.count == 100)
        #expect(
            Set(lines) == Set((1...20).flatMap { id in (1...5).map { LogFixture.line(id, $0) } }))
    }

    @Test("a follower sees each line once, whether it came before, between or after")
    func followers() throws {
        let early = LogFollower(log.directory, .facts)
        let seen = LineCollector()
        for id: UInt64 in 1...9 { try fixture.write([[3]], id: id, isKilled: id % 3 == 0) }
        _ = try early.poll { seen.add($0) }
        for id: UInt64 in 10...19 { try fixture.write([[2]], id: id) }
        try fixture.maintain(rules)
        _ = try early.poll { seen.add($0) }
        for id: UInt64 in 20...29 { try fixture.write([[2]], id: id) }
        try fixture.maintain(rules)
        _ = try early.poll { seen.add($0) }
        let late = LineCollector()
        _ = try LogFollower(log.directory, .facts, from: early.position).poll { late.add($0) }
        #expect(seen.lines == (try log.read().lines) && seen.wrongCount == 0 && late.lines.isEmpty)
        let newest = LineCollector()
        _ = try readLastLines(7, of: log.directory, .facts) { newest.add($0) }
        #expect(newest.lines.count == 7 && newest.wrongCount == 0)
    }

    @Test("what is lost, known to be missing or uncertain is so afterwards")
    func accounts() throws {
        var gap = SegmentBuilder()
        gap.block(1, 1...5)
        gap.block(1, 8...9)
        gap.seal(1, 1...9, .seal)
        // Nobody took anything out here: the lines are just not there.
        try log.put(SegmentBuilder.name(1, 1), gap.bytes)
        var holed = SegmentBuilder()
        holed.block(2, 3...4)
        holed.hole(2, 5...7)
        holed.seal(2, 3...7, [.seal, .final])
        try log.put(SegmentBuilder.name(2, 3), holed.bytes)
        var whole = SegmentBuilder()
        whole.block(3, 1...2)
        whole.seal(3, 1...2, [.seal, .final])
        try log.put(SegmentBuilder.name(3, 1), whole.bytes)
        let before = try account()
        #expect(
            before.map(\.lost.count) == [2, 0, 0]
                && before.map(\.hasUnknownLoss) == [true, false, false])
        #expect(before.map(\.holes.count) == [0, 3, 0] && before.map(\.retiredCount) == [0, 2, 0])
        clock.setWall(0)
        try fixture.maintain(rules)
        #expect(try log.segmentNames().count == 1)
        #expect(try account() == before)
    }

    @Test("replaced lines stay replaced, and copies count once and go")
    func generations() throws {
        var old = SegmentBuilder()
        old.block(1, 1...10)
        old.seal(1, 1...10, [.seal, .final])
        var new = SegmentBuilder()
        new.block(1, 1...3)
        new.block(1, 4...5, generation: 1) { _, _ in Tombstone.plain.line }
        new.block(1, 6...10)
        new.seal(1, 1...10, [.seal, .final], generation: 1)
        try log.put(SegmentBuilder.name(1, 1), old.bytes)
        try log.put(SegmentBuilder.name(1, 2), new.bytes)
        try log.put(SegmentBuilder.name(1, 3), old.bytes)
        clock.setWall(0)
        try fixture.maintain(rules)
        let name = try #require(try log.segmentNames().first)
        #expect(try log.segmentNames().count == 1)
        let headers = try LogCatalog.scan(log.directory, .facts).headers.map(\.header)
        #expect(headers.map(\.sequences) == [1..<4, 4..<6, 6..<11])
        #expect(headers.map(\.generation) == [0, 1, 0])
        let run = try #require(Subprocess(["zcat", "\(log.factsPath)/\(name)"]))
        #expect(run.output.utf8.split(separator: UInt8(ascii: "\n")).count == 10)
    }

    @Test("a block that cannot be read becomes a hole first, and then its segment is joined")
    func damaged() throws {
        for id: UInt64 in 1...3 { try fixture.write([[4, 4]], id: id) }
        let name = try #require(try log.segmentNames().first)
        var bytes = try log.bytes(of: name)
        bytes[95] ^= 0xff
        try log.replace(name, by: bytes)
        let lines = try log.read().lines
        #expect(lines.count == 20)
        let report = try fixture.maintain(rules)
        #expect(report.done[.finish]?.segmentCount == 1 && report.unreadableCount == 4)
        let after = try log.read()
        #expect(after.lines == lines && after.report.isClean && after.report.holeCount == 4)
        #expect(try log.segmentNames().count == 1)
    }

    // MARK: Blocks

    @Test("blocks of one writer appended within a minute become one, and no others")
    func compacts() throws {
        let writer = try log.writer(1, clock: clock)
        for sequence: UInt64 in 1...100 {
            _ = writer.append(LogFixture.line(1, sequence), to: .facts, eventTime: 0)
            try writer.flush()
            clock.advance(by: 3_000_000)
        }
        try writer.close()
        let before = try LogCatalog.scan(log.directory, .facts).headers.map(\.header)
        #expect(try fixture.plan(rules).steps.map(\.kind) == [.compact])
        try fixture.maintain(rules)
        let after = try LogCatalog.scan(log.directory, .facts).headers.map(\.header)
        #expect(after.map { $0.sequences.count } == [21, 21, 21, 21, 16])
        for header in after {
            let parts = before.filter { header.sequences.contains($0.first) }
            #expect(header.appendTime == parts.map(\.appendTime).max())
            #expect(header.appendTime - (parts.map(\.appendTime).min() ?? 0) <= 60_000_000)
        }
        #expect(try log.read().lines == keys(1, 1...100))
        #expect(try fixture.plan(rules).steps.isEmpty)
        // What was joined once is not joined further, whatever it is merged with.
        try fixture.write([[1]], id: 2)
        try fixture.maintain(rules)
        #expect(try log.segmentNames().count == 1)
        let merged = try LogCatalog.scan(log.directory, .facts).headers.map(\.header)
        #expect(merged.filter { $0.writer.low == 1 }.map(\.sequences) == after.map(\.sequences))
    }

    @Test("joined text stays within a block's limit")
    func blockLimit() throws {
        let writer = try log.writer(1, clock: clock)
        let line = [UInt8](repeating: UInt8(ascii: "x"), count: 90 << 10)
        for _ in 0..<5 {
            _ = writer.append(line, to: .facts, eventTime: 0)
            try writer.flush()
        }
        try writer.close()
        try fixture.maintain(rules)
        let headers = try LogCatalog.scan(log.directory, .facts).headers.map(\.header)
        #expect(headers.map(\.count) == [2, 2, 1])
    }

    // MARK: Which

    @Test("lines appended too far apart never come into one file", arguments: StreamKind.allCases)
    func span(kind: StreamKind) throws {
        for id: UInt64 in 1...60 {
            try fixture.write([[1]], id: id)
            clock.advance(by: kind == .facts ? MaintenanceFixture.day : MaintenanceFixture.day / 20)
        }
        let catalog = try LogCatalog.scan(log.directory, .facts)
        let plan = MaintenancePlan(catalog, kind, rules, at: clock.wallTime())
        #expect(plan.steps.map(\.kind) == [.merge, .merge, .merge])
        let limit = kind == .facts ? 20 * MaintenanceFixture.day : MaintenanceFixture.day
        for step in plan.steps {
            let indices = Set(
                catalog.segments.indices.filter {
                    step.segments.contains(catalog.segments[$0].name)
                })
            let times = catalog.headers.filter { indices.contains($0.segment) }.map(
                \.header.appendTime)
            #expect((times.max() ?? 0) - (times.min() ?? 0) <= limit)
        }
        #expect(plan.steps.reduce(0) { $0 + $1.segments.count } == 60)
    }

    @Test("a line is rewritten a few times in its life, and the files stay few")
    func amplification() throws {
        var written: Int64 = 0
        var random = SeededGenerator(seed: 1)
        for id: UInt64 in 1...200 {
            let writer = try log.writer(id, clock: clock)
            // What does not compress: 16 kB each.
            for _ in 0..<4 {
                let line = (0..<4_096).map { _ in UInt8.random(in: 32...255, using: &random) }
                _ = writer.append(line, to: .facts, eventTime: 0)
            }
            try writer.close()
            written += try fixture.maintain(rules).done[.merge]?.newByteCount ?? 0
        }
        let byteCount = try fixture.snapshot().values.reduce(0) { $0 + $1.count }
        #expect(try log.segmentNames().count < 10 && byteCount > 3 << 20)
        #expect(written < 10 * Int64(byteCount))
        #expect(try LogCatalog.scan(log.directory, .facts).headers.count == 200)
    }

    @Test("a writer's lines that lie between two segments keep these apart")
    func between() throws {
        // The middle one is too large to be joined.
        try fixture.write([[3], [600], [3]], id: 1)
        let sizes = try log.directory.list(.facts).segments.map(\.status.byteCount)
        var rules = rules
        rules.joinByteCount = sizes[1] - 1
        try fixture.write([[2]], id: 2)
        #expect(try fixture.plan(rules).steps.map(\.segments.count) == [2])
        try fixture.maintain(rules)
        #expect(try log.segmentNames().count == 3)
        // So what is deleted later of writer 1 is what it wrote first.
        for day in Int64(0)...403 {
            clock.advance(by: day == 0 ? 395 * MaintenanceFixture.day : MaintenanceFixture.day / 40)
            try fixture.maintain(rules)
            let report = try log.read().report
            #expect(report.lostCount == 0 && !report.hasUnknownLoss)
        }
        #expect(try log.segmentNames().isEmpty)
    }

    @Test("bounds on how much is joined at a time hold, and the next run goes on")
    func bounds() throws {
        for id: UInt64 in 1...20 { try fixture.write([[4]], id: id) }
        let bounded = MaintenanceRules(joinCount: 8...8)
        #expect(try fixture.plan(bounded).steps.map(\.segments.count) == [8, 8])
        try fixture.maintain(bounded)
        #expect(try log.segmentNames().count == 6)
        #expect(try log.read().lines.count == 80)
    }

    // MARK: Interruptions

    private func makeWork() throws {
        for id: UInt64 in 1...4 { try fixture.write([[3, 2]], id: id, isKilled: id % 2 == 0) }
        clock.advance(by: 30 * MaintenanceFixture.day)
        try fixture.write([[5], [6]], id: 5)
        try fixture.write([[2]], id: 6, isKilled: true)
    }

    @Test("a kill at any call loses nothing and doubles nothing, and the next run ends the work")
    func kills() throws {
        try makeWork()
        let before = try fixture.snapshot()
        let lines = try log.read().lines
        let writers = try account()
        fixture.disk.set { $0.calls = [] }
        try fixture.maintain(rules)
        let callCount = fixture.disk.takeCalls().count
        #expect(try log.segmentNames().count == 2 && callCount > 100)
        for count in 0..<callCount {
            try fixture.restore(before)
            let follower = LogFollower(log.directory, .facts)
            let seen = LineCollector()
            _ = try follower.poll { seen.add($0) }
            fixture.disk.set { $0.callsUntilDeath = count }
            _ = try? fixture.maintain(rules)
            fixture.disk.set { $0.callsUntilDeath = nil }
            let found = try log.read()
            #expect(found.lines == lines && found.report.isClean, "call \(count)")
            #expect(found.report.writers == writers, "call \(count)")
            _ = try follower.poll { seen.add($0) }
            try fixture.maintain(rules)
            _ = try follower.poll { seen.add($0) }
            #expect(try log.read().lines == lines && seen.lines == lines, "call \(count)")
            #expect(try account() == writers, "call \(count)")
            #expect(try log.segmentNames().count == 2, "call \(count)")
            #expect(try fixture.plan(rules).steps.isEmpty, "call \(count)")
            #expect(try log.directory.list(.facts).ignored.isEmpty, "call \(count)")
        }
    }

    @Test("a copy is not dropped for a merged file that cannot be read")
    func unreadableCover() throws {
        try makeWork()
        let before = try fixture.snapshot()
        try fixture.maintain(rules)
        for (name, bytes) in before { try log.replace(name, by: bytes) }
        #expect(try fixture.plan(rules).steps.map(\.kind).contains(.drop))
        let lines = try log.read().lines
        for name in try log.segmentNames() where SegmentName(name)?.isMerged == true {
            var bytes = try log.bytes(of: name)
            bytes[bytes.count - 20] ^= 0xff  // In the last block's bytes or its seal's.
            bytes[Member.headerByteCount + 300] ^= 0xff
            try log.replace(name, by: bytes)
        }
        try fixture.maintain(rules)
        #expect(try log.read().lines == lines)
    }

    @Test(
        "replaced lines are not dropped for a merged file from before, but older copies are for it")
    func coverOfLesserGeneration() throws {
        var old = SegmentBuilder()
        old.block(1, 1...10)
        old.seal(1, 1...10, [.seal, .final])
        var new = SegmentBuilder()
        new.block(1, 1...10, generation: 1) { _, _ in Tombstone.plain.line }
        new.seal(1, 1...10, [.seal, .final], generation: 1)
        for (plain, merged, isDropped) in [(new, old, false), (old, new, true), (old, old, true)] {
            var end = SegmentBuilder()
            end.block(2, 1...1)
            end.seal(2, 1...1, [.seal, .final, .mergedEnd])
            clock.setWall(0)
            try log.put("old", [])
            try fixture.restore([:])
            try log.put(SegmentBuilder.name(1, 1), plain.bytes)
            try log.put(SegmentBuilder.name(9, 0), merged.bytes + end.bytes)
            let steps = try fixture.plan().steps
            #expect(steps.map(\.kind) == (isDropped ? [.drop] : []))
            try fixture.maintain()
            #expect(try log.segmentNames().count == (isDropped ? 1 : 2))
        }
    }

    @Test(
        "of what is too large to be looked through the seal is read, and it is pruned in its turn")
    func sealsOnly() throws {
        try fixture.write([[30, 30], [40]], id: 1)
        try fixture.write([[5]], id: 2, isKilled: true)
        var rules = rules
        rules.lookByteCount = 1
        let catalog = try LogCatalog.scan(log.directory, .facts, wholeUpTo: 1)
        #expect(catalog.segments.map(\.isSealOnly).filter(\.self).count == 2)
        #expect(catalog.blocks.count == 1)
        #expect(try fixture.maintain(rules).done.keys.map(\.self) == [.finish])
        #expect(try log.read().lines.count == 105)
        clock.advance(by: 400 * MaintenanceFixture.day - 1)
        try fixture.maintain(rules)
        #expect(try log.read().lines.count == 45)
        #expect(try log.read().report.writers.map(\.retiredCount) == [60, 0])
    }

    @Test("a full disk leaves all lines and no other file")
    func fullDisk() throws {
        try makeWork()
        let before = try fixture.snapshot()
        let lines = try log.read().lines
        for free in stride(from: 0, to: 700, by: 37) {
            try fixture.restore(before)
            fixture.disk.set { $0.freeByteCount = free }
            #expect(try fixture.maintain(rules).failure?.isNoSpace == true)
            fixture.disk.set { $0.freeByteCount = nil }
            #expect(try log.read().lines == lines)
            #expect(try log.directory.list(.facts).ignored.isEmpty)
        }
    }

    @Test("who wants an end gets it between two blocks, and nothing half done stays")
    func stops() throws {
        try makeWork()
        let before = try fixture.snapshot()
        let asked = Monitor(0)
        let report = try fixture.maintain(rules) {
            asked.withLock { count in
                count += 1
                return count > 4
            }
        }
        #expect(report.leftCount > 0)
        #expect(try fixture.snapshot() == before)
        #expect(try log.directory.list(.facts).ignored.isEmpty)
    }
}
