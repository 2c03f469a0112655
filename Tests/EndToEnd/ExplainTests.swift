// evalog explain: why evaluations count as they do, for a person and a program.

import Foundation
import Testing

@Suite("evalog explain") struct ExplainTests {
    private static let session = "0b54f0ee-9c5d-4d0a-8f52-000000000001"

    private static func fact(
        _ number: Int, minute: Int, outcome: String = "completed", extra: String = ""
    ) -> String {
        let two = { (n: Int) in n < 10 ? "0\(n)" : "\(n)" }
        return
            #"{"v":1,"type":"evaluation","id":"01930000-0000-7000-8000-0000000000\#(two(number))","#
            + #""time":"2026-11-29T\#(two(10 + minute / 60)):\#(two(minute % 60)):00.000000Z","#
            + #""usage":"embedded_selection","subject":"home","session":"\#(session)","#
            + #""model":"m","outcome":"\#(outcome)","duration_us":1500,"attempts":1\#(extra)}"#
    }

    private static let event =
        #"{"v":1,"type":"ai_suppressed","id":"01930000-0000-4000-8000-000000000099","#
        + #""time":"2026-11-29T10:06:00.000000Z","#
        + #""evaluation":"01930000-0000-7000-8000-000000000002","miss_behavior":"skip"}"#

    private func log() throws -> CommandFixture {
        let fixture = CommandFixture()
        let lines = [
            Self.fact(1, minute: 0), Self.fact(2, minute: 5, outcome: "failed"),
            Self.fact(3, minute: 40), Self.fact(3, minute: 40), Self.event,
        ]
        try Files.write(lines.joined(separator: "\n") + "\n", to: fixture.path("facts"))
        try fixture.evalog("import", "facts")
        // The same id once more, later and in other words.
        try Files.write(
            Self.fact(2, minute: 6, outcome: "completed") + "\n", to: fixture.path("again"))
        try fixture.evalog("import", "again")
        return fixture
    }

    @Test("each evaluation says why it begins an impression or joins one")
    func reasons() throws {
        let run = try log().evalog("explain", "--session", Self.session)
        #expect(run.status == 0)
        let text = run.text
        #expect(text.contains("impression 1: failed, 2 evaluations  (embedded_selection, home, "))
        #expect(text.contains("  begins: the first of its usage, subject and session\n"))
        #expect(text.contains("  joins: 5 min after the one before, within the gap of 30 min\n"))
        #expect(
            text.contains("  begins: 35 min after the one before, more than the gap of 30 min\n"))
        #expect(text.contains("1 duplicate, 1 of them in other words"))
        #expect(text.contains("stays    {") && text.contains("conflict {"))
        #expect(text.contains("1 duplicate, all alike"))
        #expect(text.contains("ai_suppressed  at 2026-11-29 10:06:00"))
        let shorter = try log().evalog("explain", "--session", Self.session, "--gap", "4m")
        #expect(
            shorter.text.contains("begins: 5 min after the one before, more than the gap of 4 min"))
    }

    @Test("an evaluation, an event that names it, and its session lead to the same impression")
    func inquiries() throws {
        let fixture = try log()
        let byID = try fixture.evalog("explain", "--json", "01930000-0000-7000-8000-000000000001")
        let byEvent = try fixture.evalog(
            "explain", "--json", "01930000-0000-4000-8000-000000000099")
        let bySubject = try fixture.evalog("explain", "--json", "--subject", "home")
        #expect(byID.lines.count == 1 && byID.output == byEvent.output)
        #expect(bySubject.lines.count == 2 && bySubject.lines[0] == byID.lines[0])
        let object = try #require(
            JSONSerialization.jsonObject(with: Data(byID.output)) as? [String: Any])
        #expect(object["start"] as? String == "first" && object["outcome"] as? String == "failed")
        let evaluations = try #require(object["evaluations"] as? [[String: Any]])
        #expect(evaluations.count == 2)
        #expect(evaluations[1]["since_previous_us"] as? Int == 300_000_000)
        #expect(evaluations[1]["lines"] as? Int == 2 && evaluations[1]["conflicts"] as? Int == 1)
        #expect((evaluations[1]["versions"] as? [Any])?.count == 2)
        #expect((evaluations[1]["events"] as? [Any])?.count == 1)
        #expect((evaluations[0]["fact"] as? [String: Any])?["model"] as? String == "m")
    }

    @Test(
        "what there is nothing to say of ends with 1, what cannot be asked with 2",
        arguments: [
            ("01930000-0000-7000-8000-000000000077", 1), ("--subject nowhere", 1),
            ("--subject home --since 2027-01-01", 1), ("--session \(session)", 0), ("", 2),
            ("--subject home --session \(session)", 2), ("not-an-id", 2), ("--session x", 2),
            ("--subject a@b", 2), ("--subject home --log absent", 2),
        ] as [(String, Int32)])
    func statuses(line: String, status: Int32) throws {
        let fixture = try log()
        let run = try fixture.start(
            ["explain"] + line.split(separator: " ").map(String.init)
        ).finish()
        #expect(run.status == status, "\(run.text)\(run.errors)")
        #expect(run.output.isEmpty == (status != 0))
        #expect(run.errors.isEmpty == (status == 0))
    }

    @Test("what the log holds cannot steer the terminal")
    func control() throws {
        let fixture = CommandFixture()
        let extra = ",\"unknown\":\"\u{7F}\u{9B}2J\u{202E}\""
        let lines = [Self.fact(1, minute: 0), Self.fact(1, minute: 0, extra: extra)]
        try Files.write(lines.joined(separator: "\n") + "\n", to: fixture.path("facts"))
        try fixture.shell("mkdir -p other/facts; \"$EVALOG\" import facts")
        let text = try fixture.evalog("explain", "--subject", "home").text
        #expect(!text.isEmpty)
        #expect(
            !text.unicodeScalars.contains { [0x7F, 0x9B, 0x1B, 0x202E].contains($0.value) })
    }

    @Test("--reveal shows the content of the evaluations explained, and leaves an entry")
    func reveal() throws {
        let fixture = CommandFixture()
        try Files.write(Records.text(0..<12), to: fixture.path("records"))
        try fixture.evalog("import", "--content", "all", "records")
        let session = Self.session.dropLast(2) + "00"
        let plain = try fixture.evalog("explain", "--session", String(session))
        #expect(plain.status == 0 && !plain.text.contains("secret"))
        #expect(Files.names(in: fixture.path("log")).contains("reveals.ndjson") == false)
        let run = try fixture.evalog("explain", "--session", String(session), "--reveal")
        #expect(run.text.contains("secret-instructions 5\n"))
        #expect(!run.text.contains("secret-instructions 6"))
        let journal = try Files.text(fixture.path("log/reveals.ndjson"))
        #expect(journal.contains(#""command":"explain""#) && !journal.contains(session))
        #expect(Files.mode(fixture.path("log/reveals.ndjson")) == 0o600)
    }
}
