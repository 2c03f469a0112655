// The confidential half is not needed: commands that must not touch it give the same bytes without it.

import TestSupport
import Testing

@testable import Commands

@Suite("Without content") struct BoundaryTests {
    /// Runs of one command.
    private struct Runs {
        /// Give the same bytes whatever stands in the place of content.
        var without: [String] = []
        /// Say so at once where a pipe stands there.
        var needing: [String] = []
    }

    private static let facts = "\(RepositoryRoot.path)/sample/events.ndjson"
    private static let session = "0b54f0ee-9c5d-4d0a-8f52-000000000001"

    /// Every command: one that is new has to be put here.
    private static let table: [String: Runs] = [
        // Makes a log of its own.
        "demo": Runs(),
        // The key of digests lies with the content.
        "import": Runs(needing: [
            "import records", "import \(facts)", "import --content off \(facts)",
        ]),
        "tail": Runs(
            without: [
                "tail", "tail --json -n 100", "tail --usage scene_text_input",
                "tail --quiet --position seen; rm seen",
                "status > said; rm said; timeout -s INT 2 \"$EVALOG\" tail -f -n 5; true",
            ],
            needing: ["tail --reveal"]),
        "top": Runs(without: ["top --usage none | sed 1d"]),
        "replay": Runs(
            without: [
                "replay", "replay --json",
                "export -q --to csv; \"$EVALOG\" replay --diff csv 2>&1; rm -r csv",
            ]),
        // Of the page, the time at which it was made is that of the run.
        "export": Runs(
            without: [
                "export --to csv; cat csv/*; rm -r csv",
                "export --to out --format otlp --format html; cat out/*.jsonl;"
                    + #" sed 's/"made":[0-9]*//' out/evalog.html; rm -r out"#,
            ]),
        "report": Runs(
            without: [
                "report --to out; cat out/*; rm -r out", "report --draft-catalog",
                "report --no-events --to out; cat out/*; rm -r out log/reports",
                "report --draft-catalog > reviewed; \"$EVALOG\" report --catalog reviewed --max-batch 10KiB"
                    + " --to out; cat out/*; rm -r out reviewed",
            ]),
        // Its times are those of the run.
        "check": Runs(
            without: [
                #"check -q --json --window 3650d --max-failure-rate 1 | sed 's/"since.*"find/"find/'"#
            ]),
        "coverage": Runs(without: ["coverage", "coverage --json"]),
        "drift": Runs(
            without: [
                "drift --by model --baseline model-0 --candidate model-1",
                "drift --by model --baseline model-0 --candidate model-1 --json",
            ]),
        "explain": Runs(
            without: ["explain --session \(session)", "explain --session \(session) --json"],
            needing: ["explain --session \(session) --reveal"]),
        "verify": Runs(without: ["verify", "verify --json"], needing: ["verify --content"]),
        "maintain": Runs(needing: ["maintain", "maintain --dry-run"]),
        "erase": Runs(
            needing: ["erase --session \(session)", "erase --session \(session) --dry-run"]),
        "testset": Runs(
            without: ["testset list --json"], needing: ["testset run cases --recorded answers"]),
        "completions": Runs(without: ["completions bash", "completions zsh", "completions fish"]),
        "manual": Runs(without: ["manual"]),
        "status": Runs(without: ["status --json", "status | grep -v ' ago$'"]),
    ]

    private static var harmless: [String] { table.keys.sorted().flatMap { table[$0]!.without } }
    private static var needing: [String] { table.keys.sorted().flatMap { table[$0]!.needing } }

    private func log() throws -> CommandFixture {
        let fixture = CommandFixture()
        try Files.write(Records.text(0..<30), to: fixture.path("records"))
        try fixture.evalog("import", "--content", "all", "records")
        try fixture.evalog("import", Self.facts)
        try TestSetFiles.write(to: fixture)
        return fixture
    }

    @Test("every command is in the table of those that need content and those that do not")
    func table() {
        #expect(Self.table.keys.sorted() == CommandSpec.all.map(\.name).sorted())
        for spec in CommandSpec.all where spec.allFlags.contains(where: { $0.name == "reveal" }) {
            let needing = Self.table[spec.name]?.needing ?? []
            #expect(needing.contains { $0.contains("--reveal") }, "\(spec.name)")
        }
    }

    @Test(
        "what need not touch it gives the same bytes",
        arguments: [
            "true", "mkfifo log/content", "echo junk > log/content", "ln -s nowhere log/content",
        ])
    func same(replacement: String) throws {
        let fixture = try log()
        func outputs() throws -> [Finished] {
            try Self.harmless.map { try fixture.shell("\"$EVALOG\" \($0)") }
        }
        let before = try outputs()
        try fixture.shell("mv log/content hidden; \(replacement)")
        for (command, (old, new)) in zip(Self.harmless, zip(before, try outputs())) {
            #expect(old.status == 0 && new.status == 0, "\(command)")
            #expect(old.output == new.output, "\(command)")
            #expect(old.errors == new.errors, "\(command)")
            #expect(!old.output.isEmpty, "\(command)")
        }
        // Nor did any of them put something there.
        #expect(
            try fixture.shell(replacement == "true" ? "ls log | grep content" : "true").output
                .isEmpty)
    }

    @Test("what does need it fails at once where a pipe stands in its place")
    func needed() throws {
        let fixture = try log()
        try fixture.shell("mv log/content hidden; mkfifo log/content")
        let before = try fixture.factLines()
        for command in Self.needing {
            let run = try fixture.start(command.split(separator: " ").map(String.init)).finish()
            #expect(run.status == 2, "\(command)")
            #expect(run.errors.contains("log/content"), "\(command)")
            #expect(run.output.isEmpty, "\(command)")
        }
        #expect(try fixture.factLines() == before)
    }
}
