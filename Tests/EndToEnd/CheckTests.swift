// evalog check on real logs: statuses, what is printed, and that it agrees with the tables.

import EvalogFacts
import EvalogLog
import EvalogText
import Foundation
import Testing

@Suite("evalog check") struct CheckTests {
    private static let end = "2026-11-29T23:59:59Z"

    /// Records of one day: a fifth failed, a fifth skipped, a fifth cancelled.
    private func log() throws -> CommandFixture {
        let fixture = CommandFixture()
        try Files.write(Records.text(0..<200), to: fixture.path("records"))
        try fixture.evalog("import", "records")
        return fixture
    }

    private func check(_ fixture: CommandFixture, _ words: String) throws -> Finished {
        try fixture.start(
            ["check", "--until", Self.end, "--window", "24h"]
                + words.split(separator: " ").map(String.init)
        ).finish()
    }

    @Test(
        "status 1 where a threshold is broken, 0 where none is, 2 where it cannot be told",
        arguments: [
            ("--max-failure-rate 5% --by none", 1), ("--max-failure-rate 90% --by none", 0),
            ("--max-skip-rate 0.01 --by usage", 1), ("--max-skip-rate 0.9", 0),
            ("--max-p50 1ms", 1), ("--max-p99 10s --max-p50 10s", 0), ("--max-age 1s", 1),
            ("--max-age 24h --by none", 0), ("--max-lost 0 --max-refused 0", 0),
            ("--max-failure-rate 34%", 0), ("--max-failure-rate 33% --strict", 1),
            ("--max-failure-rate 5% --usage unheard_of", 0),
            ("--max-age 24h --usage unheard_of", 1),
            ("", 2), ("--max-failure-rate 2", 2), ("--max-p95 2", 2), ("--max-age 25h", 2),
            ("--max-lost -1", 2), ("--max-failure-rate 5% --since 1h", 2),
            ("--max-lost 0 --log absent", 2),
        ] as [(String, Int32)])
    func statuses(line: String, status: Int32) throws {
        let run = try check(log(), line)
        #expect(run.status == status, "\(run.text)\(run.errors)")
        #expect(run.output.isEmpty == (status != 1))
        if status == 2 { #expect(run.errors.hasPrefix("evalog: ")) }
    }

    @Test("an empty log breaks silence and nothing else, and says that there was nothing")
    func empty() throws {
        let fixture = CommandFixture()
        try LogWriter(fixture.directory).close()
        let silent = try fixture.evalog("check", "--max-age", "10m", "--max-failure-rate", "5%")
        #expect(silent.status == 1)
        #expect(silent.text.contains("no evaluation in the window"))
        #expect(silent.text.contains("1 without data"))
        let rate = try fixture.evalog("check", "--max-failure-rate", "5%")
        #expect(rate.status == 0 && rate.errors.contains("1 without data"))
        #expect(try fixture.evalog("check", "--quiet", "--max-p95", "1s").errors.isEmpty)
    }

    @Test("the numbers are those of the tables of the same range")
    func agreement() throws {
        let fixture = try log()
        let run = try check(
            fixture, "--json --max-failure-rate 0 --max-p95 1us --strict --by model")
        let report = try #require(
            JSONSerialization.jsonObject(with: Data(run.output)) as? [String: Any])
        let findings = try #require(report["findings"] as? [[String: Any]])
        let csv = try fixture.export("--by", "model", "--window", "24h")
        let rows = String(decoding: try #require(csv["evaluations.csv"]), as: UTF8.self)
            .split(separator: "\r\n").map { $0.split(separator: ",").map(String.init) }
        for row in rows.dropFirst() {
            let group = findings.filter { $0["model"] as? String == row[2] }
            #expect(group.count == 2)
            let rate = try #require(group.first { $0["check"] as? String == "failure_rate_ppm" })
            #expect(rate["count"] as? Int == Int(row[6]))
            #expect(rate["value"] as? Int == Int((Double(row[8])! * 1_000_000).rounded()))
            #expect(rate["low"] as? Int == Int((Double(row[9])! * 1_000_000).rounded()))
            let p95 = try #require(group.first { $0["check"] as? String == "duration_p95_us" })
            #expect(p95["value"] as? Int == Int((Double(row[19])! * 1_000).rounded()))
        }
    }

    @Test("refused lines count in the window, lost ones in the whole log")
    func gaps() throws {
        let fixture = try log()
        let gap =
            #"{"v":1,"type":"log_gap","id":"01930000-0000-4000-8000-000000000001","#
            + #""time":"2026-11-29T05:00:00.000000Z","stream":"facts","#
            + #""since":"2026-11-29T04:00:00.000000Z","refused":7,"cause":"no_space"}"#
        try Files.write(gap + "\n", to: fixture.path("gap"))
        try fixture.evalog("import", "gap")
        #expect(try check(fixture, "--max-refused 7").status == 0)
        #expect(try check(fixture, "--max-refused 6").status == 1)
        let later = try fixture.evalog("check", "--until", "2026-12-09", "--max-refused", "0")
        #expect(later.status == 0)
        let name = try #require(Files.names(in: fixture.path("log/facts")).first)
        let path = fixture.path("log/facts/\(name)")
        try Files.write(Array(try Files.bytes(path).dropLast(120)), to: path)
        let lost = try check(fixture, "--max-lost 0")
        #expect(lost.status == 1 && lost.text.contains("lost lines"))
    }

    @Test("blocks from before the window are not read, and their facts are not missed")
    func oldBlocks() throws {
        let fixture = try log()
        let name = try #require(Files.names(in: fixture.path("log/facts")).first)
        let path = fixture.path("log/facts/\(name)")
        var bytes = try Files.bytes(path)
        // Damage in the text of a block shows only to who inflates it.
        bytes[120] ^= 1
        try Files.write(bytes, to: path)
        let later = try fixture.evalog("check", "--until", "2026-12-09", "--max-lost", "0")
        #expect(later.status == 0 && !later.errors.contains("damaged"))
        #expect(try check(fixture, "--max-lost 0").status == 1)
    }
}
