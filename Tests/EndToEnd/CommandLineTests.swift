// The command line as a whole: statuses, help, slips of the keys, where the log is, what is said where.

import Testing

@Suite("The command line") struct CommandLineTests {
    private func log() throws -> CommandFixture {
        let fixture = CommandFixture()
        try Files.write(Records.text(0..<5), to: fixture.path("records"))
        try fixture.evalog("import", "records")
        return fixture
    }

    @Test(
        "a slip of the keys ends with 2 and names the nearest",
        arguments: [
            ("exprot", #"evalog: there is no command "exprot"; did you mean evalog export?"#),
            ("tial -f", #"evalog: there is no command "tial"; did you mean evalog tail?"#),
            (
                "frobnicate",
                #"evalog: there is no command "frobnicate"; evalog -h lists the commands"#
            ),
            ("tail --jsno", "evalog: tail has no flag --jsno; did you mean --json?"),
            (
                "export --windwo 1h --to x",
                "evalog: export has no flag --windwo; did you mean --window?"
            ),
            ("replay -x", "evalog: replay has no flag -x; evalog replay -h lists its flags"),
            (
                "export --to x --by usage,modle",
                #"evalog: --by does not know "modle"; did you mean model?"#
            ),
        ])
    func slips(line: String, complaint: String) throws {
        let fixture = try log()
        let run = try fixture.start(line.split(separator: " ").map(String.init)).finish()
        #expect(run.status == 2)
        #expect(run.errors == complaint + "\n")
        #expect(run.output.isEmpty)
        #expect(Files.names(in: fixture.folder) == ["log", "records"])
    }

    @Test("what is typed does not steer the terminal")
    func hostileWords() throws {
        for words in [
            ["\u{1B}[31m"], ["tail", "--\u{1B}[31m"], ["import", "\u{1B}[31m"],
            ["tail", "--log", "\u{1B}]0;x"],
        ] {
            let run = try CommandFixture().start(words).finish()
            #expect(run.status == 2)
            #expect(!run.errors.contains("\u{1B}"))
        }
    }

    @Test(
        "statuses are 0 done, 1 the answer is no, 2 could not do it",
        arguments: [
            ("-h", 0), ("--help", 0), ("help", 0), ("", 2), ("tail", 0), ("verify", 0),
            ("status --json", 0),
            ("replay --json", 0), ("import bad", 1), ("import --strict bad", 1),
            ("import absent", 2), ("import", 2),
            ("verify --log damaged", 1), ("replay --log damaged", 0), ("export", 2),
            ("export --to out --format xml", 2),
            ("export --to out --window 0s", 2), ("export --to out --timezone Mars/Olympus", 2),
            ("tail -n -1", 2),
            ("tail -n many", 2), ("tail --outcome broken", 2), ("tail --since yesterday", 2),
            ("replay --since 2026-11-30 --until 2026-11-29", 2), ("replay --threads 0", 2),
            ("replay --gap x", 2),
            ("tail stray", 2), ("verify --log absent", 2), ("report", 2),
            ("report --to out --min-count 5", 2), ("report --to out --no-events --min-count 0", 2),
            ("report --to out --max-batch 9KiB", 2), ("report --to out --max-batch 501KiB", 2),
            ("report --to out --no-events --max-batch 100KiB", 2),
            ("report --clock-was-ahead", 2), ("report --no-events --clock-was-ahead", 2),
            ("report --to out --no-events --clock-was-ahead", 2),
            ("report --to out --draft-catalog", 2), ("report --to out --catalog absent", 2),
            ("report --to out --catalog bad", 2), ("report --to out --window 0s", 2),
            ("report --draft-catalog --catalog bad", 2), ("report --draft-catalog", 0),
        ])
    func statuses(line: String, status: Int32) throws {
        let fixture = try log()
        try Files.write("{\n" + Records.line(7), to: fixture.path("bad"))
        try fixture.shell("cp -r log damaged")
        let segment = try #require(Files.names(in: fixture.path("damaged/facts")).first)
        var bytes = try Files.bytes(fixture.path("damaged/facts/\(segment)"))
        bytes[120] ^= 1
        try Files.write(bytes, to: fixture.path("damaged/facts/\(segment)"))
        let run = try fixture.start(line.split(separator: " ").map(String.init)).finish()
        #expect(run.status == status, "\(run.errors)")
        if status == 2, !line.isEmpty {
            #expect(
                run.errors.hasPrefix("evalog: ") && run.errors.split(separator: "\n").count == 1)
        }
        #expect(!Files.names(in: fixture.folder).contains("out"))
    }

    @Test("a replay of a damaged log says that it is, and how to learn more")
    func damagedReplay() throws {
        let fixture = try log()
        let segment = try #require(Files.names(in: fixture.path("log/facts")).first)
        try Files.write(
            Array(try Files.bytes(fixture.path("log/facts/\(segment)")).dropLast(120)),
            to: fixture.path("log/facts/\(segment)"))
        let run = try fixture.evalog("replay", "--quiet")
        #expect(run.status == 0)
        #expect(
            run.errors.contains(
                "evalog: the log is damaged in 1 place; 5 lines lost; evalog verify names them"))
    }

