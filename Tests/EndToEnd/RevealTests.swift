// evalog tail --reveal: content for a person who asked for it by name, and an entry that they did.

import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("evalog tail --reveal") struct RevealTests {
    private func log() throws -> CommandFixture {
        let fixture = CommandFixture()
        try Files.write(Records.text(0..<20), to: fixture.path("records"))
        try fixture.evalog("import", "--content", "all", "records")
        return fixture
    }

    @Test("shows the content of the lines it shows, and of no other")
    func content() throws {
        let fixture = try log()
        let text = try fixture.evalog("tail", "--reveal", "-n", "2").text
        #expect(text.contains("secret-instructions 18") && text.contains("secret-instructions 19"))
        #expect(!text.contains("secret-instructions 17"))
        #expect(text.split(separator: "\n").count { $0.contains("content of ") } == 2)
        let failed = try fixture.evalog("tail", "--reveal", "--outcome", "failed", "-n", "50").text
        #expect(failed.split(separator: "\n").count { $0.contains("secret-error") } == 4)
        #expect(!failed.contains("secret-output"))
    }

    @Test("finds the content of every line shown, however many blocks both lie in")
    func manyBlocks() throws {
        let fixture = CommandFixture()
        let count = 3_000
        try Files.write(Records.text(0..<count), to: fixture.path("records"))
        try fixture.evalog("import", "--content", "all", "records")
        for (flag, value) in [("-n", "3000"), ("--position", "seen")] {
            let shown = try fixture.evalog("tail", "--reveal", "--json", flag, value).lines
            #expect(shown.count { $0.contains("secret-instructions") } == count)
            #expect(shown.count == 2 * count)
        }
    }

    @Test("with --json gives facts and content as they are stored")
    func json() throws {
        let fixture = try log()
        let stored = try fixture.text(of: "facts") + fixture.text(of: "content")
        let shown = try fixture.evalog("tail", "--reveal", "--json", "-n", "100").lines
        #expect(shown.sorted() == stored.split(separator: "\n").map(String.init).sorted())
    }

    @Test(
        "leaves an entry of mode 0600 for each run, without the filter's text, whatever the umask")
    func journal() throws {
        let fixture = try log()
        for _ in 1...2 {
            let run = try fixture.shell(
                "umask 000; \"$EVALOG\" tail --reveal --usage scene_text_input --model planted")
            #expect(run.status == 0)
        }
        let journal = try Files.text(fixture.path("log/reveals.ndjson"))
        let entries = journal.split(separator: "\n")
        #expect(entries.count == 2)
        #expect(
            entries.allSatisfy {
                $0.contains(#""user_id":\#(getuid())"#) && $0.contains(#""filter_digests":[""#)
            })
        #expect(!journal.contains("scene_text_input") && !journal.contains("planted"))
        #expect(Files.mode(fixture.path("log/reveals.ndjson")) == 0o600)
    }

    @Test("with -f shows the content of what is appended, as it comes")
    func follow() throws {
        let fixture = try log()
        let tail = try fixture.start(["tail", "-f", "--reveal", "--json", "-n", "1"])
        var seen: [String] = []
        func take(_ count: Int) throws {
            for _ in 0..<count {
                seen.append(String(decoding: try #require(tail.nextLine()), as: UTF8.self))
            }
        }
        try take(2)
        try Files.write(Records.text(20..<25), to: fixture.path("more"))
        try fixture.evalog("import", "--content", "all", "more")
        try take(10)
        tail.send(SIGINT)
        #expect(tail.finish().output.isEmpty)
        #expect(seen.count { $0.contains("secret-instructions 2") } == 5)
        #expect(seen.count { $0.contains("secret-instructions 19") } == 1)
    }

    @Test("with -f shows content that came before its fact, as it does where content is long")
    func contentFirst() throws {
        let (fixture, other) = (CommandFixture(), CommandFixture())
        try fixture.evalog("import", "-", input: Array(Records.text(0..<1).utf8))
        try Files.write(Records.text(7..<8), to: other.path("records"))
        try other.evalog("import", "--content", "all", "records")
        let tail = try fixture.start(["tail", "-f", "--reveal", "--json"])
        #expect(tail.nextLine() != nil)
        try fixture.shell("mv '\(other.log)'/content/*.gz log/content")
        // The line that comes next shows that the content was looked at.
        try fixture.evalog("import", "-", input: Array(Records.text(1..<2).utf8))
        #expect(tail.nextLine() != nil)
        try fixture.shell("mv '\(other.log)'/facts/*.gz log/facts")
        #expect(tail.nextLine() != nil)
        let content = String(decoding: try #require(tail.nextLine()), as: UTF8.self)
        #expect(content.contains("secret-instructions 7"))
    }

    @Test("leaves no entry without --reveal")
    func noEntry() throws {
        let fixture = try log()
        try fixture.evalog("tail")
        try fixture.evalog("tail", "--json")
        #expect(!Files.names(in: fixture.log).contains("reveals.ndjson"))
    }

    @Test(
        "shows nothing where the entry cannot be written",
        arguments: ["ln -s ../elsewhere log/reveals.ndjson", "mkdir log/reveals.ndjson"])
    func unwritable(preparation: String) throws {
        let fixture = try log()
        try fixture.shell(preparation)
        let run = try fixture.evalog("tail", "--reveal")
        #expect(run.status == 2)
        #expect(run.output.isEmpty)
        #expect(run.errors.contains("nothing is revealed"))
        #expect(!Files.names(in: fixture.folder).contains("elsewhere"))
    }

    @Test(
        "content does not steer the terminal",
        arguments: [#"\u001b[2J\u009b31m\u202e"#, "\u{9B}31m\u{202E}\u{7F}"])
    func hostile(text: String) throws {
        let fixture = CommandFixture()
        let record =
            #"{"usage":"u","outcome":"failed","error":"TEXT","request":{"instructions":"TEXT","#
            + #""schema":{"TEXT":1},"context":{"items":[{"content":"TEXT"}]}}}"#
        let input = Array(record.replacing("TEXT", with: text).utf8)
        try fixture.evalog("import", "--content", "all", "-", input: input)
        var outputs = [try fixture.evalog("tail", "--reveal").text]
        #if os(Linux)
            for words in ["--reveal", "--reveal --json"] {
                let shown = try fixture.shell(
                    "script -qec '\"$EVALOG\" tail --color never \(words)' /dev/null")
                outputs.append(shown.text.replacing("\r\n", with: "\n"))
            }
        #endif
        for output in outputs {
            #expect(output.contains("instructions"))
            let steering = output.unicodeScalars.filter {
                (0...0x1F).contains($0.value) && $0.value != 0x0A
                    || (0x7F...0x9F).contains($0.value)
                    || $0.value == 0x202E
            }
            #expect(steering.isEmpty)
        }
    }
}
