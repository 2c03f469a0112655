// Packs: members that hold whole runs of several writers, and what damage does to them.

import TestSupport
import Testing

@testable import EvalogLog

@Suite("Packs")
struct PackTests {
    private let fixture = MaintenanceFixture()
    private var log: LogFixture { fixture.log }

    /// One merged file of short runs that share a member, and one run with members of its own.
    private func makeMerged() throws -> (name: String, bytes: [UInt8], lines: [LineKey]) {
        for id: UInt64 in 1...6 { try fixture.write([[Int(id)]], id: id) }
        var own = SegmentBuilder()
        own.block(7, 1...2, appendTime: fixture.clock.wallTime())
        own.hole(7, 3...3, appendTime: fixture.clock.wallTime())
        own.block(7, 4...5, appendTime: fixture.clock.wallTime())
        own.seal(7, 1...5, [.seal, .final], appendTime: fixture.clock.wallTime())
        try log.put(SegmentBuilder.name(7, 1), own.bytes)
        try fixture.maintain(MaintenanceRules())
        let name = try #require(try log.segmentNames().first)
        #expect(try log.segmentNames().count == 1)
        return (name, try log.bytes(of: name), try log.read().lines)
    }

    @Test("runs are read as they were written", arguments: [1, 2, 3])
    func roundTrip(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for count in [1, 2, 75, Pack.runCountMax] {
            var member = BlockHeader(
                flags: .packed, stream: 1, writer: .random(), first: 1, count: 0,
                leastEventTime: 0, greatestEventTime: 0, appendTime: 0)
            member.memberByteCount = 12_345
            var runs: [BlockHeader] = []
            for _ in 0..<count {
                var run = member
                run.flags = Bool.random(using: &random) ? .seal : [.seal, .final]
                run.writer = WriterID(high: random.next(), low: random.next())
                run.first = .random(in: 1...(.max / 2), using: &random)
                run.count = .random(in: 1...100, using: &random)
                run.generation = .random(in: 0...255, using: &random)
                run.leastEventTime = Int64(truncatingIfNeeded: random.next())
                run.greatestEventTime = Int64(truncatingIfNeeded: random.next())
                run.appendTime = Int64(truncatingIfNeeded: random.next())
                runs.append(run)
                member.count += run.count
            }
            for index in runs.indices { runs[index].dataChecksum = member.dataChecksum }
            let bytes = Pack.encode(runs)
            #expect(bytes.count + BlockHeader.byteCount + 4 <= 0xffff)
            bytes.withUnsafeBytes { raw in
                let body = UnsafeRawBufferPointer(rebasing: raw[4...])
                #expect(Pack.decode(body, of: member) == runs)
                member.count += 1
                #expect(Pack.decode(body, of: member) == nil)
            }
        }
    }

    @Test("any flipped byte costs at most one member, and gives no wrong line")
    func flips() throws {
        let (name, bytes, lines) = try makeMerged()
        let members = try Set(LogCatalog.scan(log.directory, .facts).headers.map(\.offset))
        #expect(members.count == 3)
        for index in bytes.indices {
            var flipped = bytes
            flipped[index] ^= 0x10
            try log.replace(name, by: flipped)
            let collector = LineCollector()
            let report = try readLog(log.directory, .facts) { _, block in collector.add(block) }
            #expect(collector.wrongCount == 0, "byte \(index)")
            #expect(!report.damages.isEmpty, "byte \(index)")
            let found = collector.lines
            #expect(Set(found).count == found.count && Set(found).isSubset(of: lines))
            // The pack has 21 lines, the other members 2 each.
            #expect(found.count == 25 || found.count == 23 || found.count == 4, "byte \(index)")
        }
    }

    @Test("a damaged gzip header hides no line")
    func gzipHeader() throws {
        let (name, bytes, lines) = try makeMerged()
        let packs = try LogCatalog.scan(log.directory, .facts).headers.filter {
            $0.header.writer.low < 7
        }
        let start = Int(try #require(packs.first).offset)
        for index in start..<(start + 12) {
            var flipped = bytes
            flipped[index] ^= 0xff
            try log.replace(name, by: flipped)
            let (found, report) = try log.read()
            #expect(
                found == lines && report.damages.map(\.reason) == [.gzipHeader], "byte \(index)")
        }
    }

    @Test("cut at any byte, what is whole is read and nothing else")
    func cuts() throws {
        let (name, bytes, lines) = try makeMerged()
        for length in 1..<bytes.count {
            try log.replace(name, by: Array(bytes.prefix(length)))
            let collector = LineCollector()
            let report = try readLog(log.directory, .facts) { _, block in collector.add(block) }
            #expect(collector.wrongCount == 0 && Set(collector.lines).isSubset(of: lines))
            #expect(!report.isClean, "cut at \(length)")
        }
    }

    @Test("finishing a damaged merged file keeps the rest, and states what is gone")
    func repairs() throws {
        let (name, bytes, lines) = try makeMerged()
        let packs = try LogCatalog.scan(log.directory, .facts).headers.filter {
            $0.header.writer.low < 7
        }
        let pack = try #require(packs.first)
        var damaged = bytes
        damaged[Int(pack.offset) + Int(pack.header.memberByteCount) - 12] ^= 0xff
        try log.replace(name, by: damaged)
        let lock = try #require(try MaintenanceLock.wait(log.directory))
        let rewriter = SegmentRewriter(
            lock, .facts, damaged: .keptAside, clock: fixture.clock)
        let outcome = try rewriter.rewrite(try #require(SegmentName(name)), among: .init()) { _ in
            .init()
        }
        guard case .rewritten(let rewritten) = outcome else {
            Issue.record("not rewritten")
            return
        }
        #expect(rewritten.unreadableCount == 21)
        #expect(rewritten.damagedByteCount == Int64(pack.header.memberByteCount))
        let (found, report) = try log.read()
        #expect(found == lines.filter { $0.writer == 7 })
        #expect(report.isClean && report.holeCount == 22)
    }

    @Test("lines are erased in a pack, and stay so when it is merged again")
    func erases() throws {
        let (_, _, lines) = try makeMerged()
        let lock = try #require(try MaintenanceLock.wait(log.directory))
        let victim = LogFixture.line(3, 2)
        let report = try LineEraser(lock, .facts, timing: fixture.timing).run { _, line in
            line.elementsEqual(victim) ? .erase : .keep
        }
        #expect(report.lineCount == 1 && report.isComplete)
        try fixture.write([[1]], id: 8)
        let maintainer = LogMaintainer(lock, .facts, timing: fixture.timing)
        #expect(maintainer.run().done[.merge]?.segmentCount == 2)
        let found = Monitor<[LineKey: [UInt8]]>([:])
        let after = try readLog(log.directory, .facts) { _, block in
            block.forEachLine { sequence, line in
                let key = LineKey(writer: block.header.writer.low, sequence: sequence)
                found.withLock { $0[key] = Array(line) }
            }
        }
        let texts = found.withLock { $0 }
        #expect(texts.count == lines.count + 1 && after.isClean)
        for (key, text) in texts {
            let isVictim = key == LineKey(writer: 3, sequence: 2)
            let line = LogFixture.line(key.writer, key.sequence)
            #expect(text == (isVictim ? Tombstone.plain.line : line))
        }
    }
}
