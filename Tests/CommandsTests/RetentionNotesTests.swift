// Retention takes away what tells of the gate, and what shows that lines are missing; what it stands for stays.

import EvalogFacts
import EvalogLog
import EvalogRecording
import EvalogReplay
import EvalogText
import Foundation
import TestSupport
import Testing
import VendorSink

@testable import Commands

@Suite("What retention leaves of what a report has to know") struct RetentionNotesTests {
    private let scratch = ScratchFolder()
    private var directory: LogDirectory { LogDirectory(path: scratch.path("log")) }
    private static let second: Int64 = 1_000_000

    private final class Clock: LogClock {
        let time = Monitor<Int64>(0)
        func wallTime() -> Int64 { time.withLock { $0 } }
        func monotonicTime() -> Int64 { wallTime() }
    }

    private let clock = Clock()

    private func set(clock second: Int64) { clock.time.withLock { $0 = second * Self.second } }

    // MARK: Lines

    private enum Fact: Hashable {
        case gate(isOn: Bool)
        case event(Int)
        case gap(since: Int64)
        /// An evaluation that the gate stopped.
        case stop(Int)
        case unreadable
    }

    private static func time(_ second: Int64) -> String {
        var bytes: [UInt8] = []
        Timestamp.append(second * Self.second, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func id(_ number: Int) -> String {
        "00000000-0000-4000-8000-\(100_000_000_000 + number)"
    }

    private static func line(_ fact: Fact, _ second: Int64, _ number: Int) -> String {
        let head = #""id":"\#(id(number))","time":"\#(time(second))","#
        return switch fact {
        case .gate(let isOn): #"{"v":1,"type":"gate",\#(head)"on_device_ai":\#(isOn)}"#
        case .event(let session):
            // Each of a field of its own, so that none is told in the place of another.
            #"{"v":1,"type":"form_inference",\#(head)"session":"\#(id(session))","subject":"a/b\#(number)","#
                + #""evaluation":"00000000-0000-0000-0000-000000000000","status":"failure"}"#
        case .gap(let since):
            #"{"v":1,"type":"log_gap",\#(head)"stream":"facts","since":"\#(time(since))","refused":1,"#
                + #""cause":"no_space"}"#
        case .stop(let session):
            #"{"v":1,"type":"evaluation",\#(head)"usage":"u","session":"\#(id(session))","#
                + #""outcome":"skipped","reason":"ai_disabled","attempts":0}"#
        case .unreadable: "{"
        }
    }

    /// What one writer writes: each fact as a segment of its own, at a time of its clock.
    private func write(_ facts: [(appended: Int64, second: Int64, fact: Fact)], from number: Int)
        throws
    {
        let writer = try LogWriter(directory, options: WriterOptions(clock: clock))
        for (offset, entry) in facts.enumerated() {
            set(clock: entry.appended)
            let line = Self.line(entry.fact, entry.second, number + offset)
            _ = writer.append(
                Array(line.utf8), to: .facts, eventTime: entry.second * Self.second)
            try writer.flush()
            if offset % 2 == 0 { writer.roll() }
        }
        try writer.close()
    }

    /// The ids of the events that leave.
    private func reported() throws -> Set<UniqueID> {
        let catalog = try LogCatalog.scan(directory, .facts)
        let collector = VendorCollector()
        let reading = try FactReading(of: directory, into: [collector], catalog: catalog)
        collector.miss(what: reading.report, lacksOf: catalog)
        return Set(Screening.screen(collector, reviewed: nil).events.map(\.id.id))
    }

    /// What evalog maintain does to facts.
    private func maintain(before limit: Int64) throws {
        var random = SystemRandomNumberGenerator()
        let limit = limit * Self.second
        try RetentionNotes(of: directory, before: limit, using: &random)?.append()
        let lock = try #require(try MaintenanceLock(directory))
        var rules = MaintenanceRules()
        rules.retention[.facts] = clock.wallTime() - limit
        // What is joined goes later.
        rules.joinCount = 1_000...1_000
        let maintainer = LogMaintainer(
            lock, .facts, rules: rules, timing: MaintenanceTiming(clock: clock))
        let report = maintainer.run()
        #expect(report.failure == nil)
    }

    private var lineCount: Int {
        get throws {
            let count = Monitor(0)
            try readLog(directory, .facts) { _, block in
                block.forEachLine { _, _ in count.withLock { $0 += 1 } }
            }
            return count.withLock { $0 }
        }
    }

    // MARK: Cases

    @Test(
        "an event that waits behind a loss waits when the loss itself has had its time",
        arguments: [Fact.gap(since: 11), .unreadable, .gate(isOn: false)])
    private func loss(fact: Fact) throws {
        try write([(100, 1, .gate(isOn: true)), (110, 11, fact)], from: 0)
        try write([(200, 12, .event(1)), (201, 5, .event(2))], from: 10)
        #expect(try reported().map(\.text) == [Self.id(11)])
        set(clock: 300)
        try maintain(before: 150)
        #expect(try reported().isEmpty, "nor does one from before what is told last")
    }

    @Test("so does one behind a damaged segment", arguments: [true, false])
    func damage(isRepaired: Bool) throws {
        try write([(100, 1, .gate(isOn: true))], from: 0)
        let whole = try names()
        try write([(110, 11, .gate(isOn: false))], from: 5)
        let path = scratch.path("log/facts/\(try #require(names().first { !whole.contains($0) }))")
        try damage(path, at: 100)
        try write([(200, 12, .event(1))], from: 10)
        #expect(try reported().isEmpty)
        set(clock: 400)
        if isRepaired { try maintain(before: 0) }
        try maintain(before: 150)
        #expect(try reported().isEmpty)
        #expect(try names().count == 2)
    }

    @Test("a log that tells nothing of the gate, and has lost nothing, gets no line")
    func nothing() throws {
        try write([(100, 1, .event(1))], from: 0)
        try write([(200, 12, .event(2))], from: 10)
        set(clock: 300)
        try maintain(before: 150)
        #expect(try lineCount == 1 && reported().count == 1)
    }

    @Test("a session that the gate stopped stays stopped, and no other is")
    func stop() throws {
        try write([(100, 10, .stop(1)), (101, 10, .stop(3))], from: 0)
        try write([(200, 12, .event(1)), (201, 12, .event(2))], from: 10)
        set(clock: 300)
        for limit in [150, 160] as [Int64] {
            #expect(try reported().map(\.text) == [Self.id(11)])
            try maintain(before: limit)
            #expect(try reported().map(\.text) == [Self.id(11)])
            #expect(try lineCount == 3, "of the third session nothing is left")
        }
    }

    @Test("what was told last counts on", arguments: [true, false])
    func last(isOn: Bool) throws {
        try write([(100, 1, .gap(since: 1)), (110, 11, .gate(isOn: isOn))], from: 0)
        try write([(200, 12, .event(1))], from: 10)
        set(clock: 300)
        for limit in [150, 160] as [Int64] {
            try maintain(before: limit)
            #expect(try reported().count == (isOn ? 1 : 0))
            #expect(try lineCount == 3)
        }
    }

    @Test("the catalog that was in force last stays in force, and no older one comes back")
    func catalogs() throws {
        let writer = try LogWriter(directory, options: WriterOptions(clock: clock))
        func append(_ appended: Int64, _ second: Int64, _ number: Int, _ rest: String) throws {
            set(clock: appended)
            let line =
                #"{"v":1,"id":"\#(Self.id(number))","time":"\#(Self.time(second))","subject":"a/b",\#(rest)}"#
            _ = writer.append(Array(line.utf8), to: .facts, eventTime: second * Self.second)
            try writer.flush()
            writer.roll()
        }
        func catalog(_ values: String) -> String {
            #""type":"catalog","report":{"topic":[\#(values)]}"#
        }
        try append(100, 1, 1, catalog(#""old""#))
        try append(101, 5, 2, catalog(#""new""#))
        try append(102, 5, 3, catalog(#""new","other""#))
        // Told late, and appended last.
        try append(200, 3, 4, catalog(#""old""#))
        let nobody = #""evaluation":"00000000-0000-0000-0000-000000000000""#
        for (number, value) in [(5, "new"), (6, "old"), (7, "other")] {
            try append(
                200, Int64(number) + 4, number,
                #""type":"form_inference","session":"\#(Self.id(9))","status":"success",\#(nobody),"#
                    + #""report":{"topic":"\#(value)"}"#)
        }
        try writer.close()
        func values() throws -> Int {
            let collector = VendorCollector()
            _ = try FactReading(of: directory, into: [collector])
            return Screening.screen(collector, reviewed: nil).withheld[.unlistedValue]
        }
        #expect(try values() == 2)
        set(clock: 300)
        for limit in [150, 160] as [Int64] {
            try maintain(before: limit)
            #expect(try values() == 2)
            #expect(try lineCount == 6)
        }
    }

    // MARK: At random

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: scratch.path("log/facts"))
            .filter { $0.hasSuffix(".gz") }.sorted()
    }

    private func damage(_ path: String, at offset: Int) throws {
        var bytes = try #require(FileManager.default.contents(atPath: path))
        guard bytes.indices.contains(offset) else { return }
        bytes[offset] ^= 0xFF
        try bytes.write(to: URL(filePath: path))
    }

    @Test("maintenance lets out nothing that was withheld", arguments: FuzzSeeds.first(100))
    func random(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        func number(_ range: ClosedRange<Int64>) -> Int64 { .random(in: range, using: &random) }
        for writer in 0..<6 {
            var appended: [Int64] = []
            for _ in 0...number(0...4) { appended.append(number(100...200)) }
            try write(
                appended.sorted().map { appended in
                    let second = number(0...20)
                    let fact: Fact =
                        switch number(0...8) {
                        case 0: .gate(isOn: true)
                        case 1: .gate(isOn: false)
                        case 2: .gap(since: max(0, second - number(0...5)))
                        case 8: .stop(Int(number(1...9)))
                        case 3: number(0...2) == 0 ? .unreadable : .gate(isOn: true)
                        default: .event(Int(number(1...9)))
                        }
                    return (appended, second, fact)
                }, from: writer * 10)
        }
        let segments = try names()
        if number(0...2) == 0, let name = segments.randomElement(using: &random) {
            try damage(scratch.path("log/facts/\(name)"), at: Int(number(70...130)))
        }
        if number(0...2) == 0, let name = segments.randomElement(using: &random) {
            try FileManager.default.removeItem(atPath: scratch.path("log/facts/\(name)"))
        }
        var before = try reported()
        set(clock: 1_000)
        for limit in [number(100...160), number(160...200)] {
            try maintain(before: limit)
            let after = try reported()
            #expect(after.isSubset(of: before), "before \(limit)")
            before = after
        }
    }
}
