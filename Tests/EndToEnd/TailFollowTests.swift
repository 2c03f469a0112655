// evalog tail -f and --position: every line once, through new writers, kills and damage.

import EvalogLog
import TestSupport
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("evalog tail -f") struct TailFollowTests {
    private func importRecords(_ numbers: Range<Int>, into fixture: CommandFixture) throws {
        let run = try fixture.evalog(
            "import", "-", "--source", "\(numbers)", input: Array(Records.text(numbers).utf8))
        guard run.status == 0 else { throw FixtureFailure(what: run.errors) }
    }

    @Test("sees what new writers append, once each, until it is interrupted")
    func follow() throws {
        let fixture = CommandFixture()
        try importRecords(0..<3, into: fixture)
        let tail = try fixture.start(["tail", "-f", "--json", "-n", "3"])
        var seen: [String] = []
        func take(_ count: Int) throws {
            for _ in 0..<count {
                seen.append(String(decoding: try #require(tail.nextLine()), as: UTF8.self))
            }
        }
        try take(3)
        try importRecords(3..<20, into: fixture)
        try take(17)
        try importRecords(20..<50, into: fixture)
        try take(30)
        tail.send(SIGINT)
        let rest = tail.finish()
        #expect([-SIGINT, 0].contains(rest.status))
        #expect(rest.output.isEmpty)
        #expect(seen.sorted() == (try fixture.factLines()).sorted())
    }

    @Test("sees new segments of a live writer, and a line from the future does not hold it up")
    func live() throws {
        let fixture = CommandFixture()
        let writer = try LogWriter(fixture.directory)
        func append(_ id: Int, _ time: String) throws -> String {
            let line =
                #"{"v":1,"type":"gate","id":"01a22060-ffa8-77eb-887e-0000000000\#(id)","time":"\#(time)","on_device_ai":true}"#
            _ = writer.append(Array(line.utf8), to: .facts, eventTime: 0)
            try writer.flush()
            return line
        }
        let first = try append(10, "2262-01-01T00:00:00Z")
        let tail = try fixture.start(["tail", "-f", "--json"])
        #expect(tail.nextLine() == Array(first.utf8))
        for id in 11...15 {
            writer.roll()
            let line = try append(id, "2026-11-29T10:00:00Z")
            #expect(tail.nextLine() == Array(line.utf8))
        }
        #expect(Files.names(in: "\(fixture.log)/facts").count == 6)
        tail.send(SIGTERM)
        #expect(tail.finish().output.isEmpty)
        try writer.close()
    }

    @Test("reports damage once, goes on behind it, and still answers an interrupt")
    func damage() throws {
        let fixture = CommandFixture()
        try importRecords(0..<3, into: fixture)
        let tail = try fixture.start(["tail", "-f", "--json"])
        for _ in 0..<3 { _ = tail.nextLine() }
        // A segment comes in with a block that is none.
        let other = CommandFixture()
        try importRecords(3..<6, into: other)
        let name = try #require(Files.names(in: "\(other.log)/facts").first)
        var bytes = try Files.bytes("\(other.log)/facts/\(name)")
        bytes[120] ^= 0xFF
        try Files.write(bytes, to: fixture.path("damaged"))
        try fixture.shell("mv damaged log/facts/\(name)")
        let warning = tail.errors { $0.contains("\n") }
        #expect(warning.contains("\(name) is damaged at 0"))
        try importRecords(6..<8, into: fixture)
        #expect(tail.nextLine() != nil)
        #expect(tail.nextLine() != nil)
        tail.send(SIGINT)
        #expect(tail.finish().errors == warning)
    }
}

@Suite("evalog tail --position") struct TailPositionTests {
    private func importRecords(_ numbers: Range<Int>, into fixture: CommandFixture) throws {
        try fixture.evalog("import", "-", input: Array(Records.text(numbers).utf8))
    }

    @Test("hands every line on exactly once over runs, wherever the log was written meanwhile")
    func onceOverRuns() throws {
        let fixture = CommandFixture()
        var seen: [String] = []
        for round in 0..<4 {
            try importRecords((round * 10)..<(round * 10 + 10), into: fixture)
            let run = try fixture.evalog("tail", "--json", "--position", "seen")
            #expect(run.status == 0)
            #expect(run.lines.count == 10)
            seen += run.lines
            #expect(try fixture.evalog("tail", "--json", "--position", "seen").output.isEmpty)
        }
        #expect(Set(seen).count == 40)
        #expect(seen.sorted() == (try fixture.factLines()).sorted())
        #expect(Files.temporaries(below: fixture.folder).isEmpty)
    }

    @Test("survives segments that are renamed, split and joined by a copy of another log")
    func throughCopies() throws {
        let fixture = CommandFixture()
        try importRecords(0..<20, into: fixture)
        #expect(try fixture.evalog("tail", "--json", "--position", "seen").lines.count == 20)
        let name = try #require(Files.names(in: fixture.path("log/facts")).first)
        try fixture.shell(
            "cp log/facts/\(name) log/facts/2\(name.dropFirst().replacing("-0001", with: "-0007"))")
        #expect(try fixture.evalog("tail", "--json", "--position", "seen").output.isEmpty)
    }

    @Test(
        "loses no line to a kill at any moment, and repeats only what was not confirmed",
        arguments: 1...5 as ClosedRange<UInt64>)
    func kill(seed: UInt64) throws {
        let fixture = CommandFixture()
        var generator = SeededGenerator(seed: seed)
        var seen: Set<String> = []
        for round in 0..<3 {
            try importRecords((round * 20)..<(round * 20 + 20), into: fixture)
            let tail = try fixture.start(["tail", "-f", "--json", "--position", "seen"])
            for _ in 0..<Int.random(in: 1...15, using: &generator) {
                seen.insert(String(decoding: try #require(tail.nextLine()), as: UTF8.self))
            }
            tail.send(SIGKILL)
            seen.formUnion(tail.finish().lines)
        }
        let last = try fixture.evalog("tail", "--json", "--position", "seen")
        #expect(last.status == 0)
        seen.formUnion(last.lines)
        #expect(seen.count == 60)
        #expect(try fixture.evalog("tail", "--json", "--position", "seen").output.isEmpty)
    }

    @Test("refuses a damaged file with 2, shows nothing and leaves it as it is")
    func damaged() throws {
        let fixture = CommandFixture()
        try importRecords(0..<5, into: fixture)
        try fixture.evalog("tail", "--position", "seen")
        let whole = try Files.bytes(fixture.path("seen"))
        var flipped = whole
        flipped[whole.count / 2] ^= 1
        let (damage, foreign) = ("the position file seen is damaged in line", "is no position file")
        for (bytes, words) in [
            (Array(whole.dropLast(2)), damage), (Array(whole.prefix(30)), damage),
            (flipped, damage), ([], foreign), (Array("time,usage\n".utf8), foreign),
            (Array(repeating: 0xFF, count: 1_000), foreign), (Array(whole.dropFirst()), foreign),
        ] {
            try Files.write(bytes, to: fixture.path("seen"))
            let run = try fixture.evalog("tail", "--position", "seen")
            #expect(run.status == 2)
            #expect(run.output.isEmpty)
            #expect(run.errors.contains(words))
            #expect(try Files.bytes(fixture.path("seen")) == bytes)
        }
        try Files.write(whole, to: fixture.path("seen"))
        #expect(try fixture.evalog("tail", "--position", "seen").output.isEmpty)
    }

    @Test(
        "does not move where the output could not be written",
        .enabled(if: access("/dev/full", W_OK) == 0))
    func fullOutput() throws {
        let fixture = CommandFixture()
        try importRecords(0..<5, into: fixture)
        #expect(
            try fixture.shell("\"$EVALOG\" tail --json --position seen > /dev/full").status == 2)
        #expect(try fixture.evalog("tail", "--json", "--position", "seen").lines.count == 5)
    }

    @Test(
        "cannot be kept where no file can be: 2, and nothing is shown",
        arguments: ["", "absent/seen", "folder/", "/", "pipe", "/dev/null"])
    func noPlace(path: String) throws {
        let fixture = CommandFixture()
        try importRecords(0..<5, into: fixture)
        try fixture.shell("mkfifo pipe; mkdir folder")
        let run = try fixture.evalog("tail", "--position", path)
        #expect(run.status == 2)
        #expect(run.output.isEmpty)
        #expect(
            run.errors.contains(
                path.isEmpty ? "--position is empty" : "--position cannot keep a file at"))
    }

    @Test("and -n exclude each other")
    func exclusive() throws {
        #expect(try CommandFixture().evalog("tail", "--position", "seen", "-n", "5").status == 2)
    }
}
