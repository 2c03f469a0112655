// evalog import: the same again adds nothing, and two equal lines are two.

import Testing

@Suite("evalog import") struct ImportTests {
    private static let tables = [
        "evaluations.csv", "impressions.csv", "outcomes.csv", "durations.csv", "inferences.csv",
        "inference_values.csv",
    ]

    /// What stands in the tables, quality and the rules aside.
    private func numbers(of fixture: CommandFixture) throws -> [[UInt8]?] {
        let export = try fixture.export()
        return Self.tables.map { export[$0] }
    }

    private func quality(_ name: String, of fixture: CommandFixture) throws -> Int? {
        let text = String(decoding: try fixture.export()["quality.csv"] ?? [], as: UTF8.self)
        let row = text.split(separator: "\r\n").first { $0.hasPrefix("\(name),") }
        return row.flatMap { Int($0.dropFirst(name.count + 1)) }
    }

    @Test("a second import of the file adds nothing", arguments: [true, false])
    func twice(hasTime: Bool) throws {
        let fixture = CommandFixture()
        try Files.write(Records.text(0..<20, hasTime: hasTime), to: fixture.path("records"))
        #expect(try fixture.evalog("import", "records").status == 0)
        let once = try numbers(of: fixture)
        let run = try fixture.evalog("import", fixture.path("records"))
        #expect(run.status == 0)
        let name = fixture.path("records")
        #expect(run.errors.hasPrefix("evalog: \(name): 20 evaluations, 0 events\n"))
        #expect(try numbers(of: fixture) == once)
        #expect(try quality("duplicates", of: fixture) == 20)
        #expect(try quality("conflicts", of: fixture) == 0)
    }

    @Test("a grown file adds what is new, and gives what one import of all of it gives")
    func grown() throws {
        let (grown, whole) = (CommandFixture(), CommandFixture())
        try Files.write(Records.text(0..<12), to: grown.path("records"))
        try grown.evalog("import", "records")
        try Files.write(Records.text(0..<30), to: grown.path("records"))
        try grown.evalog("import", "records")
        try Files.write(Records.text(0..<30), to: whole.path("records"))
        try whole.evalog("import", "records")
        #expect(try numbers(of: grown) == numbers(of: whole))
        #expect(try quality("duplicates", of: grown) == 12)
    }

    @Test("the compressed file is the file")
    func compressed() throws {
        let fixture = CommandFixture()
        try Files.write(Records.text(0..<20), to: fixture.path("records.ndjson"))
        try fixture.evalog("import", "records.ndjson")
        let once = try numbers(of: fixture)
        try fixture.shell("gzip -k records.ndjson; split -l 7 records.ndjson part; gzip part*")
        #expect(try fixture.evalog("import", "records.ndjson.gz").status == 0)
        #expect(try numbers(of: fixture) == once)
        // Of several members, and under a name that says nothing.
        try fixture.shell("cat part*.gz > records")
        let source = fixture.path("records.ndjson")
        #expect(try fixture.evalog("import", "--source", source, "records").status == 0)
        #expect(try numbers(of: fixture) == once)
        #expect(try quality("duplicates", of: fixture) == 40)
    }

    @Test("two equal lines stay two, and importing them again leaves two")
    func equalLines() throws {
        let fixture = CommandFixture()
        try Files.write(
            Records.line(1) + "\n" + Records.line(1) + "\n", to: fixture.path("records"))
        for _ in 1...2 { try fixture.evalog("import", "records") }
        #expect(try quality("records", of: fixture) == 2)
        #expect(try quality("duplicates", of: fixture) == 2)
    }

    @Test("a record with an id of its own counts once, whatever its source")
    func ownID() throws {
        let fixture = CommandFixture()
        let line =
            #"{"id":"01a22060-ffa8-77eb-887e-ee36c6edff4e","#
            + Records.line(3).dropFirst() + "\n"
        for name in ["one", "two"] {
            try Files.write(line, to: fixture.path(name))
            try fixture.evalog("import", name)
        }
        #expect(try quality("evaluations", of: fixture) == 1)
    }

    @Test("standard input is a source of its own, unless --source names the file")
    func standardInput() throws {
        let fixture = CommandFixture()
        let text = Array(Records.text(0..<10).utf8)
        try Files.write(text, to: fixture.path("records"))
        try fixture.evalog("import", "records")
        let once = try numbers(of: fixture)
        let named = try fixture.evalog(
            "import", "--source", fixture.path("records"), "-", input: text)
        #expect(named.status == 0)
        #expect(try numbers(of: fixture) == once)
        for _ in 1...2 { try fixture.evalog("import", "-", input: text) }
        #expect(try quality("evaluations", of: fixture) == 20)
    }

    @Test("compressed text on standard input is read as text")
    func compressedInput() throws {
        let fixture = CommandFixture()
        try Files.write(Records.text(0..<10), to: fixture.path("records"))
        let run = try fixture.shell("gzip -c records | \"$EVALOG\" import -")
        #expect(run.errors.hasPrefix("evalog: -: 10 evaluations, 0 events\n"))
        #expect(run.status == 0)
    }

    @Test("several files go in at once, each with its own count")
    func severalFiles() throws {
        let fixture = CommandFixture()
        try Files.write(Records.text(0..<3), to: fixture.path("one"))
        try Files.write(Records.text(3..<5), to: fixture.path("two"))
        let run = try fixture.evalog("import", "one", "two")
        #expect(run.errors.contains("evalog: one: 3 evaluations, 0 events\n"))
        #expect(run.errors.contains("evalog: two: 2 evaluations, 0 events\n"))
        #expect(run.errors.contains("one: their content was not kept; --content all keeps it\n"))
        #expect(try quality("evaluations", of: fixture) == 5)
    }

    @Test("facts that were exported from a log by tail go into another one unchanged")
    func factLines() throws {
        let (source, target) = (CommandFixture(), CommandFixture())
        try Files.write(Records.text(0..<25), to: source.path("records"))
        try source.evalog("import", "records")
        let facts = try source.evalog("tail", "--json", "-n", "1000").output
        #expect(try target.evalog("import", "-", input: facts).status == 0)
        #expect(try target.factLines() == source.factLines())
        #expect(try numbers(of: target) == numbers(of: source))
    }
}
