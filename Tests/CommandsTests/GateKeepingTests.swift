// Retention and the last gate fact: it is kept where no later one stays, and only there.

import EvalogLog
import EvalogText
import TestSupport
import Testing

@testable import Commands

@Suite("Keeping the last gate fact") struct GateKeepingTests {
    private let scratch = ScratchFolder()
    private var directory: LogDirectory { LogDirectory(path: scratch.path("log")) }
    private static let second: Int64 = 1_000_000

    private struct Fact: Hashable {
        var second: Int64
        /// Nil for an event.
        var isOn: Bool?
        /// When it is appended, as a block of its own.
        var appended: Int64

        var line: String {
            var time: [UInt8] = []
            Timestamp.append(second * GateKeepingTests.second, to: &time)
            let head =
                #""id":"00000000-0000-4000-8000-000000000001","#
                + #""time":"\#(String(decoding: time, as: UTF8.self))","#
            return isOn.map { #"{"v":1,"type":"gate",\#(head)"on_device_ai":\#($0)}"# }
                ?? #"{"v":1,"type":"form_inference",\#(head)"#
                + #""evaluation":"00000000-0000-0000-0000-000000000000","status":"failure"}"#
        }
    }

    private func append(_ facts: [Fact]) throws {
        for fact in facts {
            let clock = StandingClock(time: fact.appended * Self.second)
            let writer = try LogWriter(directory, options: WriterOptions(clock: clock))
            _ = writer.append(
                Array(fact.line.utf8), to: .facts, eventTime: fact.second * Self.second)
            try writer.close()
        }
    }

    private func lines() throws -> [String] {
        let found = Monitor<[String]>([])
        try readLog(directory, .facts) { _, block in
            block.forEachLine { _, line in
                found.withLock { $0.append(String(decoding: line, as: UTF8.self)) }
            }
        }
        return found.withLock { $0 }
    }

    /// The line that is kept for the lines from before a second, and appended by the way.
    private func kept(before limit: Int64) throws -> String? {
        let before = try lines()
        guard let keeping = try GateKeeping(of: directory, before: limit * Self.second) else {
            return nil
        }
        try keeping.append()
        var after = try lines()
        for line in before { after.remove(at: try #require(after.firstIndex(of: line))) }
        #expect(after.count == 1)
        return after.first
    }

    @Test("a younger line of an older switch does not stand for the last one, a later switch does")
    func young() throws {
        let off = Fact(second: 13, isOn: false, appended: 100)
        try append([
            off, Fact(second: 11, isOn: true, appended: 200),
            Fact(second: 99_999, isOn: nil, appended: 200),
        ])
        #expect(try kept(before: 150) == off.line)
        #expect(try kept(before: 150) == nil, "the copy is younger")
        try append([Fact(second: 14, isOn: true, appended: 201)])
        #expect(try kept(before: 150) == nil)
    }

    @Test("what is kept is the last gate fact, unless it stays", arguments: FuzzSeeds.first(25))
    func last(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let facts = (0..<Int.random(in: 1...15, using: &random)).map { _ in
            let isGate = Int.random(in: 0...2, using: &random) == 0
            return Fact(
                // Of minutes and of weeks, so that stretches are short and long.
                second: .random(in: 0...6, using: &random)
                    * (Bool.random(using: &random) ? 1 : 100_000),
                isOn: isGate ? Bool.random(using: &random) : nil,
                appended: .random(in: 100...200, using: &random))
        }
        try append(facts)
        let gates = facts.filter { $0.isOn != nil }
        // The last of all; of one time those that say off.
        let latest = gates.map(\.second).max()
        let last = gates.filter { $0.second == latest }
        let word =
            last.filter { $0.isOn == false }.isEmpty ? last : last.filter { $0.isOn == false }
        let stays = word.contains { $0.appended >= 150 }
        let kept = try kept(before: 150)
        if stays || gates.isEmpty {
            // What is older than the last word may be kept for nothing, never the other way.
            #expect(kept == nil)
        } else {
            #expect(kept == word.first?.line)
        }
        #expect(try self.kept(before: 150) == nil)
    }
}
