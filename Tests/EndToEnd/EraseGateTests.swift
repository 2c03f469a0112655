// Erasing takes lines away that hold events back, and nothing leaves for want of them.

import EvalogLog
import EvalogText
import TestSupport
import Testing

@Suite("Erasing, and what a report knows of the gate") struct EraseGateTests {
    private static func time(_ second: Int) -> String {
        "2020-01-01T09:00:\(second < 10 ? "0" : "")\(second)Z"
    }

    private static func id(_ number: Int) -> String {
        "00000000-0000-4000-8000-\(100_000_000_000 + number)"
    }

    private enum Kind: Hashable {
        case gate(isOn: Bool)
        case event(session: Int)
        /// An evaluation of a subject that the gate stopped.
        case stop(session: Int, subject: Int)
        /// A line of a later version, about a subject.
        case later(subject: Int)

        func line(_ number: Int, _ second: Int) -> String {
            let head = #""id":"\#(id(number))","time":"\#(time(second))","#
            return switch self {
            case .gate(let isOn): #"{"v":1,"type":"gate",\#(head)"on_device_ai":\#(isOn)}"#
            case .event(let session):
                #"{"v":1,"type":"form_inference",\#(head)"session":"\#(id(session))","#
                    + #""subject":"form/field\#(number)","#
                    + #""evaluation":"00000000-0000-0000-0000-000000000000","status":"failure"}"#
            case .stop(let session, let subject):
                #"{"v":1,"type":"evaluation",\#(head)"usage":"mood","subject":"place\#(subject)","#
                    + #""session":"\#(id(session))","outcome":"skipped","reason":"ai_disabled","#
                    + #""attempts":0}"#
            case .later(let subject):
                #"{"v":2,"type":"evaluation",\#(head)"subject":"place\#(subject)"}"#
            }
        }
    }

    /// What one writer wrote.
    private func write(
        _ entries: [(second: Int, kind: Kind)], from number: Int, to fixture: CommandFixture
    ) throws {
        let writer = try LogWriter(fixture.directory)
        for (offset, (second, kind)) in entries.enumerated() {
            let text = Self.time(second)
            let time = try #require(
                Array(text.utf8).withUnsafeBytes { Timestamp.microseconds($0) })
            let line = kind.line(number + offset, second)
            _ = writer.append(Array(line.utf8), to: .facts, eventTime: time)
            if offset % 3 == 2 { try writer.flush() }
        }
        try writer.close()
    }

    /// The numbers of the events that leave.
    private func reported(_ fixture: CommandFixture) throws -> Set<Int> {
        let run = try fixture.evalog("report", "--to", "out")
        #expect(run.status == 0)
        let lines = try Files.text(fixture.path("out/events.ndjson")).split(separator: "\n")
        return Set(lines.compactMap { Int($0.split(separator: "\"")[7].suffix(4)) })
    }

    private func erase(_ fixture: CommandFixture) throws {
        let run = try fixture.evalog("erase", "--subject", "place1", "--facts")
        #expect(run.status == 0)
        #expect(!(try fixture.text(of: "facts")).contains("place1"))
    }

    @Test("a line that this version cannot decode leaves a gap where it is erased")
    func undecodable() throws {
        let fixture = CommandFixture()
        try write(
            [
                (1, .gate(isOn: true)), (2, .event(session: 900)), (3, .later(subject: 1)),
                (4, .event(session: 900)), (5, .gate(isOn: true)), (6, .event(session: 900)),
            ], from: 1, to: fixture)
        try write([(3, .event(session: 901)), (6, .event(session: 901))], from: 10, to: fixture)
        #expect(try reported(fixture) == [2, 6, 11])
        for _ in 0..<2 {
            try erase(fixture)
            #expect(try reported(fixture) == [2, 6, 11])
            #expect(try fixture.text(of: "facts").contains(#"{"erased":true,"unread":true}"#))
        }
        #expect(try fixture.evalog("verify").status == 0)
    }

    @Test("what an erased evaluation held back by the order of lines stays back")
    func order() throws {
        let fixture = CommandFixture()
        try write(
            [
                (0, .gate(isOn: true)), (20, .gate(isOn: true)),
                (40, .stop(session: 900, subject: 1)),
                // The clock was set back.
                (5, .event(session: 900)), (30, .event(session: 900)), (30, .event(session: 901)),
                (31, .gate(isOn: true)), (32, .event(session: 900)),
            ], from: 1, to: fixture)
        #expect(try reported(fixture) == [6, 8])
        try erase(fixture)
        #expect(try reported(fixture).isSubset(of: [6, 8]))
        #expect(try reported(fixture).contains(6))
    }

    @Test(
        "whatever is erased, nothing leaves that was withheld, and what others told does",
        arguments: FuzzSeeds.first(20))
    func random(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        func number(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &random) }
        let fixture = CommandFixture()
        var stopped: Set<Int> = []
        var sessions: [Int: Int] = [:]
        for writer in 0..<3 {
            var second = number(0...20)
            let count = number(5...25)
            let entries = (0..<count).map { offset in
                // Clocks are set back, now and then.
                second = number(0...5) == 0 ? max(0, second - number(1...20)) : min(59, second + 1)
                let session = number(900...904)
                let kind: Kind
                switch number(0...9) {
                case 0, 1: kind = .gate(isOn: true)
                case 2: kind = number(0...3) == 0 ? .gate(isOn: false) : .gate(isOn: true)
                case 3:
                    let subject = number(1...2)
                    if subject == 1 { stopped.insert(session) }
                    kind = .stop(session: session, subject: subject)
                case 4 where number(0...3) == 0: kind = .later(subject: number(1...2))
                case 4: kind = .gate(isOn: true)
                default:
                    kind = .event(session: session)
                    sessions[writer * 100 + 1 + offset] = session
                }
                return (second, kind)
            }
            try write(entries, from: writer * 100 + 1, to: fixture)
        }
        let before = try reported(fixture)
        try erase(fixture)
        let after = try reported(fixture)
        #expect(after.isSubset(of: before))
        let others = before.filter { !stopped.contains(sessions[$0] ?? 0) }
        #expect(others.isSubset(of: after), "an event of a session that nothing was erased of")
    }
}
