// Logs that live: writers come, die and are killed, somebody erases, copies and maintains, is killed at
// it, and somebody follows all along.

import TestSupport
import Testing

@testable import EvalogLog

@Suite("A log's life under maintenance")
struct MaintenanceLifeTests {
    /// What ought to be in the log.
    private final class Life {
        let fixture = MaintenanceFixture()
        var random: SeededGenerator
        /// When each line was appended.
        var appended: [LineKey: Int64] = [:]
        var erased: Set<LineKey> = []
        var writerCount: UInt64 = 0
        let follower: LogFollower
        var seen: [LineKey: Int] = [:]
        var log: LogFixture { fixture.log }
        var clock: ManualClock { fixture.clock }

        init(seed: UInt64) {
            random = SeededGenerator(seed: seed)
            follower = LogFollower(fixture.log.directory, .facts)
        }

        func step() throws {
            switch Int.random(in: 0..<10, using: &random) {
            case 0...3: try write()
            case 4: clock.advance(by: .random(in: 0...(4 * LogLimits.day), using: &random))
            case 5: try erase()
            case 6: try copy()
            default: try maintain()
            }
            if Bool.random(using: &random) { try follow() }
            try check()
        }

        func write() throws {
            writerCount += 1
            let id = writerCount
            let writer = try log.writer(id, clock: clock)
            var sequence: UInt64 = 0
            for _ in 0..<Int.random(in: 1...5, using: &random) {
                for _ in 0..<Int.random(in: 1...6, using: &random) {
                    sequence += 1
                    appended[LineKey(writer: id, sequence: sequence)] = clock.wallTime()
                    _ = writer.append(LogFixture.line(id, sequence), to: .facts, eventTime: 0)
                }
                try writer.flush()
                clock.advance(by: .random(in: 0...100_000_000, using: &random))
                if Int.random(in: 0..<3, using: &random) == 0 { writer.roll() }
            }
            if Bool.random(using: &random) { fixture.disk.set { $0.callsUntilDeath = 0 } }
            try? writer.close()
            fixture.disk.set { $0.callsUntilDeath = nil }
        }

        /// What was erased and had its time may have gone with it.
        private func erase() throws {
            guard let key = appended.keys.sorted().randomElement(using: &random) else { return }
            let line = LogFixture.line(key.writer, key.sequence)
            let lock = try #require(try MaintenanceLock.wait(log.directory))
            _ = try LineEraser(lock, .facts, timing: fixture.timing).run { _, other in
                other.elementsEqual(line)
                    ? .erase : Tombstone(other) != nil ? .erased : .keep
            }
            erased.insert(key)
        }

        /// Restores a segment as it was a moment ago, under another name.
        private func copy() throws {
            let names = try log.segmentNames().compactMap(SegmentName.init)
            guard let name = names.randomElement(using: &random) else { return }
            let bytes = try log.bytes(of: name.description)
            let copied =
                name.isMerged
                ? SegmentName(time: name.time, writer: .random(), number: 0, kind: .facts)
                : SegmentName(
                    time: name.time, writer: name.writer, number: name.number + 50, kind: .facts)
            try log.replace(copied.description, by: bytes)
        }

        private func maintain() throws {
            if Bool.random(using: &random) {
                fixture.disk.set { [deadline = Int.random(in: 0...600, using: &random)] in
                    $0.callsUntilDeath = deadline
                }
            }
            let rules = MaintenanceRules(
                factsDays: 30, joinCount: 2...Int.random(in: 2...20, using: &random),
                joinByteCount: .random(in: 500...20_000, using: &random))
            let budget = MaintenanceBudget(
                segmentCount: .random(in: 1...50, using: &random), byteCount: .max)
            _ = try? fixture.maintain(rules, budget: budget)
            fixture.disk.set { $0.callsUntilDeath = nil }
        }

