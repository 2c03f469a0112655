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
    /// Record `number` of a session, whose content holds `planted <number>.`.
    private static func record(
        _ number: Int, session: String?, subject: String? = nil, id: String? = nil
    ) -> String {
        var members = [
            #""usage":"mood","request":{"instructions":"planted \#(number).","schema":{}}"#,
            #""outcome":"completed","output":{"n":\#(number)},"duration":0.1,"attempts":1"#,
            #""time":"2026-11-29T10:\#(number < 10 ? "0" : "")\#(number):00Z""#,
        ]
        if let session { members.append(#""session":"\#(session)""#) }
        if let subject { members.append(#""subject":"\#(subject)""#) }
        if let id { members.append(#""id":"\#(id)""#) }
        return "{" + members.joined(separator: ",") + "}\n"
    }

    private static func session(_ number: Int) -> String {
        "0b54f0ee-9c5d-4d0a-8f52-00000000000\(number)"
    }

    private static let ids = (0..<10).map { "0193f0a0-0000-7000-8000-00000000000\($0)" }

    /// Forty records of four sessions, ten each and mixed; session 3 is no UUID.
    private static func records(but left: Int? = nil) -> String {
        (0..<40).filter { $0 % 4 != left }.map { number in
            record(
                number, session: number % 4 == 3 ? "anna@example" : session(number % 4),
                subject: number % 2 == 0 ? "banner \(number % 4)" : nil)
        }.joined()
    }

    private func log(_ text: String = records()) throws -> CommandFixture {
        let fixture = CommandFixture()
        let run = try fixture.evalog(
            "import", "--content", "all", "--source", "s", "-", input: Array(text.utf8))
        #expect(run.status == 0)
        return fixture
    }

    /// The numbers of the records whose content is in the files.
    private func planted(in fixture: CommandFixture) throws -> Set<Int> {
        let text = try fixture.text(of: "content")
        return Set((0..<60).filter { text.contains("planted \($0).") })
    }

    private func rest(_ session: Int) -> Set<Int> { Set((0..<40).filter { $0 % 4 != session }) }

    // MARK: What goes and what stays

    @Test("a session's content goes, and no number changes")
    func content() throws {
        let fixture = try log()
        let (facts, export) = (try fixture.text(of: "facts"), try fixture.export())
        let before = try fixture.text(of: "content").split(separator: "\n")
        let dry = try fixture.evalog("erase", "--session", Self.session(1), "--dry-run")
        #expect(dry.status == 0 && dry.text == "content: 10 lines to erase\n")
        #expect(try planted(in: fixture).count == 40)
        #expect(Files.names(in: fixture.log) == ["content", "facts"])
        let run = try fixture.evalog("erase", "--session", Self.session(1).uppercased())
        #expect(run.status == 0 && run.text == "content: 10 lines erased\n")
        #expect(try planted(in: fixture) == rest(1))
        let after = try fixture.text(of: "content").split(separator: "\n")
        #expect(after.count == before.count)
        for (old, new) in zip(before, after) where old != new {
            #expect(new == #"{"erased":true}"# && old.contains(Self.session(1)))
        }
        #expect(try fixture.text(of: "facts") == facts)
        #expect(try fixture.export() == export)
        #expect(try fixture.evalog("verify", "--content").status == 0)
        #expect(Files.temporaries(below: fixture.log).isEmpty)
        let again = try fixture.evalog("erase", "--session", Self.session(1))
        #expect(again.status == 0 && again.text == "content: nothing erased\n")
    }

    @Test("with --facts all tables are those of a log that never had the session")
    func facts() throws {
        let fixture = try log()
        let other = CommandFixture()
        try fixture.shell(
            "mkdir -p '\(other.log)/content' && cp log/content/key '\(other.log)/content'")
        try other.evalog(
            "import", "--content", "all", "--source", "s", "-",
            input: Array(Self.records(but: 2).utf8))
        let run = try fixture.evalog("erase", "--session", Self.session(2), "--facts")
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
        let fixture = try log()
        #expect(!(try fixture.text(of: "content")).contains("anna"))
        let run = try fixture.evalog("erase", "--session", "anna@example")
        #expect(run.text == "content: 10 lines erased\n")
        #expect(try planted(in: fixture) == rest(3))
        // Its facts still know it.
        #expect(
            try fixture.evalog("erase", "--session", "anna@example").text
                == "content: nothing erased\n")
        try fixture.evalog("erase", "--subject", "banner 2")
        #expect(try planted(in: fixture) == rest(3).intersection(rest(2)))
    }

    @Test("an evaluation goes by its id, and events that name it with its fact")
    func ids() throws {
        let id = Self.ids[4]
        let event =
            #"{"v":1,"type":"ai_suppressed","id":"00000000-0000-4000-8000-0000000000aa","#
            + #""time":"2026-11-29T11:00:00Z","evaluation":"\#(id)","miss_behavior":"skip"}"# + "\n"
        let fixture = try log(
            Self.ids.enumerated().map { Self.record($0, session: nil, id: $1) }.joined() + event)
        #expect(try fixture.evalog("erase", "--id", id).text == "content: 1 line erased\n")
        let run = try fixture.evalog("erase", "--id", id, "--facts")
        #expect(run.text == "content: nothing erased\nfacts: 2 lines erased\n")
        #expect(try planted(in: fixture) == Set(0..<10).subtracting([4]))
        #expect(!(try fixture.text(of: "facts")).contains(id))
    }

    private static func event(
        _ number: Int, of evaluation: String, session: String? = nil
    ) -> String {
        #"{"v":1,"type":"ai_suppressed","id":"00000000-0000-4000-8000-0000000000a\#(number)","#
            + #""time":"2026-11-29T11:00:00Z","evaluation":"\#(evaluation)","#
            + (session.map { #""session":"\#($0)","# } ?? "") + #""miss_behavior":"skip"}"# + "\n"
    }

    @Test("an event takes an evaluation with it that knows no session, and none of another session")
    func namedByEvents() throws {
        let (first, second, third) = (Self.ids[0], Self.ids[1], Self.ids[2])
        let fixture = try log(
            Self.record(0, session: Self.session(0), id: first)
                + Self.record(1, session: nil, id: second)
                + Self.record(2, session: Self.session(1), id: third)
                // The app's session ended between the question and the report.
                + Self.event(0, of: first, session: Self.session(1))
                + Self.event(1, of: second, session: Self.session(1)))
        let run = try fixture.evalog("erase", "--session", Self.session(1), "--facts")
        #expect(run.text == "content: 2 lines erased\nfacts: 4 lines erased\n")
        #expect(try planted(in: fixture) == [0])
        let facts = try fixture.text(of: "facts").split(separator: "\n")
        #expect(facts.filter { !$0.contains("erased") }.count == 1)
        #expect(facts.contains { $0.contains(first) && $0.contains(Self.session(0)) })
    }

    @Test("the catalog of a field outlives the field's facts, for nobody would write it again")
    func catalogs() throws {
        let catalog =
            #"{"v":1,"type":"catalog","id":"00000000-0000-4000-8000-0000000000aa","#
            + #""time":"2026-11-29T09:00:00Z","subject":"form/field","report":{"a":["b"]}}"# + "\n"
        let fixture = try log(catalog + Self.record(0, session: nil, subject: "form/field"))
        let run = try fixture.evalog("erase", "--subject", "form/field", "--facts")
        #expect(run.text == "content: 1 line erased\nfacts: 1 line erased\n")
        #expect(try fixture.text(of: "facts").contains(#""type":"catalog""#))
        let id = "00000000-0000-4000-8000-0000000000aa"
        #expect(try fixture.evalog("erase", "--id", id, "--facts").text.contains("facts: 1 line"))
        #expect(!(try fixture.text(of: "facts")).contains(#""type":"catalog""#))
    }

    @Test("content that does not say whose it is goes by its fact")
    func factOnly() throws {
        let fixture = try log()
        let lines = try fixture.text(of: "content").split(separator: "\n")
        try fixture.shell("rm log/content/*.gz")
        let writer = try LogWriter(fixture.directory)
        for line in lines {
            let anonymous = line.replacing(#/"session":"[^"]*",/#, with: "")
            _ = writer.append(Array(anonymous.utf8), to: ContentAccess.stream, eventTime: 0)
        }
        try writer.close()
        #expect(try planted(in: fixture).count == 40)
        let run = try fixture.evalog("erase", "--session", Self.session(0))
        #expect(run.text == "content: 10 lines erased\n")
        #expect(try planted(in: fixture) == rest(0))
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
        let ids = Self.ids.prefix(3)
        let fixture = try log(
            ids.enumerated().map { Self.record($0, session: Self.session($0), id: $1) }.joined())
        for number in [0, 1] {
            for words in Self.reveals(of: Self.session(number), ids[number]) {
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
        let run = try fixture.start(["erase", "--session", Self.session(0)] + flags).finish()
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
        let fixture = try log()
        try fixture.evalog("tail", "--reveal", "--usage", "mood")
        let journal = fixture.path("log/reveals.ndjson")
        let entries = try Files.text(journal)
        for folder in ["aside", "cache"] { mkdir(fixture.path("log/\(folder)"), 0o700) }
        let name = try #require(Files.names(in: fixture.path("log/content")).first)
        try Files.write("half a line", to: fixture.path("log/aside/\(name)@100"))
        try Files.write("columns", to: fixture.path("log/cache/columns"))
        let run = try fixture.evalog("erase", "--session", Self.session(0), "--json")
        #expect(run.text.contains(#""aside_files":1,"cached_files":0,"reveal_digests":0"#))
        #expect(try Files.text(journal) == entries)
        #expect(Files.names(in: fixture.path("log/aside")).isEmpty)
        #expect(Files.names(in: fixture.path("log/cache")) == ["columns"])
        try fixture.evalog("erase", "--session", Self.session(1), "--facts")
        #expect(Files.names(in: fixture.path("log/cache")).isEmpty)
        #expect(Files.mode(fixture.path("log/.maintenance")) == 0o600)
    }

    // MARK: Copies

    @Test("neither a restored file nor an imported copy of the log brings anything back")
    func copies() throws {
        let fixture = try log()
        let export = try fixture.export()
        try fixture.shell("cp -r log copy")
        try fixture.evalog("erase", "--session", Self.session(1))
        let imported = try fixture.evalog("import", "--content", "all", "copy")
        #expect(imported.errors.contains("0 segments copied"))
        // Under other names nothing shows that these are the same segments.
        try fixture.shell(
            "for f in log/content/*.gz; do n=$(basename $f); mv copy/content/$n"
                + " copy/content/20200101T000000Z-${n#*-}; done")
        let other = CommandFixture()
        try other.evalog("import", "--content", "all", fixture.path("copy"))
        try other.evalog("import", "--content", "all", fixture.log)
        #expect(try planted(in: other) == rest(1))
        try fixture.shell("cp copy/content/*.gz log/content")
        #expect(try fixture.export() == export)
        let shown = try fixture.evalog("tail", "--reveal", "-n", "100").text
        #expect(!shown.contains("planted 1.") && shown.contains("planted 2."))
        #expect(try fixture.evalog("verify", "--content").status == 0)
        // Until the next erasing the restored file has its old bytes, whatever that one is about.
        try fixture.evalog("erase", "--session", Self.session(2))
        #expect(try planted(in: fixture) == rest(1).intersection(rest(2)))
    }

    @Test(
        "a backup that is copied over the log brings nothing back, and maintenance takes it out",
        arguments: [[], ["--facts"]])
    func restored(flags: [String]) throws {
        let fixture = try log()
        try fixture.evalog(
            "import", "--content", "all", "-",
            input: Array(Self.record(50, session: Self.session(1)).utf8))
        try fixture.shell("cp -r log first")
        #expect(
            try fixture.start(["erase", "--session", Self.session(1)] + flags).finish().status == 0)
        try fixture.shell("cp -r log second")
        #expect(
            try fixture.start(["erase", "--session", Self.session(2)] + flags).finish().status == 0)
        let export = try fixture.export()
        for backup in ["first", "second", "first"] {
            try fixture.shell("cp -r \(backup)/. log")
            #expect(
                try !planted(in: fixture).isDisjoint(with: [2, 6, 10]), "they are in the files")
            #expect(try fixture.export() == export)
            let shown = try fixture.evalog("tail", "--reveal", "-n", "100").text
            for number in [1, 2, 5, 6, 50] { #expect(!shown.contains("planted \(number).")) }
            let run = try fixture.evalog("maintain")
            #expect(run.status == 0)
            #expect(try planted(in: fixture) == rest(1).intersection(rest(2)))
            #expect(try fixture.export() == export)
            #expect(try fixture.evalog("verify", "--content").status == 0)
        }
    }

    @Test("a follower shows each line once while its file is rewritten under it")
    func follower() throws {
        let fixture = try log()
        let tail = try fixture.start(["tail", "-f", "--json", "-n", "100"])
        for _ in 0..<40 { #expect(tail.nextLine() != nil) }
        try fixture.evalog("erase", "--session", Self.session(1), "--facts")
        try fixture.evalog(
            "import", "-", input: Array(Self.record(50, session: Self.session(1)).utf8))
        let line = String(decoding: try #require(tail.nextLine()), as: UTF8.self)
        #expect(line.contains("10:50:00"))
        tail.send(SIGINT)
        #expect(tail.finish().output.isEmpty)
    }

    // MARK: Other programs

    @Test("what a running writer has written goes, and what it writes later stays")
    func liveWriter() throws {
        let fixture = CommandFixture()
        try Files.write(Self.records(), to: fixture.path("first"))
        try Files.write(Self.record(50, session: Self.session(1)), to: fixture.path("second"))
        // Between the two the pipe stays open, and so does the writer's segment.
        try fixture.shell("mkfifo go")
        let running = try RunningProgram(
            "/bin/sh",
            [
                "-c",
                "(cat first; read go < go; cat second) | \"$EVALOG\" import --content all -",
            ], in: fixture.folder,
            environment: ["EVALOG": BuiltProgram.evalog, "EVALOG_LOG": fixture.log])
        while try planted(in: fixture).count < 40 { usleep(20_000) }
        let run = try fixture.evalog("erase", "--session", Self.session(1), "--facts")
        #expect(run.status == 0)
        #expect(run.text == "content: 10 lines erased\nfacts: 10 lines erased\n")
        #expect(try planted(in: fixture) == rest(1))
        try fixture.shell("echo > go")
        #expect(running.finish().status == 0)
        #expect(try planted(in: fixture) == rest(1).union([50]))
        #expect(try fixture.evalog("verify", "--content").status == 0)
        #expect(try fixture.factLines().count == 41)
    }

    @Test("a writer that does not answer is named, with status 2, and the next run does the rest")
    func deafWriter() throws {
        let fixture = CommandFixture()
        try Files.write(Self.records(), to: fixture.path("first"))
        try fixture.shell("mkfifo go lines")
        let feeder = try RunningProgram(
            "/bin/sh", ["-c", "(cat first; read go < go) > lines"], in: fixture.folder)
        let running = try fixture.start(["import", "--content", "all", "lines"])
        while try planted(in: fixture).count < 40 { usleep(20_000) }
        running.send(SIGSTOP)
        let run = try fixture.evalog("erase", "--session", Self.session(1))
        #expect(run.status == 2)
        #expect(run.text.contains("content: 10 lines left"))
        #expect(run.errors.contains("not rewritten: content/"))
        #expect(run.errors.contains("not everything is erased"))
        #expect(try planted(in: fixture).count == 40)
        running.send(SIGCONT)
        #expect(try fixture.evalog("erase", "--session", Self.session(1)).status == 0)
        #expect(try planted(in: fixture) == rest(1))
        try fixture.shell("echo > go")
        #expect(feeder.finish().status == 0)
        #expect(running.finish().status == 0)
    }

    @Test("two at once take turns, and both do what they say")
    func twoAtOnce() throws {
        let fixture = try log()
        let runs = try (0..<3).map { try fixture.start(["erase", "--session", Self.session($0)]) }
        for run in runs {
            let finished = run.finish()
            #expect(finished.status == 0 && finished.text == "content: 10 lines erased\n")
        }
        #expect(try planted(in: fixture) == Set((0..<40).filter { $0 % 4 == 3 }))
        #expect(try fixture.evalog("verify", "--content").status == 0)
    }

    @Test("what is known by facts alone is found again when a first run could not do all")
    func dependants() throws {
        let fixture = CommandFixture()
        try Files.write(
            Self.record(0, session: Self.session(1), id: Self.ids[0]), to: fixture.path("record"))
        try fixture.evalog("import", "--content", "all", "record")
        try Files.write(Self.event(0, of: Self.ids[0]), to: fixture.path("event"))
        try fixture.shell("mkfifo go lines")
        let feeder = try RunningProgram(
            "/bin/sh", ["-c", "(cat event; read go < go) > lines"], in: fixture.folder)
        let running = try fixture.start(["import", "lines"])
        while try fixture.factLines().count < 2 { usleep(20_000) }
        running.send(SIGSTOP)
        let words = ["erase", "--session", Self.session(1), "--facts"]
        let run = try fixture.start(words).finish()
        #expect(run.status == 2 && run.text.contains("facts: 2 lines left"))
        #expect(try fixture.text(of: "facts").contains(Self.session(1)))
        running.send(SIGCONT)
        #expect(try fixture.start(words).finish().status == 0)
        #expect(!(try fixture.text(of: "facts")).contains(Self.ids[0]))
        try fixture.shell("echo > go")
        #expect(feeder.finish().status == 0 && running.finish().status == 0)
    }

    @Test("killed at any moment it leaves a whole log, and the next run does the rest")
    func kills() throws {
        let fixture = CommandFixture()
        let records = Self.records().split(separator: "\n").map { $0 + "\n" }
        for start in stride(from: 0, to: 40, by: 8) {
            let part = records[start..<start + 8].joined()
            try fixture.evalog("import", "--content", "all", "-", input: Array(part.utf8))
        }
        // Events in segments of their own, which only the evaluation says whose they are.
        let own = try fixture.factLines().filter { $0.contains(Self.session(1)) }
        for (number, id) in own.prefix(4).map({ $0.split(separator: "\"")[9] }).enumerated() {
            try fixture.evalog(
                "import", "-", input: Array(Self.event(number, of: String(id)).utf8))
        }
        try fixture.shell("cp -r log whole")
        for delay: UInt32 in stride(from: 0, to: 60_000, by: 4_000) {
            try fixture.shell("rm -r log && cp -r whole log")
            let run = try fixture.start(["erase", "--session", Self.session(1), "--facts"])
            usleep(delay)
            run.send(SIGKILL)
            _ = run.finish()
            #expect(try fixture.evalog("verify", "--content").status == 0)
            #expect(rest(1).isSubset(of: try planted(in: fixture)))
            #expect(
                try fixture.evalog("erase", "--session", Self.session(1), "--facts").status == 0)
            #expect(try planted(in: fixture) == rest(1))
            #expect(try fixture.evalog("tail", "--json", "-n", "100").lines.count == 30)
            #expect(!(try fixture.text(of: "facts")).contains("ai_suppressed"))
            #expect(Files.temporaries(below: fixture.log).isEmpty)
        }
    }

    // MARK: Words

    @Test(
        "says what it needs before it touches anything",
        arguments: [
            [], ["--session", "a", "--id", "b"], ["--session", ""], ["--id", "no-uuid"],
            ["--session", "a", "--threads", "0"],
        ])
    func usage(words: [String]) throws {
        let fixture = try log()
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
        let fixture = try log()
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
        #expect(try fixture.evalog("erase", "--session", Self.session(1)).status == 2)
        #expect(Files.names(in: fixture.folder).isEmpty)
    }
}
