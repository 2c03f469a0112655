// evalog maintain and status as somebody at a shell sees them.

import EvalogLog
import Foundation
import TestSupport
import Testing

@Suite("evalog maintain") struct MaintainTests {
    private let fixture = CommandFixture()

    /// Several imports, one of which was killed and left its file unsealed for an hour.
    private func makeLog() throws {
        for part in 0..<6 {
            try Files.write(
                Records.text((part * 20)..<(part * 20 + 20)), to: fixture.path("records"))
            try fixture.evalog("import", "--content", "all", "--source", "s", "records")
        }
        let name = try #require(try fixture.directory.list(.facts).segments.first).name
        let path = "\(fixture.log)/facts/\(name)"
        var bytes = try Files.bytes(path)
        let members = try #require(MemberBytes.all(of: bytes))
        bytes.removeLast(members.last?.bytes.count ?? 0)
        try Files.write(bytes, to: path)
        let hourAgo = Date(timeIntervalSinceNow: -3_600)
        try FileManager.default.setAttributes([.modificationDate: hourAgo], ofItemAtPath: path)
    }

    private func object(_ text: some StringProtocol) throws -> [String: Any] {
        let value = try JSONSerialization.jsonObject(with: Data(text.utf8))
        return try #require(value as? [String: Any])
    }

