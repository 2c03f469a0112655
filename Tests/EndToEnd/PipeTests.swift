// Streams that are closed, disks that are full: a status, never half a file.

import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("Pipes") struct PipeTests {
    private func log(_ numbers: Range<Int>) throws -> CommandFixture {
        let fixture = CommandFixture()
        try Files.write(Records.text(numbers), to: fixture.path("records"))
        try fixture.evalog("import", "records")
        return fixture
    }

    @Test("standard input is -, whatever has that name, and no results go into a folder of it")
    func dash() throws {
        let fixture = try log(0..<3)
        let refused = try fixture.evalog("export", "--to", "-")
        #expect(refused.status == 2)
        #expect(refused.errors.contains("name a folder; one of that name is ./-"))
        try fixture.shell("mkdir -- -")
        let run = try fixture.shell("\"$EVALOG\" import - < records")
        #expect(run.status == 0 && run.errors.contains("-: 3 evaluations"))
    }

    @Test(
        "a closed standard output ends with 2, a closed standard error with what the work came to")
    func closedStreams() throws {
        let fixture = try log(0..<5)
        let run = try fixture.shell("\"$EVALOG\" replay >&-")
        #expect(run.status == 2)
        #expect(run.errors.contains("cannot write to standard output"))
        #expect(try fixture.shell("\"$EVALOG\" replay 2>&- >&-").status == 2)
        #expect(try fixture.shell("\"$EVALOG\" status 2>&-").status == 0)
    }

    @Test("messages to a closed stream do not go into the log")
    func closedWhileImporting() throws {
        let fixture = CommandFixture()
        // Enough for several blocks before and between complaints: a segment is open by then.
        let part = Records.text(0..<1_000) + "{\n"
        try Files.write(part + part, to: fixture.path("records"))
        #expect(try fixture.shell("\"$EVALOG\" import - < records 2>&-").status == 1)
        #expect(try fixture.shell("\"$EVALOG\" import records <&- >&- 2>&-").status == 1)
        #expect(try fixture.evalog("verify").status == 0)
        #expect(try fixture.factLines().count == 4_000)
        #expect(try fixture.shell("\"$EVALOG\" import - <&-").status == 2)
    }
}

@Suite("Full and forbidden disks") struct DiskTests {
    private func log(_ count: Int) throws -> CommandFixture {
        let fixture = CommandFixture()
        try Files.write(Records.text(0..<count), to: fixture.path("records"))
        try fixture.evalog("import", "records")
        return fixture
    }

    /// Sizes in blocks of 512 bytes: too little for the first table, and for the last file only.
    @Test("an export that finds no room leaves the old one as it was", arguments: [1, 32])
    func export(blocks: Int) throws {
        let fixture = try log(20)
        #expect(try fixture.evalog("export", "--to", "csv").status == 0)
        let before = try Files.all(in: fixture.path("csv"))
        try Files.write(Records.text(20..<40), to: fixture.path("more"))
        try fixture.evalog("import", "more")
        let run = try fixture.shell("ulimit -f \(blocks); \"$EVALOG\" export --to csv")
        #expect(run.status == 2)
        #expect(run.errors.contains("File too large"))
        #expect(try Files.all(in: fixture.path("csv")) == before)
        #expect(try fixture.evalog("export", "--to", "csv").status == 0)
        let after = try Files.all(in: fixture.path("csv"))
        #expect(after["evaluations.csv"] != before["evaluations.csv"])
        #expect(after.keys == before.keys)
    }

    @Test(
        "an import that finds no room for its first block ends with 2 and leaves no file in facts")
    func importNothing() throws {
        let fixture = CommandFixture()
        try Files.write(Records.text(0..<200), to: fixture.path("records"))
        let run = try fixture.shell("ulimit -f 1; \"$EVALOG\" import records")
        #expect(run.status == 2)
        #expect(run.errors.contains("cannot write"))
        #expect(run.errors.contains("File too large"))
        #expect(Files.names(in: fixture.path("log/facts")).isEmpty)
        #expect(try fixture.evalog("import", "records").status == 0)
        #expect(try fixture.factLines().count == 200)
    }

    @Test("an import that runs out of room keeps whole blocks, and importing again completes it")
    func importSome() throws {
        let fixture = CommandFixture()
        try Files.write(Records.text(0..<1_800), to: fixture.path("records"))
        let run = try fixture.shell("ulimit -f 128; \"$EVALOG\" import records")
        #expect(run.status == 2)
        let count = try fixture.factLines().count
        #expect(count > 0 && count < 1_800)
        #expect(try fixture.evalog("verify").status == 0)
        #expect(Files.temporaries(below: fixture.log).isEmpty)
        #expect(try fixture.evalog("import", "records").status == 0)
        #expect(Set(try fixture.factLines()).count == 1_800)
    }

