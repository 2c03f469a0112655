// The confidential half is not needed: commands that must not touch it give the same bytes without it.

import TestSupport
import Testing

@Suite("Without content") struct BoundaryTests {
    private static let commands = [
        "replay", "replay --json", "tail", "tail --json -n 100", "tail --usage scene_text_input",
        "verify",
        "verify --json", "status --json", "status | grep -v ' ago$'",
        "export --to csv; cat csv/*; rm -r csv", "report --to out; cat out/*; rm -r out",
        "report --draft-catalog", "explain --session 0b54f0ee-9c5d-4d0a-8f52-000000000001",
        "check --max-failure-rate 1% --until 2026-11-30 --window 24h || true",
        "replay --log log --diff-as-of 2020-01-01 || true",
    ]

    private func outputs(of fixture: CommandFixture) throws -> [Finished] {
        try Self.commands.map { try fixture.shell("\"$EVALOG\" \($0)") }
    }

    @Test(
        "every command but import and --reveal gives the same bytes",
        arguments: [
            "true", "mkfifo log/content", "echo junk > log/content", "ln -s nowhere log/content",
        ])
    func same(replacement: String) throws {
        let fixture = CommandFixture()
        try Files.write(Records.text(0..<30), to: fixture.path("records"))
        try fixture.evalog("import", "--content", "all", "records")
        try fixture.evalog("import", "\(RepositoryRoot.path)/sample/events.ndjson")
        let before = try outputs(of: fixture)
        try fixture.shell("mv log/content hidden; \(replacement)")
        for (command, (old, new)) in zip(Self.commands, zip(before, try outputs(of: fixture))) {
            #expect(old.status == 0 && new.status == 0, "\(command)")
            #expect(old.output == new.output, "\(command)")
            #expect(old.errors == new.errors, "\(command)")
            #expect(!old.output.isEmpty, "\(command)")
        }
    }

    @Test("commands that do need it fail at once where a pipe stands in its place")
    func needed() throws {
        let fixture = CommandFixture()
        try Files.write(Records.text(0..<5), to: fixture.path("records"))
        try fixture.evalog("import", "--content", "all", "records")
        try fixture.shell("mv log/content hidden; mkfifo log/content")
        for words in [["import", "records"], ["tail", "--reveal"], ["verify", "--content"]] {
            let run = try fixture.start(words).finish()
            #expect(run.status == 2, "\(words)")
            #expect(run.errors.contains("log/content"), "\(words)")
        }
        #expect(try fixture.factLines().count == 5)
    }
}
