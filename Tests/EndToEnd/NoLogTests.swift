// A folder that is no log is none to every command, and no result goes into one that is.

import EvalogLog
import Testing

@Suite("What is a log, and what is none") struct NoLogTests {
    private static let commands = [
        "verify", "status", "replay", "export --to out", "check --max-lost 0", "tail", "top",
        "explain --subject home_banner", "maintain", "maintain --dry-run",
        "erase --subject home_banner", "report --to out", "replay --diff-as-of 1h",
    ]

    /// A log, one in another folder, and folders that are none.
    private func places() throws -> CommandFixture {
        let fixture = CommandFixture()
        try Files.write(Records.text(0..<3), to: fixture.path("records"))
        try fixture.evalog("import", "records")
        try fixture.shell("mkdir empty demo; cp -r log demo/log; ln -s log linked")
        return fixture
    }

    @Test("each command says so of a folder that is no log, and makes nothing", arguments: commands)
    func none(command: String) throws {
        let fixture = try places()
        let before = Files.names(in: fixture.folder)
        let cases = [
            ("log/facts", "log/facts is a folder, but no log; did you mean log?"),
            ("log/facts/", "log/facts/ is a folder, but no log; did you mean log?"),
            ("log/facts/../content", "is a folder, but no log; did you mean log/facts/..?"),
            ("demo", "demo is a folder, but no log; did you mean demo/log?"),
            ("empty", "empty is a folder, but no log; name it with --log DIR"),
            (".", ". is a folder, but no log; did you mean log or demo/log?"),
            ("/etc", "/etc is a folder, but no log; name it with --log DIR"),
            ("records", "records is a file, but no log"),
            ("absent", "there is no log at absent; did you mean log or demo/log?"),
            ("empty/absent", "there is no log at empty/absent; name it with --log DIR"),
            ("log/absent", "there is no log at log/absent; did you mean log?"),
            ("linked", "links are not followed in a log"),
        ]
        for (path, words) in cases {
            let run = try fixture.shell("\"$EVALOG\" \(command) --log \(path)")
            #expect(run.status == 2, "\(path)")
            #expect(run.errors.contains(words), "\(run.errors)")
            #expect(run.text.isEmpty, "\(path)")
        }
        #expect(Files.names(in: fixture.folder) == before)
        #expect(Files.names(in: fixture.path("empty")).isEmpty)
    }

    @Test("a segment named in the place of its log leads to the log")
    func segment() throws {
        let fixture = try places()
        let run = try fixture.shell("\"$EVALOG\" verify --log log/facts/*.gz")
        #expect(run.status == 2)
        #expect(run.errors.hasSuffix("is a file, but no log; did you mean log?\n"))
    }

    @Test("a log that has no segment yet is a log", arguments: commands)
    func empty(command: String) throws {
        let fixture = CommandFixture()
        // As a writer leaves it that has taken no line.
        try LogWriter(fixture.directory).close()
        #expect(Files.names(in: fixture.log) == ["facts"])
        let run = try fixture.shell("\"$EVALOG\" \(command)")
        #expect(run.status == (command.hasPrefix("explain") ? 1 : 0), "\(run.errors)")
    }

    @Test("import tells as the others do, and what to try is files of lines")
    func importing() throws {
        let fixture = try places()
        try fixture.shell(
            "mkdir lines; touch lines/README.md lines/a.ndjson lines/b.jsonl.gz lines/c.json")
        let cases = [
            ("log/facts", "did you mean log?"), ("demo", "did you mean demo/log?"),
            ("lines", "name the files in it: evalog import lines/*.ndjson lines/*.jsonl.gz"),
            ("empty", "name the files in it that hold evaluation records or facts"),
        ]
        for (path, words) in cases {
            let run = try fixture.evalog("import", "--log", "other", path)
            #expect(run.status == 2)
            #expect(run.errors == "evalog: \(path) is a folder, but no log; \(words)\n")
        }
        #expect(!Files.names(in: fixture.folder).contains("other"))
    }

    @Test("no log is begun inside of another one", arguments: ["log/facts", "log/new", "into/new"])
    func inside(path: String) throws {
        let fixture = try places()
        try fixture.shell("ln -s log/facts into")
        let before = Files.names(in: fixture.path("log/facts"))
        let run = try fixture.evalog("import", "--log", path, "records")
        #expect(run.status == 2)
        #expect(run.errors.contains("\(path) lies inside of the log \(fixture.log)"))
        #expect(Files.names(in: fixture.log) == ["content", "facts"])
        #expect(Files.names(in: fixture.path("log/facts")) == before)
    }

    @Test(
        "no result goes into a log, by whatever way",
        arguments: [
            "export --to", "report --to", "report --no-events --to", "tail --position", "demo --to",
        ])
    func results(command: String) throws {
        let fixture = try places()
        try fixture.shell("ln -s log/content into")
        let before = try fixture.shell("find log demo | sort").text
        let paths = [
            "log", "log/", "log/facts", "log/csv", "demo/../log/csv", "into", "into/csv",
            "demo/log",
            "demo/log/csv",
        ]
        for path in paths {
            let file = command.hasPrefix("tail") ? "/seen" : ""
            let run = try fixture.shell("\"$EVALOG\" \(command) \(path)\(file)")
            #expect(run.status == 2, "\(path)")
            #expect(
                run.errors.contains(" is a log;") || run.errors.contains("lies inside of the log"),
                "\(path)")
            #expect(try fixture.shell("find log demo | sort").text == before, "\(path)")
        }
    }
}