    @Test(
        "a folder that may not be written to ends with 2",
        .enabled(if: getuid() != 0, "root may write anywhere"))
    func readOnly() throws {
        let fixture = try log(5)
        try fixture.shell("mkdir csv; chmod 500 csv")
        let run = try fixture.evalog("export", "--to", "csv")
        #expect(run.status == 2)
        #expect(run.errors.contains("Permission denied"))
    }

    @Test(
        "an export to where no folder can be ends with 2 and touches nothing",
        arguments: ["absent/csv", "records", "records/csv", "/dev/null/csv"])
    func noFolder(target: String) throws {
        let fixture = try log(5)
        let before = try Files.bytes(fixture.path("records"))
        let run = try fixture.evalog("export", "--to", target)
        #expect(run.status == 2)
        #expect(run.errors.hasPrefix("evalog: "))
        #expect(try Files.bytes(fixture.path("records")) == before)
        #expect(Files.names(in: fixture.folder) == ["log", "records"])
    }

    @Test("an export replaces a planted link and leaves alone what it leads to")
    func plantedResult() throws {
        let fixture = try log(5)
        try fixture.shell("mkdir csv; echo mine > victim; ln -s ../victim csv/evaluations.csv")
        #expect(try fixture.evalog("export", "--to", "csv").status == 0)
        #expect(try Files.text(fixture.path("victim")) == "mine\n")
        #expect(try Files.text(fixture.path("csv/evaluations.csv")).hasPrefix("window_start,"))
    }
}

@Suite("Where the log should be") struct LogPlaceTests {
    private static let readers = [
        "tail", "replay", "verify", "status", "export --to csv", "report --to out",
        "report --to out --no-events", "report --draft-catalog",
    ]

    private func fixture(_ preparation: String) throws -> CommandFixture {
        let fixture = CommandFixture()
        try Files.write(Records.text(0..<5), to: fixture.path("records"))
        try fixture.shell(preparation)
        return fixture
    }

    @Test("nothing: readers end with 2, say how to name it and make nothing", arguments: readers)
    func absent(command: String) throws {
        let fixture = try fixture("true")
        let run = try fixture.shell("\"$EVALOG\" \(command)")
        #expect(run.status == 2)
        #expect(run.errors.contains("there is no log at \(fixture.log)"))
        #expect(run.output.isEmpty)
        #expect(Files.names(in: fixture.folder) == ["records"])
    }

    @Test(
        "a file: every command ends with 2 and leaves it alone",
        arguments: readers + ["import records"])
    func file(command: String) throws {
        let fixture = try fixture("echo mine > log")
        let run = try fixture.shell("\"$EVALOG\" \(command)")
        #expect(run.status == 2)
        #expect(run.errors.contains(fixture.log))
        #expect(try Files.text(fixture.log) == "mine\n")
    }

    @Test(
        "a planted link, in its place or as one of its folders, is not followed",
        arguments: readers + ["import records"],
        ["mkdir other; ln -s other log", "mkdir -p log other; ln -s ../other log/facts"])
    func link(command: String, preparation: String) throws {
        let fixture = try fixture(preparation)
        let run = try fixture.shell("\"$EVALOG\" \(command)")
        #expect(run.status == 2)
        #expect(run.errors.contains("links are not followed"))
        #expect(Files.names(in: fixture.path("other")).isEmpty)
    }

    @Test("links and foreign files among the segments are passed over, and verify names them")
    func foreign() throws {
        let fixture = try fixture("\"$EVALOG\" import records")
        let segment = try #require(Files.names(in: fixture.path("log/facts")).first)
        let planted = "2" + segment.dropFirst()
        try fixture.shell(
            """
            cd log/facts; cp \(segment) ../../elsewhere; echo junk > notes.txt
            ln -s ../../elsewhere \(planted.replacing("-0001", with: "-0002")); ln -s nowhere dangling
            """)
        let run = try fixture.evalog("verify")
        // What it stands for may be a segment whose lines are missing.
        #expect(run.status == 1)
        #expect(run.text.contains("facts: 1 segment, 1 block, 5 lines"))
        #expect(run.lines.count { $0.hasPrefix("ignored: ") } == 3)
        #expect(try fixture.factLines().count == 5)
    }
}
