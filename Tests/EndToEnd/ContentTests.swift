// What of the confidential half is kept, and that none of it reaches anything else.

import Testing

@Suite("import --content") struct ContentTests {
    private func imported(_ choice: String?) throws -> CommandFixture {
        let fixture = CommandFixture()
        try Files.write(Records.text(0..<20), to: fixture.path("records"))
        let flag = choice.map { ["--content", $0] } ?? []
        let run = try fixture.start(["import", "records"] + flag).finish()
        guard run.status == 0 else { throw FixtureFailure(what: run.errors) }
        return fixture
    }

    @Test("off, the default, keeps nothing but the key", arguments: [nil, "off"])
    func off(choice: String?) throws {
        let fixture = try imported(choice)
        #expect(Files.names(in: fixture.path("log/content")) == ["key"])
    }

    @Test("failures keeps those that failed, and what went wrong")
    func failures() throws {
        let text = try imported("failures").text(of: "content")
        let lines = text.split(separator: "\n")
        #expect(lines.count == 4)
        #expect(lines.allSatisfy { $0.contains("secret-error") && $0.contains("secret-context") })
    }

    @Test("all keeps all")
    func all() throws {
        let lines = try imported("all").text(of: "content").split(separator: "\n")
        #expect(lines.count == 20)
        #expect(lines.count { $0.contains("secret-output") } == 4)
        #expect(lines.allSatisfy { $0.contains("secret-instructions") })
    }

    @Test("an unknown choice ends with 2 before anything is made")
    func unknown() throws {
        let fixture = CommandFixture()
        #expect(try fixture.evalog("import", "--content", "some", "-").status == 2)
        #expect(Files.names(in: fixture.log).isEmpty)
    }

    @Test(
        "no choice lets content into facts, or into anything that a command writes without --reveal"
    )
    func boundary() throws {
        let fixture = try imported("all")
        #expect(try fixture.text(of: "content").contains("secret"))
        #expect(try !fixture.text(of: "facts").contains("secret"))
        for words in [
            ["tail"], ["tail", "--json"], ["replay"], ["replay", "--json"],
            ["verify", "--content"],
            ["status"], ["export", "--to", "csv"],
        ] {
            let run = try fixture.start(words).finish()
            #expect(run.status == 0)
            #expect(!run.text.contains("secret") && !run.errors.contains("secret"), "\(words)")
        }
        #expect(try !fixture.shell("cat csv/*").text.contains("secret"))
    }

    @Test("files are 0600 and folders 0700, whatever the umask", arguments: ["000", "022", "377"])
    func modes(umask: String) throws {
        let fixture = CommandFixture()
        try Files.write(Records.text(0..<5), to: fixture.path("records"))
        let run = try fixture.shell("umask \(umask); \"$EVALOG\" import --content all records")
        #expect(run.status == 0)
        for folder in ["log", "log/facts", "log/content"] {
            #expect(Files.mode(fixture.path(folder)) == 0o700)
        }
        for folder in ["log/facts", "log/content"] {
            for name in Files.names(in: fixture.path(folder)) {
                #expect(Files.mode(fixture.path("\(folder)/\(name)")) == 0o600)
            }
        }
    }
}
