// A phone's life: thousands of short sessions of an app, half of them killed, and maintenance now and
// then. What was flushed is there, in few files, for anybody who reads gzip.

import EvalogFacts
import EvalogLog
import EvalogText
import Foundation
import TestSupport
import Testing

@Suite("A phone's life") struct PhoneLifeTests {
    private static let writerCount = 2_000
    private static let factCount = 10

    /// Ten facts of one session.
    private static func facts(at time: Int64, using random: inout SeededGenerator) -> [[UInt8]] {
        let session = UniqueID.random(using: &random)
        var time = time
        return (0..<factCount).map { _ in
            time += .random(in: 500_000...9_000_000, using: &random)
            let (usage, subject) =
                [
                    ("embedded_selection", "home_banner"), ("scene_text_input", "contact/topic"),
                    (
                        "in_app_message_suppression",
                        "promo-\(Int.random(in: 0..<4, using: &random))"
                    ),
                ].randomElement(using: &random) ?? ("", "")
            let isFailed = Int.random(in: 0..<10, using: &random) == 0
            var fact = EvaluationFact(
                id: .timeOrdered(microseconds: time, using: &random), time: time, usage: usage,
                outcome: isFailed ? .failed : .completed, attempts: isFailed ? 2 : 1)
            fact.subject = subject
            fact.session = SessionID(bits: session, isDigest: false)
            (fact.model, fact.os) = ("smollm2-135m", "iOS 26.1")
            (fact.device, fact.app) = ("iPhone17,1", "4.2.0")
            fact.error = isFailed ? .timeout : nil
            fact.duration =
                isFailed ? 30_000_112 : .random(in: 80_000...400_000, using: &random)
            var line: [UInt8] = []
            Fact.evaluation(fact).encode(into: &line)
            return line
        }
    }

    /// Takes the seal away, as if the writer had been killed, and now and then leaves a torn block.
    private static func kill(_ path: String, isTorn: Bool) throws {
        var bytes = try Files.bytes(path)
        let members = try #require(MemberBytes.all(of: bytes))
        bytes.removeLast(members.last?.bytes.count ?? 0)
        if isTorn { bytes += members[0].bytes.prefix(60) }
        try Files.write(bytes, to: path)
        let hourAgo = Date(timeIntervalSinceNow: -3_600)
        try FileManager.default.setAttributes([.modificationDate: hourAgo], ofItemAtPath: path)
    }

    @Test("nothing that was flushed is lost, in few files, under 60 bytes a fact", arguments: [1])
    func life(seed: UInt64) throws {
        let fixture = CommandFixture()
        var random = SeededGenerator(seed: seed)
        var lines: Set<[UInt8]> = []
        let start = SystemClock().wallTime() - 60 * LogLimits.day
        for index in 0..<Self.writerCount {
            let time = start + Int64(index) * (60 * LogLimits.day / Int64(Self.writerCount))
            let writer = try LogWriter(
                fixture.directory,
                options: WriterOptions(clock: StandingClock(time: time), hasThread: false))
            let facts = Self.facts(at: time, using: &random)
            for fact in facts { _ = writer.append(fact, to: .facts, eventTime: time) }
            try writer.close()
            lines.formUnion(facts)
        }
        let names = try fixture.directory.list(.facts).segments.map(\.name.description).sorted()
        for (index, name) in names.enumerated() where index % 2 == 0 {
            try Self.kill("\(fixture.log)/facts/\(name)", isTorn: index % 10 == 0)
        }
        let position = try followed(fixture, expecting: lines)

        let dry = try fixture.evalog("maintain", "--dry-run")
        #expect(dry.status == 0 && dry.text.contains("would merge"))
        #expect(try fixture.evalog("maintain").status == 0)

        let segments = try fixture.directory.list(.facts).segments
        let byteCount = segments.reduce(0) { $0 + Int($1.status.byteCount) }
        #expect(segments.count < 20)
        #expect(byteCount < 60 * lines.count)
        #expect(
            try fixture.text(of: "facts").utf8.split(separator: 10).map(Array.init).count
                == lines.count)
        #expect(Set(try fixture.factLines().map { Array($0.utf8) }) == lines)
        var newCount: UInt64 = 0
        _ = try LogFollower(fixture.directory, .facts, from: position).poll {
            newCount += $0.wanted.count
        }
        #expect(newCount == 0)
        try readElsewhere(fixture, count: lines.count)
        #expect(try fixture.evalog("maintain").text.contains("facts: nothing to do"))
    }

    private func followed(
        _ fixture: CommandFixture, expecting lines: Set<[UInt8]>
    ) throws -> Position {
        var seen: Set<[UInt8]> = []
        let follower = LogFollower(fixture.directory, .facts)
        _ = try follower.poll { block in block.forEachLine { _, line in seen.insert(Array(line)) } }
        #expect(seen == lines)
        return follower.position
    }

    /// Python's gzip, and DuckDB where `make crosscheck` has installed it.
    private func readElsewhere(_ fixture: CommandFixture, count: Int) throws {
        let python =
            "import glob,gzip;print(sum(1 for f in glob.glob('log/facts/*.gz') for _ in gzip.open(f)))"
        let read = try fixture.shell("python3 -c \"\(python)\"")
        if read.status != 127 { #expect(read.text == "\(count)\n") }
        let duck = "\(RepositoryRoot.path)/.venv/crosscheck/bin/python"
        guard FileManager.default.isExecutableFile(atPath: duck) else { return }
        let query = "select count(*), count(distinct id) from read_json('log/facts/*.gz')"
        let counted = try fixture.shell(
            "\(duck) -c \"import duckdb;print(duckdb.sql(\\\"\(query)\\\").fetchall())\"")
        #expect(counted.text == "[(\(count), \(count))]\n")
    }
}
