// Command lines of every command, for what has to hold of all of them.

import TestSupport
import Testing

@testable import Commands

/// What the commands show, and what they write, on the log of a ``CommandFixture``.
enum EveryCommand {
    private static let session = HostileLog.session

    /// Lines that show something on standard output. A command that is new has to be put here.
    static let showing: [String: [String]] = [
        "demo": ["demo -q --to demo"],
        "import": [],
        "tail": ["tail -n 5000", "tail --json -n 5000", "tail --reveal -n 500", "tail -f -n 5000"],
        "top": ["top --window 24h", "top --json"],
        "replay": [
            "replay", "replay --json", "replay --by os,device,app,tier", "replay --diff-as-of 1h",
        ],
        "export": [],
        "report": ["report --draft-catalog"],
        "check": [
            "check -q --window 3650d --max-failure-rate 1%", "check -q --json --max-age 1h",
        ],
        "drift": [
            "drift --by model --baseline model-0 --candidate model-1",
            "drift --by model --baseline model-0 --candidate model-1 --json",
        ],
        "coverage": ["coverage", "coverage --json --since 3650d"],
        "testset": [
            "testset run -q cases --recorded answers", "testset list", "testset list --json",
            "testset compare -q --baseline good --candidate good",
        ],
        "explain": [
            "explain --session \(session)", "explain --session \(session) --json",
            "explain --session \(session) --reveal",
        ],
        "verify": ["verify --content", "verify --json"],
        "maintain": ["maintain --dry-run", "maintain --dry-run --json", "maintain"],
        "erase": ["erase --session \(session) --dry-run", "erase --session \(session) --facts"],
        "status": ["status --content", "status --json"],
        "completions": ["completions bash", "completions zsh", "completions fish"],
        "manual": ["manual"],
    ]

    /// Lines that write files, into the log or elsewhere.
    static let writing = [
        "demo -q --to demo", "import -q --content all records", "import -q --content all other",
        "tail -q --position seen", "tail -q --reveal", "export -q --to csv",
        "export -q --to others --format textfile --format otlp --format html",
        "testset run -q cases --recorded answers", "report -q --to report",
        "report -q --to counts --no-events",
        "explain -q --session \(session) --reveal", "maintain -q",
        "erase -q --session \(session) --facts",
    ]

    /// All lines that show something.
    static let lines = showing.keys.sorted().flatMap { showing[$0]! }

    /// The help of each command, and what is said without one.
    static let helping =
        CommandSpec.all.flatMap { ["\($0.name) -h", "\($0.name) --help"] } + ["--version", "help"]

    /// Spoils a block of evaluations: of the largest segment, since a small one may hold all that a line
    /// shows, and since names are random.
    static func damage(_ fixture: CommandFixture) throws {
        let segments = try Files.names(in: fixture.path("log/facts")).filter { $0.hasSuffix(".gz") }
            .map { name in
                let path = fixture.path("log/facts/\(name)")
                return (path: path, bytes: try Files.bytes(path))
            }
        var (path, bytes) = try #require(segments.max { $0.bytes.count < $1.bytes.count })
        // Behind the first block's header.
        for index in 200..<240 { bytes[index] ^= 0xFF }
        try Files.write(bytes, to: path)
    }

    /// A log of so many records of several segments, beside another one and a file to import.
    static func fixture(_ count: Int) throws -> CommandFixture {
        let fixture = CommandFixture()
        try Files.write(Records.text(0..<count), to: fixture.path("records"))
        try fixture.evalog("import", "-q", "--content", "all", "records")
        try fixture.evalog("import", "-q", "\(RepositoryRoot.path)/sample/events.ndjson")
        for part in ["a", "b", "c"] {
            try fixture.evalog("import", "-q", "--content", "all", "--source", part, "records")
        }
        try fixture.shell("mkdir -p other/content; cp log/content/key other/content")
        try fixture.evalog("import", "-q", "--log", "other", "records")
        try TestSetFiles.write(to: fixture)
        try fixture.evalog("testset", "run", "-q", "cases", "--recorded", "answers")
        return fixture
    }
}
