// Nothing leaves from while on-device AI was off, also where the log has lost what told it.

import EvalogLog
import EvalogText
import Foundation
import TestSupport
import Testing

@Suite("The gate, and evalog report") struct ReportGateTests {
    @Test("what a device tells of its gate decides about its own events, and is missed when gone")
    func gates() throws {
        let fixture = CommandFixture()
        func gate(_ number: Int, isOn: Bool) -> String {
            #"{"v":1,"type":"gate","id":"00000000-0000-4000-8000-00000000000\#(number)","#
                + #""time":"2020-01-01T09:0\#(number):00Z","on_device_ai":\#(isOn)}"#
        }
        for (number, isOn) in [(1, false), (2, true)] {
            let writer = try LogWriter(fixture.directory)
            func append(_ line: String) {
                _ = writer.append(Array(line.utf8), to: .facts, eventTime: 0)
            }
            append(gate(number, isOn: isOn))
            append(String(ReportLines.inferences(number..<number + 1).dropLast()))
            try writer.flush()
            writer.roll()
            append(String(ReportLines.inferences(10 * number..<10 * number + 1).dropLast()))
            try writer.close()
        }
        func sessions() throws -> [Substring] {
            let run = try fixture.evalog("report", "--to", "out")
            #expect(run.status == 0)
            let events = try Files.text(fixture.path("out/events.ndjson"))
            return events.split(separator: "\n").map { $0.split(separator: "\"")[15].suffix(2) }
        }
        #expect(try sessions() == ["02", "20"])
        for name in Files.names(in: fixture.path("log/facts")) where name.contains("-0001.") {
            try fixture.shell("rm log/facts/\(name)")
        }
        #expect(try sessions() == [])
    }

    private func gate(_ number: Int, second: Int, isOn: Bool) -> String {
        #"{"v":1,"type":"gate","id":"00000000-0000-4000-8000-00000000000\#(number)","#
            + #""time":"2020-01-01T09:00:0\#(second)Z","on_device_ai":\#(isOn)}"#
    }

    private func event(_ number: Int, second: Int) -> String {
        String(ReportLines.inferences(number..<number + 1).dropLast()).replacing(
            "T10:00:00Z", with: "T09:00:0\(second)Z")
    }

