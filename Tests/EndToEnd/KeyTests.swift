// The log's key: made by the first line that may need it, never by reading, and missed only where
// it was there.

import EvalogLog
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("The key of a log") struct KeyTests {
    private static let digest = "~" + String(repeating: "0a", count: 16)

    private static func fact(
        _ version: Int = 7, subject: String = "home_banner",
        session: String = "0b54f0ee-9c5d-4d0a-8f52-000000000001"
    ) -> String {
        #"{"v":1,"type":"evaluation","id":"0193f0a0-0000-\#(version)000-8000-00000000000\#(version)","#
            + #""time":"2026-11-29T10:15:30.123456Z","usage":"embedded_selection","#
            + #""subject":"\#(subject)","session":"\#(session)","outcome":"completed","attempts":1}"#
    }

    /// A log as an app's recorder leaves it that had nothing to make a digest of.
    private func recorded(_ lines: [String] = [fact()]) throws -> CommandFixture {
        let fixture = CommandFixture()
        let writer = try LogWriter(fixture.directory)
        for line in lines { _ = writer.append(Array(line.utf8), to: .facts, eventTime: 0) }
        try writer.close()
        try Files.write(Records.text(0..<3), to: fixture.path("records"))
        return fixture
    }

    private let note = "its key is gone, so a new one is made"

    @Test("a log that never had one gets one with the first import, without a warning")
    func never() throws {
        let fixture = try recorded()
        let run = try fixture.evalog("import", "records")
        #expect(run.status == 0 && !run.errors.contains("key"))
        #expect(Files.names(in: fixture.path("log/content")) == ["key"])
    }

    @Test(
        "a log with something that was made with one is told from it",
        arguments: [fact(8), fact(subject: digest), fact(session: digest)])
    func gone(line: String) throws {
        let fixture = try recorded([Self.fact(), line])
        #expect(try fixture.evalog("import", "records").errors.contains(note))
        // Now there is one.
        #expect(!(try fixture.evalog("import", "records").errors.contains(note)))
    }

    @Test("subjects that merely begin like a digest need none")
    func noDigest() throws {
        let fixture = try recorded([Self.fact(subject: "~home"), Self.fact(4)])
        #expect(!(try fixture.evalog("import", "records").errors.contains("key")))
    }

    @Test("what was imported and lost its key since is told", arguments: [true, false])
    func lost(hasSession: Bool) throws {
        let fixture = CommandFixture()
        let records = Records.text(0..<3)
        try Files.write(
            hasSession ? records : records.replacing(#""session":"#, with: #""other":"#),
            to: fixture.path("records"))
        #expect(!(try fixture.evalog("import", "records").errors.contains(note)))
        try fixture.shell("rm log/content/key")
        #expect(try fixture.evalog("import", "records").errors.contains(note))
    }

    @Test(
        "revealing makes none, and says that the journal does not tell for what",
        arguments: [
            "tail --reveal --usage embedded_selection", "explain --reveal --subject home_banner",
        ])
    func revealing(command: String) throws {
        let fixture = try recorded()
        let run = try fixture.shell("\"$EVALOG\" \(command)")
        #expect(run.status == 0)
        #expect(
            run.errors.contains("has no key, so reveals.ndjson says who looked, and not for what"))
        #expect(Files.names(in: fixture.log) == ["facts", "reveals.ndjson"])
        let journal = try Files.text(fixture.path("log/reveals.ndjson"))
        #expect(journal.hasSuffix(#""filter_digests":["no_key"]}"# + "\n"))
        // With nothing asked for there is nothing to tell.
        #expect(try fixture.evalog("tail", "--reveal").errors.isEmpty)
    }

    @Test(
        "no command that reads makes one",
        arguments: [
            "tail", "top", "replay", "export --to csv", "check --max-lost 0", "verify --content",
            "status --content", "report --to out", "explain --subject home_banner", "maintain",
            "erase --subject home_banner", "import --log other log",
        ])
    func reading(command: String) throws {
        let fixture = try recorded()
        #expect(try fixture.shell("\"$EVALOG\" \(command)").status == 0)
        #expect(try fixture.shell("find . -name key").text.isEmpty)
    }

    @Test(
        "what root makes in somebody's log is that person's",
        .enabled(if: getuid() == 0, "only root can be another one"))
    func owner() throws {
        let fixture = try recorded()
        let work = """
            chown -R 1234:1235 log
            "$EVALOG" import --content all records && "$EVALOG" tail --reveal --usage x &&
            "$EVALOG" report --to out && "$EVALOG" erase --subject home_banner --facts &&
            "$EVALOG" maintain
            """
        #expect(try fixture.shell(work).status == 0)
        let others = try fixture.shell("find log ! -uid 1234 -o ! -gid 1235").text
        #expect(others.isEmpty, "\(others)")
        #expect(Files.names(in: fixture.log).count >= 5)
    }
}

@Suite("What an import leaves behind") struct ImportTraceTests {
    @Test(
        "nothing where no line is accepted",
        arguments: ["{\n", "", "\n\n", "{\"erased\":true}\n", "text\n\n{}\n"], ["", "--strict"])
    func nothing(text: String, flag: String) throws {
        let fixture = CommandFixture()
        try Files.write(text, to: fixture.path("records"))
        let run = try fixture.shell("\"$EVALOG\" import \(flag) records")
        let isBad = text.contains("{\n") || text.contains("{}")
        #expect(run.status == (isBad ? 1 : 0))
        #expect(Files.names(in: fixture.folder) == ["records"])
        // The first line that is good makes the log, and has the id that it would have had alone.
        try Files.write(text + Records.text(0..<1), to: fixture.path("records"))
        try fixture.shell("\"$EVALOG\" import records; \"$EVALOG\" import records")
        #expect(Set(try fixture.factLines()).count == 1)
    }

    @Test("a second import says once that what was there counts once, a first one has no need to")
    func again() throws {
        let fixture = CommandFixture()
        try Files.write(Records.text(0..<3), to: fixture.path("one"))
        try Files.write(Records.text(3..<6), to: fixture.path("two"))
        let words = "should the log have had some of them already, by their ids, these count once"
        #expect(!(try fixture.evalog("import", "one", "two").errors.contains(words)))
        let again = try fixture.evalog("import", "one", "two").errors
        #expect(again.ranges(of: words).count == 1)
        try Files.write("{\n", to: fixture.path("bad"))
        #expect(!(try fixture.evalog("import", "bad").errors.contains(words)))
    }
}
