// A writer that is killed at any moment: what it confirmed is there, and the next one starts at once.

import EvalogFacts
import EvalogLog
import TestSupport
import Testing
import Workload

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("After a kill") struct CrashTests {
    private static let roundCount = 50
    private static let lineCount = 200_000

    /// Lines of each writer, in the order of their sequences.
    private func linesByWriter(_ fixture: CommandFixture) throws -> [[String]] {
        let collected = CollectedByWriter()
        try readLog(fixture.directory, .facts) { _, block in
            block.forEachLine { _, line in
                collected.add(String(decoding: line, as: UTF8.self), of: block.header.writer)
            }
        }
        return Array(collected.lines.values)
    }

    @Test(
        "of fifty writers, each killed at a random moment, every confirmed line is there",
        arguments: [1] as [UInt64])
    func confirmed(seed: UInt64) throws {
        let fixture = CommandFixture()
        var generator = SeededGenerator(seed: seed)
        var confirmed: [Int] = []
        for round in 1...Self.roundCount {
            let writer = try RunningProgram(
                BuiltProgram.bench,
                [
                    "ack", fixture.log, "--clean", "--count", "\(Self.lineCount)", "--seed",
                    "\(round)",
                ],
                in: fixture.folder)
            for _ in 1..<Int.random(in: 1...25, using: &generator) { _ = writer.nextLine() }
            confirmed.append(try killed(writer))
        }
        let written = try linesByWriter(fixture)
        #expect(written.count == Self.roundCount)
        for (index, count) in confirmed.enumerated() {
            let expected = Self.lines(seed: UInt64(index + 1), count: count)
            let lines = try #require(written.first { $0.first == expected.first })
            #expect(lines.prefix(count) == expected[...], "round \(index + 1)")
        }
        try expectAtMostTornTails(fixture)
        #expect(Files.temporaries(below: fixture.log).isEmpty)
    }

    /// Kills a writer after its next confirmation, and returns how many lines it has confirmed.
    private func killed(_ writer: RunningProgram) throws -> Int {
        let line = try #require(writer.nextLine())
        writer.send(SIGKILL)
        let rest = writer.finish()
        #expect(rest.status == -SIGKILL)
        return try #require(Int(rest.lines.last ?? String(decoding: line, as: UTF8.self)))
    }

    /// The first lines that `bench ack` appends in a round.
    private static func lines(seed: UInt64, count: Int) -> [String] {
        struct Enough: Error {}
        var lines: [String] = []
        do {
            try Workload(seed: seed, count: lineCount, options: .clean).forEachLine { line in
                lines.append(String(decoding: line.bytes, as: UTF8.self))
                if lines.count == count { throw Enough() }
            }
        } catch {}
        return lines
    }

    private func expectAtMostTornTails(_ fixture: CommandFixture) throws {
        let run = try fixture.evalog("verify")
        let damages = run.lines.filter { $0.hasPrefix("damage: ") }
        #expect(damages.allSatisfy { $0.hasSuffix(": torn tail") })
        #expect(run.status == (damages.isEmpty ? 0 : 1))
    }

    @Test("the next writer needs no repair, and a follower goes on with it")
    func nextWriter() throws {
        let fixture = CommandFixture()
        let first = try RunningProgram(
            BuiltProgram.bench,
            ["ack", fixture.log, "--clean", "--count", "\(Self.lineCount)", "--seed", "1"],
            in: fixture.folder)
        let confirmed = try killed(first)
        let second = try RunningProgram(
            BuiltProgram.bench, ["ack", fixture.log, "--clean", "--count", "200", "--seed", "2"],
            in: fixture.folder
        ).finish()
        #expect(second.status == 0)
        #expect(second.lines.last == "200")
        let count = try fixture.factLines().count
        #expect(count >= confirmed + 200)
        #expect(
            try fixture.evalog("tail", "--json", "-n", "100000").lines.count == min(count, 100_000))
    }
}

@Suite("After a killed import") struct KilledImportTests {
    @Test("importing again completes it, and nothing counts twice", arguments: [0, 1, 300, 400])
    func again(count: Int) throws {
        let (fixture, whole) = (CommandFixture(), CommandFixture())
        try Files.write(Records.text(0..<400), to: fixture.path("records"))
        try fixture.shell("head -n \(count) records > part; mkfifo pipe")
        // The pipe is open for writing until sh ends, so the import cannot come to its end.
        try fixture.shell(
            """
            "$EVALOG" import --source records pipe & exec 3> pipe
            cat part >&3; kill -KILL $!; wait $!
            """)
        #expect(try fixture.factLines().count <= count)
        #expect(try fixture.evalog("import", "--source", "records", "records").status == 0)
        #expect(Set(try fixture.factLines()).count == 400)
        #expect(try fixture.evalog("verify").status == 0)
        try whole.evalog("import", fixture.path("records"))
        #expect(try fixture.export()["impressions.csv"] == whole.export()["impressions.csv"])
    }
}

@Suite("zcat") struct PlainGzipTests {
    private let lines = Workload(seed: 8, count: 300, options: .clean).lines

    private func writer(_ fixture: CommandFixture) throws -> LogWriter {
        let writer = try LogWriter(fixture.directory)
        for (index, line) in lines.enumerated() {
            _ = writer.append(line.bytes, to: .facts, eventTime: line.fact?.time ?? 0)
            if index % 100 == 99 { try writer.flush() }
        }
        return writer
    }

    private func count(_ fixture: CommandFixture) throws -> Finished {
        try fixture.shell(
            "set -e; zcat log/facts/*.gz > text; wc -l < text; gzip -t log/facts/*.gz")
    }

    @Test("reads a log that is being written and one that is closed")
    func whole() throws {
        let fixture = CommandFixture()
        let writer = try writer(fixture)
        let open = try count(fixture)
        #expect(open.status == 0)
        #expect(open.text == "300\n")
        try writer.close()
        let closed = try count(fixture)
        #expect(closed.status == 0)
        #expect(closed.text == "300\n")
    }

    @Test("reads a torn log up to the tear, where evalog reads the same lines")
    func torn() throws {
        let fixture = CommandFixture()
        try writer(fixture).close()
        let name = try #require(Files.names(in: fixture.path("log/facts")).first)
        let path = fixture.path("log/facts/\(name)")
        let bytes = try Files.bytes(path)
        let members = try #require(MemberBytes.all(of: bytes))
        #expect(members.count == 4)
        let whole = members[0].bytes.count + members[1].bytes.count
        try Files.write(Array(bytes.prefix(whole + 150)), to: path)
        let text = try fixture.shell(
            "zcat log/facts/*.gz 2>/dev/null | head -n 200 > text; wc -l < text"
        ).text
        #expect(text == "200\n")
        #expect(
            try fixture.factLines().joined(separator: "\n") + "\n"
                == Files.text(fixture.path("text")))
        let verdict = try fixture.evalog("verify")
        #expect(verdict.status == 1)
        #expect(verdict.text.contains("at \(whole), 150 bytes: torn tail"))
        #expect(verdict.text.contains("lost: 100 lines"))
    }
}

/// Lines gathered by a reader, which calls from one thread here.
private final class CollectedByWriter: @unchecked Sendable {
    private(set) var lines: [WriterID: [String]] = [:]
    func add(_ line: String, of writer: WriterID) { lines[writer, default: []].append(line) }
}