    /// Writes lines, each list of them as a block.
    private func write(_ blocks: [[String]], to fixture: CommandFixture) throws {
        let writer = try LogWriter(fixture.directory)
        for lines in blocks {
            for line in lines {
                let time = try #require(line.split(separator: "\"time\":\"").last?.prefix(20))
                let parsed = try #require(
                    Array(time.utf8).withUnsafeBytes { Timestamp.microseconds($0) })
                _ = writer.append(Array(line.utf8), to: .facts, eventTime: parsed)
            }
            try writer.flush()
        }
        try writer.close()
    }

    /// The events of a report, by the number in their session.
    private func events(of fixture: CommandFixture) throws -> [Int] {
        let run = try fixture.evalog("report", "--to", "out")
        #expect(run.status == 0)
        return try Files.text(fixture.path("out/events.ndjson")).split(separator: "\n").compactMap {
            Int($0.split(separator: "\"")[15].suffix(2))
        }
    }

    @Test(
        "a damaged block may have told that it was off, the first or a later one, repaired or not",
        arguments: [0, 1])
    func damagedBlocks(damaged: Int) throws {
        let fixture = CommandFixture()
        try write([[gate(1, second: 1, isOn: true), event(10, second: 2)]], to: fixture)
        let whole = Files.names(in: fixture.path("log/facts"))
        let blocks = [
            [[gate(2, second: 3, isOn: false)], [event(20, second: 4)]],
            [
                [gate(2, second: 3, isOn: true), event(20, second: 4)],
                [gate(3, second: 5, isOn: false)], [event(21, second: 6)],
            ],
        ][damaged]
        try write(blocks, to: fixture)
        let expected = damaged == 0 ? [10] : [10, 20]
        #expect(try events(of: fixture) == expected)
        let names = Files.names(in: fixture.path("log/facts")).filter { !whole.contains($0) }
        let path = fixture.path("log/facts/\(try #require(names.first))")
        var bytes = try Files.bytes(path)
        let members = bytes.indices.dropLast(3).filter { bytes[$0..<$0 + 4] == [0x1F, 0x8B, 8, 4] }
        // Behind the header, where the text is.
        bytes[members[damaged] + 100] ^= 0xFF
        try Files.write(bytes, to: path)
        #expect(try events(of: fixture) == expected)
        try fixture.shell("touch -d '2 hours ago' log/facts/*")
        #expect(try fixture.evalog("maintain").status == 0)
        #expect(try events(of: fixture) == expected)
    }

    @Test(
        "an event whose writer told nothing does not follow the others where lines of them are lost"
    )
    func silentWriter() throws {
        let fixture = CommandFixture()
        try write(
            [
                [gate(1, second: 1, isOn: true), event(10, second: 2)],
                [gate(2, second: 3, isOn: false)],
            ],
            to: fixture)
        let told = try #require(Files.names(in: fixture.path("log/facts")).first)
        try write([[event(20, second: 4)]], to: fixture)
        #expect(try events(of: fixture) == [10])
        let path = fixture.path("log/facts/\(told)")
        var bytes = try Files.bytes(path)
        let members = bytes.indices.dropLast(3).filter { bytes[$0..<$0 + 4] == [0x1F, 0x8B, 8, 4] }
        bytes[members[1] + 100] ^= 0xFF
        try Files.write(bytes, to: path)
        #expect(try events(of: fixture) == [10])
    }

    @Test("a segment that does not count, under a name that is none, may have told that it was off")
    func hiddenSegment() throws {
        let fixture = CommandFixture()
        try write([[gate(1, second: 1, isOn: true), event(10, second: 2)]], to: fixture)
        let others = Files.names(in: fixture.path("log/facts"))
        try write([[gate(2, second: 3, isOn: false)]], to: fixture)
        let name = try #require(
            Files.names(in: fixture.path("log/facts")).first { !others.contains($0) })
        try write([[event(20, second: 4)]], to: fixture)
        #expect(try events(of: fixture) == [10])
        try fixture.shell("mv log/facts/\(name) log/facts/\(name).bak")
        #expect(try events(of: fixture) == [10])
        try fixture.shell("mv log/facts/\(name).bak log/facts/\(name)")
        try fixture.shell("cp log/facts/\(name) log/facts/\(name).bak")
        #expect(try events(of: fixture) == [10])
        // One whose lines are all there hides nothing.
        try write([[gate(3, second: 5, isOn: true)], [event(21, second: 6)]], to: fixture)
        try write([[event(30, second: 7)]], to: fixture)
        #expect(try events(of: fixture) == [10, 21, 30])
    }

    @Test(
        "a gate fact cannot be erased: what it says is of nobody, and nothing leaves for want of it"
    )
    func erased() throws {
        let fixture = CommandFixture()
        try write(
            [
                [
                    gate(1, second: 1, isOn: true), gate(2, second: 2, isOn: false),
                    event(10, second: 3),
                ]
            ],
            to: fixture)
        try fixture.evalog("erase", "--id", "00000000-0000-4000-8000-000000000002", "--facts")
        #expect(try fixture.factLines().count == 3)
        #expect(try events(of: fixture) == [])
    }

    @Test("where off was told of what is no session, erasing that leaves a gap, and nothing leaves")
    func erasedGateOfNoSession() throws {
        let fixture = CommandFixture()
        let digest = "~0123456789abcdef0123456789abcdef"
        let off = gate(2, second: 2, isOn: false).replacing(
            #""on_device"#, with: #""session":"\#(digest)","on_device"#)
        try write([[gate(1, second: 1, isOn: true), off, event(10, second: 3)]], to: fixture)
        #expect(try events(of: fixture) == [])
        try fixture.evalog("erase", "--session", digest, "--facts")
        #expect(!(try fixture.text(of: "facts")).contains(digest))
        #expect(try events(of: fixture) == [])
    }

    @Test("a gap cannot be erased either, and it is said that it stays")
    func erasedGap() throws {
        let fixture = CommandFixture()
        let gap =
            #"{"v":1,"type":"log_gap","id":"00000000-0000-4000-8000-000000000007","#
            + #""time":"2020-01-01T09:00:03Z","stream":"facts","since":"2020-01-01T09:00:03Z","#
            + #""refused":1,"cause":"no_space"}"#
        try write([[gap]], to: fixture)
        try write([[event(10, second: 4)]], to: fixture)
        let run = try fixture.evalog(
            "erase", "--id", "00000000-0000-4000-8000-000000000007", "--facts")
        #expect(run.status == 0 && run.text.contains("facts: nothing erased"))
        #expect(run.errors.contains("what tells of the gate or of a gap stays"))
        #expect(try events(of: fixture) == [])
    }

    @Test(
        "an erased evaluation that on-device AI stopped keeps its session's events back all the same",
        arguments: [
            ["--id", "0193f0a0-0000-7000-8000-000000000001"], ["--subject", "secret_place"],
        ])
    func erasedSkip(words: [String]) throws {
        let fixture = CommandFixture()
        let session = "00000000-0000-4000-8000-300000000010"
        let skip =
            #"{"v":1,"type":"evaluation","id":"0193f0a0-0000-7000-8000-000000000001","#
            + #""time":"2020-01-01T09:00:03Z","usage":"mood","subject":"secret_place","session":"\#(session)","#
            + #""outcome":"skipped","reason":"ai_disabled","duration_us":0,"attempts":0}"#
        try write([[skip]], to: fixture)
        try write([[event(10, second: 4), event(11, second: 4)]], to: fixture)
        #expect(try events(of: fixture) == [11])
        for _ in 0..<2 {
            let run = try fixture.start(["erase"] + words + ["--facts"]).finish()
            #expect(run.status == 0)
            #expect(try events(of: fixture) == [11])
        }
        let facts = try fixture.text(of: "facts")
        #expect(!facts.contains("secret_place") && !facts.contains("0193f0a0"))
        #expect(facts.ranges(of: #""session":"\#(session)","on_device_ai":false"#).count == 1)
        try fixture.evalog("erase", "--session", session, "--facts")
        #expect(!(try fixture.text(of: "facts")).contains(session))
        #expect(try events(of: fixture) == [11])
    }

    @Test("an erased catalog does not let out what an older one listed")
    func erasedCatalog() throws {
        let later = ReportLines.catalog.replacing(#","other""#, with: "").replacing(
            "000000000001", with: "000000000002"
        ).replacing("01T00", with: "01T05")
        let fixture = try CommandFixture.reporting(
            ReportLines.catalog + later + ReportLines.inferences(0..<20))
        func reports(_ word: String) throws -> Bool {
            try fixture.evalog("report", "--to", "out")
            return try Files.text(fixture.path("out/events.ndjson")).contains(word)
        }
        #expect(try reports("billing") && !reports("other"))
        try fixture.evalog("erase", "--id", "00000000-0000-4000-8000-000000000002", "--facts")
        #expect(try !reports("billing") && !reports("other"))
    }
}
