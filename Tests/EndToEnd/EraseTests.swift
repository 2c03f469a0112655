// evalog erase: what was to go is gone from every file, and nothing else changed.

import EvalogContent
import EvalogLog
import TestSupport
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("evalog erase") struct EraseTests {
    // MARK: What goes and what stays

    @Test("a session's content goes, and no number changes")
    func content() throws {
        let fixture = try CommandFixture.erasable()
        let (facts, export) = (try fixture.text(of: "facts"), try fixture.export())
        let before = try fixture.text(of: "content").split(separator: "\n")
        let dry = try fixture.evalog("erase", "--session", EraseLines.session(1), "--dry-run")
        #expect(dry.status == 0 && dry.text == "content: 10 lines to erase\n")
        #expect(try fixture.planted().count == 40)
        #expect(Files.names(in: fixture.log) == ["content", "facts"])
        let run = try fixture.evalog("erase", "--session", EraseLines.session(1).uppercased())
        #expect(run.status == 0 && run.text == "content: 10 lines erased\n")
        #expect(try fixture.planted() == EraseLines.rest(1))
        let after = try fixture.text(of: "content").split(separator: "\n")
        #expect(after.count == before.count)
        for (old, new) in zip(before, after) where old != new {
            #expect(new == #"{"erased":true}"# && old.contains(EraseLines.session(1)))
        }
        #expect(try fixture.text(of: "facts") == facts)
        #expect(try fixture.export() == export)
        #expect(try fixture.evalog("verify", "--content").status == 0)
        #expect(Files.temporaries(below: fixture.log).isEmpty)
        let again = try fixture.evalog("erase", "--session", EraseLines.session(1))
        #expect(again.status == 0 && again.text == "content: nothing erased\n")
    }

    @Test("with --facts all tables are those of a log that never had the session")
    func facts() throws {
        let fixture = try CommandFixture.erasable()
        let other = CommandFixture()
        try fixture.shell(
            "mkdir -p '\(other.log)/content' && cp log/content/key '\(other.log)/content'")
        try other.evalog(
            "import", "--content", "all", "--source", "s", "-",
            input: Array(EraseLines.records(but: 2).utf8))
        let run = try fixture.evalog("erase", "--session", EraseLines.session(2), "--facts")
        #expect(run.text == "content: 10 lines erased\nfacts: 10 lines erased\n")
        var (ours, theirs) = (try fixture.export(), try other.export())
        func rows(_ export: inout [String: [UInt8]]) -> [String] {
            let text = String(
                decoding: export.removeValue(forKey: "quality.csv") ?? [], as: UTF8.self)
            return text.split(separator: "\r\n").map(String.init)
        }
        let counted = [rows(&ours), rows(&theirs)]
        #expect(Set(counted[0]).subtracting(counted[1]) == ["lines,40", "erased_lines,10"])
        #expect(ours == theirs)
        #expect(try fixture.evalog("tail", "--json", "-n", "100").lines.count == 30)
        #expect(try fixture.evalog("tail", "--reveal", "-n", "100").errors.isEmpty)
        #expect(try fixture.evalog("verify", "--content").status == 0)
    }

    @Test("a session or subject that stands as a digest goes by the name that the app gave it")
    func digests() throws {
        let fixture = try CommandFixture.erasable()
        #expect(!(try fixture.text(of: "content")).contains("anna"))
        let run = try fixture.evalog("erase", "--session", "anna@example")
        #expect(run.text == "content: 10 lines erased\n")
        #expect(try fixture.planted() == EraseLines.rest(3))
        // Its facts still know it.
        #expect(
            try fixture.evalog("erase", "--session", "anna@example").text
                == "content: nothing erased\n")
        try fixture.evalog("erase", "--subject", "banner 2")
        #expect(try fixture.planted() == EraseLines.rest(3).intersection(EraseLines.rest(2)))
    }

    @Test("an evaluation goes by its id, and events that name it with its fact")
    func ids() throws {
        let id = EraseLines.ids[4]
        let event =
            #"{"v":1,"type":"ai_suppressed","id":"00000000-0000-4000-8000-0000000000aa","#
            + #""time":"2026-11-29T11:00:00Z","evaluation":"\#(id)","miss_behavior":"skip"}"# + "\n"
        let fixture = try CommandFixture.erasable(
            EraseLines.ids.enumerated().map { EraseLines.record($0, session: nil, id: $1) }.joined()
                + event)
        #expect(try fixture.evalog("erase", "--id", id).text == "content: 1 line erased\n")
        let run = try fixture.evalog("erase", "--id", id, "--facts")
        #expect(run.text == "content: nothing erased\nfacts: 2 lines erased\n")
        #expect(try fixture.planted() == Set(0..<10).subtracting([4]))
        #expect(!(try fixture.text(of: "facts")).contains(id))
    }

    @Test("an event takes an evaluation with it that knows no session, and none of another session")
    func namedByEvents() throws {
        let (first, second, third) = (EraseLines.ids[0], EraseLines.ids[1], EraseLines.ids[2])
        let fixture = try CommandFixture.erasable(
            EraseLines.record(0, session: EraseLines.session(0), id: first)
                + EraseLines.record(1, session: nil, id: second)
                + EraseLines.record(2, session: EraseLines.session(1), id: third)
                // The app's session ended between the question and the report.
                + EraseLines.event(0, of: first, session: EraseLines.session(1))
                + EraseLines.event(1, of: second, session: EraseLines.session(1)))
        let run = try fixture.evalog("erase", "--session", EraseLines.session(1), "--facts")
        #expect(run.text == "content: 2 lines erased\nfacts: 4 lines erased\n")
        #expect(try fixture.planted() == [0])
        let facts = try fixture.text(of: "facts").split(separator: "\n")
        #expect(facts.filter { !$0.contains("erased") }.count == 1)
        #expect(facts.contains { $0.contains(first) && $0.contains(EraseLines.session(0)) })
    }

    @Test("the catalog of a field outlives the field's facts, for nobody would write it again")
    func catalogs() throws {
        let catalog =
            #"{"v":1,"type":"catalog","id":"00000000-0000-4000-8000-0000000000aa","#
            + #""time":"2026-11-29T09:00:00Z","subject":"form/field","report":{"a":["b"]}}"# + "\n"
        let fixture = try CommandFixture.erasable(
            catalog + EraseLines.record(0, session: nil, subject: "form/field"))
        let run = try fixture.evalog("erase", "--subject", "form/field", "--facts")
        #expect(run.text == "content: 1 line erased\nfacts: 1 line erased\n")
        #expect(try fixture.text(of: "facts").contains(#""type":"catalog""#))
        let id = "00000000-0000-4000-8000-0000000000aa"
        for count in ["1 line", "nothing"] {
            let run = try fixture.evalog("erase", "--id", id, "--facts")
            #expect(run.text.contains("facts: \(count)"))
            #expect(run.errors.contains("lists nothing") == (count == "1 line"))
            let facts = try fixture.text(of: "facts")
            #expect(
                facts.contains(
                    #""time":"2026-11-29T09:00:00.000000Z","subject":"form/field","report":{}}"#))
            #expect(!facts.contains(id) && facts.ranges(of: "catalog").count == 1)
        }
    }

    @Test("content that does not say whose it is goes by its fact")
    func factOnly() throws {
        let fixture = try CommandFixture.erasable()
        let lines = try fixture.text(of: "content").split(separator: "\n")
        try fixture.shell("rm log/content/*.gz")
        let writer = try LogWriter(fixture.directory)
        for line in lines {
            let anonymous = line.replacing(#/"session":"[^"]*",/#, with: "")
            _ = writer.append(Array(anonymous.utf8), to: ContentAccess.stream, eventTime: 0)
        }
        try writer.close()
        #expect(try fixture.planted().count == 40)
        let run = try fixture.evalog("erase", "--session", EraseLines.session(0))
        #expect(run.text == "content: 10 lines erased\n")
        #expect(try fixture.planted() == EraseLines.rest(0))
    }

    private static func reveals(of session: String, _ id: String) -> [[String]] {
        [
            ["tail", "--reveal", "--session", session],
            ["tail", "--reveal", "--session", session.uppercased(), "--outcome", "completed"],
            ["explain", "--reveal", "--session", session.uppercased()],
            ["explain", "--reveal", id], ["tail", "--reveal", "--id", id.uppercased()],
            ["tail", "--reveal", "--evaluation", id],
        ]
    }

    @Test(
        "whoever revealed a session by its name or an id stays on record, and what they named does not",
        arguments: [[], ["--facts"]])
    func revealed(flags: [String]) throws {
        let ids = EraseLines.ids.prefix(3)
        let fixture = try CommandFixture.erasable(
            ids.enumerated().map { EraseLines.record($0, session: EraseLines.session($0), id: $1) }
                .joined())
        for number in [0, 1] {
            for words in Self.reveals(of: EraseLines.session(number), ids[number]) {
                #expect(try fixture.start(words).finish().status == 0, "\(words)")
            }
        }
        let journal = fixture.path("log/reveals.ndjson")
        func digests() throws -> [[String]] {
            try Files.text(journal).split(separator: "\n").map { line in
                let list = try #require(line.split(separator: "[").last)
                return list.split(separator: "\"").map(String.init).filter { $0.count > 5 }
            }
        }
        let before = try digests()
        // One form, however it was typed.
        #expect(before[0] == before[2] && before[3] == before[4] && before[1].count == 2)
        let run = try fixture.start(["erase", "--session", EraseLines.session(0)] + flags).finish()
        #expect(run.status == 0 && run.text.contains("6 reveal digests gone"))
        let after = try digests()
        let named = Set(before[..<6].flatMap(\.self).filter { $0 != before[1].last })
        #expect(named.isDisjoint(with: after.flatMap(\.self)))
        #expect(Array(after[6...]) == Array(before[6...]))
        #expect(after[1].last == before[1].last)
        let erased = try Files.text(journal).ranges(of: "\"erased\"").count
        #expect(erased == 6)
    }

    @Test("digests of the session go from reveals.ndjson, damaged bytes from aside, and the cache")
    func traces() throws {
        let fixture = try CommandFixture.erasable()
        try fixture.evalog("tail", "--reveal", "--usage", "mood")
        let journal = fixture.path("log/reveals.ndjson")
        let entries = try Files.text(journal)
        for folder in ["aside", "cache"] { mkdir(fixture.path("log/\(folder)"), 0o700) }
        let name = try #require(Files.names(in: fixture.path("log/content")).first)
        try Files.write("half a line", to: fixture.path("log/aside/\(name)@100"))
        try Files.write("columns", to: fixture.path("log/cache/columns"))
        let run = try fixture.evalog("erase", "--session", EraseLines.session(0), "--json")
        #expect(run.text.contains(#""aside_files":1,"cached_files":0,"reveal_digests":0"#))
        #expect(try Files.text(journal) == entries)
        #expect(Files.names(in: fixture.path("log/aside")).isEmpty)
        #expect(Files.names(in: fixture.path("log/cache")) == ["columns"])
        try fixture.evalog("erase", "--session", EraseLines.session(1), "--facts")
        #expect(Files.names(in: fixture.path("log/cache")).isEmpty)
        #expect(Files.mode(fixture.path("log/.maintenance")) == 0o600)
    }

    // MARK: Words

    @Test(
        "says what it needs before it touches anything",
        arguments: [
            [], ["--session", "a", "--id", "b"], ["--session", ""], ["--id", "no-uuid"],
            ["--session", "a", "--threads", "0"],
        ])
    func usage(words: [String]) throws {
        let fixture = try CommandFixture.erasable()
        try fixture.shell("rm log/content/key")
        let names = Files.names(in: fixture.log)
        let run = try fixture.start(["erase"] + words).finish()
        #expect(run.status == 2 && run.output.isEmpty && run.errors.hasPrefix("evalog: "))
        #expect(Files.names(in: fixture.log) == names)
    }

    @Test(
        "a slip of the keys is refused as by explain, and does not pass for something erased",
        arguments: [
            ["--session", "nonsense"], ["--session", "0b54f0ee-9c5d-4d0a-8f52-0000000"],
            ["--subject", "a b"], ["--id", "nonsense"],
        ], [true, false])
    func slip(words: [String], hasKey: Bool) throws {
        let fixture = try CommandFixture.erasable()
        if !hasKey { try fixture.shell("rm log/content/key") }
        let before = try fixture.shell("cat log/*/*.gz | cksum").text
        let explained = try fixture.start(
            ["explain"] + (words[0] == "--id" ? [words[1]] : words)
        ).finish()
        #expect(explained.status == 2)
        let reason = try #require(explained.errors.split(separator: ";").first).replacing(
            "explain takes", with: "--id takes")
        for flags in [[], ["--facts"], ["--dry-run"]] {
            let run = try fixture.start(["erase"] + words + flags).finish()
            #expect(run.status == 2 && run.output.isEmpty)
            #expect(run.errors.hasPrefix(reason), "\(run.errors)")
            #expect(run.errors.contains(hasKey ? "has none that stands" : "has no key"))
        }
        #expect(try fixture.shell("cat log/*/*.gz | cksum").text == before)
    }

    @Test("a log that is not there is no reason to make one")
    func noLog() throws {
        let fixture = CommandFixture()
        #expect(try fixture.evalog("erase", "--session", EraseLines.session(1)).status == 2)
        #expect(Files.names(in: fixture.folder).isEmpty)
    }
}