    @Test(
        "evalog alone shows the commands and ends with 2, -h the same with 0, both without a fault")
    func alone() throws {
        let fixture = CommandFixture()
        let alone = try fixture.evalog()
        #expect(alone.status == 2)
        for word in ["-h", "--help"] {
            let asked = try fixture.evalog(word)
            #expect(asked.status == 0)
            #expect(asked.output == alone.output)
            #expect(asked.errors.isEmpty)
        }
    }

    @Test(
        "-h is short, --help is longer and has the examples",
        arguments: [
            "demo", "import", "tail", "top", "replay", "export", "report", "check", "explain",
            "verify",
            "status",
        ])
    func help(command: String) throws {
        let fixture = CommandFixture()
        let short = try fixture.evalog(command, "-h")
        let long = try fixture.evalog(command, "--help")
        #expect(short.status == 0 && long.status == 0)
        #expect(short.errors.isEmpty && long.errors.isEmpty)
        #expect(short.lines.first?.hasPrefix("usage: evalog \(command)") == true)
        #expect(long.output.count > short.output.count)
        #expect(long.text.contains("example"))
        #expect(try fixture.evalog("help", command).output == long.output)
        #expect(Files.names(in: fixture.folder).isEmpty)
    }

    @Test("the log is what --log says, else EVALOG_LOG, else ./evalog-log")
    func logPath() throws {
        let fixture = CommandFixture()
        try Files.write(Records.text(0..<5), to: fixture.path("records"))
        try fixture.shell(
            """
            "$EVALOG" import records --log flag
            EVALOG_LOG=variable "$EVALOG" import records
            EVALOG_LOG= "$EVALOG" import records
            """)
        #expect(Files.names(in: fixture.folder) == ["evalog-log", "flag", "records", "variable"])
    }

    @Test("--quiet silences notes and nothing else")
    func quiet() throws {
        let fixture = try log()
        for words in [
            ["import", "records"], ["export", "--to", "csv"], ["demo", "--to", "demo"],
            ["report", "--to", "report"],
        ] {
            let loud = try fixture.start(words).finish()
            let quiet = try fixture.start(words + ["--quiet"]).finish()
            #expect(!loud.errors.isEmpty && quiet.errors.isEmpty, "\(words)")
            #expect(loud.output == quiet.output, "\(words)")
            #expect(loud.status == 0 && quiet.status == 0, "\(words)")
        }
        #expect(
            try fixture.evalog("import", "--quiet", "absent").errors.contains("cannot open absent"))
    }

    @Test("results go to standard output and everything else to standard error")
    func streams() throws {
        let fixture = try log()
        #expect(try fixture.evalog("import", "records").output.isEmpty)
        #expect(try fixture.evalog("export", "--to", "csv").output.isEmpty)
        for words in [["tail"], ["replay"], ["verify"], ["status"]] {
            let run = try fixture.start(words).finish()
            #expect(run.errors.isEmpty && !run.output.isEmpty, "\(words)")
        }
    }
}