        func follow() throws {
            _ = try follower.poll { block in
                block.forEachLine { sequence, _ in
                    let key = LineKey(writer: block.header.writer.low, sequence: sequence)
                    seen[key, default: 0] += 1
                }
            }
        }

        private func check() throws {
            let found = Monitor<[LineKey: [UInt8]]>([:])
            guard !appended.isEmpty else { return }
            let report = try readLog(log.directory, .facts) { _, block in
                block.forEachLine { sequence, line in
                    let key = LineKey(writer: block.header.writer.low, sequence: sequence)
                    found.withLock { $0[key] = Array(line) }
                }
            }
            let lines = found.withLock { $0 }
            #expect(report.damages.isEmpty && report.lostCount == 0 && report.holeCount == 0)
            #expect(!report.hasUnknownLoss)
            let limit = clock.wallTime() - 30 * LogLimits.day
            for (key, time) in appended {
                guard let line = lines[key] else {
                    #expect(time < limit, "\(key) is gone")
                    continue
                }
                let expected =
                    erased.contains(key)
                    ? Tombstone.plain.line : LogFixture.line(key.writer, key.sequence)
                #expect(line == expected, "\(key)")
            }
            #expect(lines.keys.allSatisfy { appended[$0] != nil })
            for writer in report.writers {
                let present = appended.keys.filter {
                    $0.writer == writer.writer.low && lines[$0] != nil
                }
                #expect(writer.retiredCount + 1 == present.map(\.sequence).min() ?? 1)
            }
            #expect(seen.values.allSatisfy { $0 == 1 })
        }
    }

    @Test(
        "every line is there until it had its time, once, and what was erased is not",
        arguments: 1...20)
    func life(seed: UInt64) throws {
        let life = Life(seed: seed)
        try life.write()
        for _ in 0..<40 { try life.step() }
        try life.fixture.maintain(MaintenanceRules(factsDays: 30))
        #expect(try life.fixture.plan(MaintenanceRules(factsDays: 30)).steps.isEmpty)
        try life.follow()
        let limit = life.clock.wallTime() - 30 * LogLimits.day
        for (key, time) in life.appended where time >= limit { #expect(life.seen[key] == 1) }
    }

    @Test("two maintainers, two writers, a reader and a follower at once: each line once")
    func together() throws {
        let log = LogFixture()
        let count: UInt64 = 400
        let followed = LineCollector()
        let isDone = Monitor(0)
        Thread.parallel(5) { worker in
            switch worker {
            case 0, 1:
                // Short lives of writers, one behind the other.
                for round in 0..<(count / 10) {
                    let id = UInt64(worker) * 1_000 + round + 1
                    guard
                        let writer = try? LogWriter(
                            log.directory,
                            options: LogFixture.options(id, .buffered, .init(), SystemClock()))
                    else { continue }
                    for sequence: UInt64 in 1...10 {
                        _ = writer.append(LogFixture.line(id, sequence), to: .facts, eventTime: 0)
                        if sequence % 4 == 0 { try? writer.flush() }
                    }
                    try? writer.close()
                }
                isDone.withLock { $0 += 1 }
            case 2, 3:
                while isDone.withLock({ $0 }) < 2 {
                    guard let lock = try? MaintenanceLock(log.directory) else { continue }
                    let report = LogMaintainer(lock, .facts).run()
                    #expect(report.failure == nil)
                }
            default:
                let follower = LogFollower(log.directory, .facts)
                while true {
                    let isLast = isDone.withLock { $0 } == 2
                    _ = try? follower.poll { followed.add($0) }
                    if isLast { break }
                    if let (lines, report) = try? log.read() {
                        #expect(Set(lines).count == lines.count && report.isClean)
                    }
                }
            }
        }
        let lines = try log.read().lines
        #expect(lines.count == Int(2 * count) && Set(lines).count == lines.count)
        #expect(followed.lines == lines && followed.wrongCount == 0)
    }
}