    @Test("a dry run says what would be done and changes nothing; then it is done")
    func dryRun() throws {
        try makeLog()
        let before = try Files.all(in: "\(fixture.log)/facts")
        let export = try fixture.export()
        let dry = try fixture.evalog("maintain", "--dry-run", "--json")
        #expect(dry.status == 0 && dry.lines.count == 2)
        let plan = try object(try #require(dry.lines.first))
        let steps = try #require(plan["steps"] as? [[String: Any]])
        #expect(steps.map { $0["kind"] as? String } == ["merge"])
        #expect((steps[0]["segments"] as? [String])?.count == 6)
        #expect(try Files.all(in: "\(fixture.log)/facts") == before)
        let run = try fixture.evalog("maintain", "--json")
        #expect(run.status == 0)
        let report = try object(try #require(run.lines.first))
        let done = try #require(report["done"] as? [[String: Any]])
        #expect(done.map { $0["kind"] as? String } == ["merge"])
        #expect(done[0]["lines"] as? Int == steps[0]["lines"] as? Int)
        #expect(try fixture.directory.list(.facts).segments.count == 1)
        #expect(try fixture.export()["evaluations.csv"] == export["evaluations.csv"])
        #expect(try fixture.evalog("verify", "--content").status == 0)
        #expect(
            try fixture.evalog("maintain").text == "facts: nothing to do\ncontent: nothing to do\n")
    }

    @Test("what writers hold, and what one has just left unsealed, is said to be left alone")
    func inUse() throws {
        try makeLog()
        let name = try #require(Files.names(in: "\(fixture.log)/facts").last)
        let path = "\(fixture.log)/facts/\(name)"
        let members = try #require(MemberBytes.all(of: try Files.bytes(path)))
        try Files.write(Array(members.dropLast().flatMap(\.bytes)), to: path)
        let words = "facts: 1 segment in use, or changed within the last 60 s, left alone\n"
        #expect(try fixture.evalog("maintain", "--dry-run").text.contains(words))
        #expect(try fixture.evalog("maintain").text.contains(words))
        let again = try fixture.evalog("maintain", "--json")
        let report = try object(try #require(again.lines.first))
        #expect(report["in_use"] as? [String] == [name])
    }

    @Test("content goes after its days, facts after theirs, and status says what went")
    func retention() throws {
        try makeLog()
        // Lines that were appended just now are old enough only for a limit of nothing.
        usleep(20_000)
        let run = try fixture.evalog("maintain", "--keep-content", "1ms")
        #expect(run.status == 0 && run.text.contains("content: pruned 6 segments"))
        #expect(try fixture.text(of: "content").isEmpty)
        #expect(try fixture.factLines().count == 120)
        for (flag, value) in [
            ("--keep-facts", "0"), ("--keep-content", "soon"), ("--keep-facts", "-1d"),
        ] {
            let refused = try fixture.evalog("maintain", flag, value)
            #expect(refused.status == 2 && refused.errors.contains("takes a length above 0"))
        }
    }

    /// Gate facts three hours ago, the last one in time says off; an event an hour ago.
    private func makeGateLog() throws {
        let now = SystemClock().wallTime()
        let hour: Int64 = 3_600_000_000
        func append(_ facts: [String], at time: Int64) throws {
            let writer = try LogWriter(
                fixture.directory, options: .init(clock: StandingClock(time: time)))
            for fact in facts {
                _ = writer.append(
                    Array(fact.utf8), to: .facts, eventTime: 1_577_836_800_000_000)
            }
            try writer.close()
        }
        let time = "2020-01-01T00:00"
        let gates = [(1, "01", true), (2, "03", false), (3, "02", true)].map { id, second, isOn in
            #"{"v":1,"type":"gate","id":"00000000-0000-4000-8000-00000000000\#(id)","#
                + #""time":"\#(time):\#(second)Z","on_device_ai":\#(isOn)}"#
        }
        try append(gates, at: now - 3 * hour)
        try append(
            [
                #"{"v":1,"type":"form_inference","id":"00000000-0000-4000-8000-000000000009","#
                    + #""time":"\#(time):30Z","evaluation":"00000000-0000-0000-0000-000000000000","#
                    + #""subject":"support/text","session":"00000000-0000-4000-8000-00000000000a","#
                    + #""status":"failure"}"#
            ], at: now - hour)
    }

    @Test("that on-device AI is off is still known when the fact that told it has had its time")
    func gate() throws {
        try makeGateLog()
        for _ in 0..<2 {
            #expect(try fixture.evalog("maintain", "--keep-facts", "2h").status == 0)
            // The event, the last gate fact, and that others are gone.
            #expect(try fixture.factLines().count == 3)
            let run = try fixture.evalog("report", "--to", "out")
            #expect(run.errors.contains("withheld events while on-device AI was off"))
            #expect(try Files.bytes(fixture.path("out/events.ndjson")).isEmpty)
        }
    }

    @Test("facts do not go where what they tell of the gate cannot be written anew")
    func gateOnFullDisk() throws {
        try makeGateLog()
        let full = try fixture.shell("ulimit -f 0; \"$EVALOG\" maintain --keep-facts 2h")
        #expect(full.status == 2 && full.errors.contains("evalog"))
        #expect(try fixture.factLines().count == 4)
        #expect(try fixture.evalog("maintain", "--keep-facts", "2h").status == 0)
        #expect(try fixture.evalog("report", "--to", "out").errors.contains("on-device AI was off"))
    }

    @Test("status counts what there is, what is missing and what maintenance would do")
    func status() throws {
        try makeLog()
        let before = try object(try fixture.evalog("status", "--json", "--content").text)
        #expect(before["segments_to_rewrite"] as? Int == 6)
        #expect((before["segments"] as? [String: Int])?["dead"] == 1)
        #expect(before["writers"] as? Int == 6 && before["lines"] as? Int == 120)
        #expect(before["lost"] as? Int == 0 && before["refused_last_day"] as? Int == 0)
        #expect((before["content"] as? [String: Any])?["writers"] as? Int == 6)
        #expect((before["limits"] as? [String: Int])?["facts_days"] == LogLimits.factsDaysDefault)
        try fixture.evalog("maintain")
        let after = try object(try fixture.evalog("status", "--json").text)
        #expect((after["segments"] as? [String: Int])?["merged"] == 1)
        #expect(after["segments_to_rewrite"] as? Int == 0 && after["lines"] as? Int == 120)
        for word in ["writers", "lag", "missing", "refused", "maintain", "kept", "dead"] {
            #expect(try fixture.evalog("status").text.contains("\n\(word)"))
        }
    }

    @Test("two at once do the work once")
    func twoAtOnce() throws {
        try makeLog()
        let runs = [try fixture.start(["maintain"]), try fixture.start(["maintain"])]
        for run in runs { #expect(run.finish().status == 0) }
        #expect(try fixture.directory.list(.facts).segments.count == 1)
        #expect(try fixture.factLines().count == 120)
    }

    @Test("killed at any moment, it leaves all lines, and the next run ends the work")
    func kills() throws {
        try makeLog()
        for delay in stride(from: UInt32(0), to: 40_000, by: 4_000) {
            try fixture.evalog("import", "--source", "n\(delay)", "records")
            let run = try fixture.start(["maintain"])
            usleep(delay)
            run.send(SIGKILL)
            _ = run.finish()
            #expect(try fixture.evalog("verify").status == 0)
        }
        #expect(try fixture.evalog("maintain").status == 0)
        #expect(try fixture.directory.list(.facts).segments.count == 1)
        #expect(try fixture.evalog("verify").status == 0)
        #expect(try fixture.directory.list(.facts).ignored.isEmpty)
    }
}
