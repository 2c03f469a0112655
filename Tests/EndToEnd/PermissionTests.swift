// Who may read what a log holds: modes whatever the umask, links that lead nowhere, files that are
// somebody else's.

import TestSupport
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("Permissions") struct PermissionTests {
    // MARK: Modes

    /// The modes of all that lies below a folder, by path.
    private func modes(below folder: String) -> [String: Int] {
        Files.names(in: folder).reduce(into: [:]) { found, name in
            let path = "\(folder)/\(name)"
            found[path] = Files.mode(path)
            found.merge(modes(below: path)) { $1 }
        }
    }

    @Test(
        "a log is its owner's alone, and results are for whom the umask says",
        arguments: ["000", "022", "077"])
    func umask(mask: String) throws {
        let fixture = CommandFixture()
        try Files.write(Records.text(0..<40), to: fixture.path("records"))
        try TestSetFiles.write(to: fixture)
        try fixture.shell("umask \(mask); \"$EVALOG\" import -q --log other records")
        for line in ["import -q --content all records"] + EveryCommand.writing {
            let run = try fixture.shell("umask \(mask); \"$EVALOG\" \(line)")
            #expect([0, 1].contains(run.status), "\(line): \(run.errors)")
        }
        for log in [fixture.log, fixture.path("other"), fixture.path("demo/log")] {
            #expect(Files.mode(log) == 0o700)
            for (path, mode) in modes(below: log) {
                let isFolder = !Files.names(in: path).isEmpty || path.hasSuffix("aside")
                #expect(mode == (isFolder ? 0o700 : 0o600), "\(path)")
            }
        }
        let open = 0o666 & ~(Int(mask, radix: 8) ?? 0)
        for path in ["csv/evaluations.csv", "report/events.ndjson", "counts/summary.csv", "seen"] {
            #expect(Files.mode(fixture.path(path)) == open, "\(path)")
        }
    }

    // MARK: Links

    /// A name in a log, and what outside of it a link of that name leads to.
    private static let links = [
        ("facts", "folder"), ("content", "folder"), ("aside", "folder"), ("cache", "folder"),
        ("reports", "folder"), ("reveals.ndjson", "file"), (".maintenance", "file"),
        ("content/key", "file"), ("facts/.roll", "file"), ("content/.roll", "file"),
        ("reports/ledger.ndjson", "file"), ("reports/withheld.ndjson", "file"),
        ("facts/20200101T000000Z-00112233445566778899aabbccddeeff-0001.facts.ndjson.gz", "segment"),
        (
            "content/20200101T000000Z-00112233445566778899aabbccddeeff-0001.content.ndjson.gz",
            "segment"
        ),
        ("aside/20200101T000000Z-00112233445566778899aabbccddeeff-0001.facts.ndjson.gz@0", "file"),
    ]

    @Test(
        "a link in a log is not followed: nothing outside is read, written or deleted",
        arguments: links)
    func link(name: String, kind: String) throws {
        let fixture = try EveryCommand.fixture(20)
        try fixture.shell(
            """
            mkdir -p outside/folder log/reports log/aside; chmod 700 log/reports log/aside
            echo mine > outside/file; echo mine > outside/folder/file; cp log/facts/*-0001.* outside/folder
            cp $(ls log/facts/*.gz | head -n 1) outside/segment
            rm -rf log/\(name); ln -s '\(fixture.path("outside"))/\(kind)' log/\(name)
            cp -r log kept; cp -r outside before
            """)
        let count = try fixture.evalog("replay", "--json").text
        for line in EveryCommand.writing + ["status", "verify --content", "replay --json"] {
            let run = try fixture.shell("\"$EVALOG\" \(line)")
            #expect([0, 1, 2].contains(run.status), "\(line)")
            if run.status == 2 {
                #expect(
                    run.errors.contains("log/") && run.errors.contains("link"),
                    "\(line): \(run.errors)")
            }
            #expect(try fixture.shell("diff -r before outside").status == 0, "\(line)")
            #expect(Files.temporaries(below: fixture.folder).isEmpty, "\(line)")
            try fixture.shell("rm -rf log csv others report counts demo seen; cp -r kept log")
        }
        if kind == "segment" { #expect(try fixture.evalog("replay", "--json").text == count) }
    }

    // MARK: Users

    /// Runs a line as a user who is not root, who owns what lies in the fixture but what `rootOwns` names.
    private func runAsSomebody(
        _ line: String, in fixture: CommandFixture, rootOwns: String = ""
    ) throws -> Finished {
        guard getuid() == 0 else { return try fixture.shell("\"$EVALOG\" \(line)") }
        return try fixture.shell(
            """
            chmod 711 .; chown -R 65534:65534 .; \(rootOwns.isEmpty ? "" : "chown -R 0:0 \(rootOwns)")
            exec setpriv --reuid 65534 --regid 65534 --clear-groups "$EVALOG" \(line)
            """)
    }

    private static let canBeSomebody = getuid() != 0 || access("/usr/bin/setpriv", X_OK) == 0
    private static let owned = "run it as the user who owns the log"

    @Test(
        "a segment that may not be read is an error, never an empty one",
        .enabled(if: canBeSomebody, "there is no setpriv to stop being root"),
        arguments: [
            "tail", "top", "replay", "export -q --to csv", "report -q --to report", "verify",
            "status", "explain --session \(HostileLog.session)", "check --max-failure-rate 1",
            "maintain", "erase --session \(HostileLog.session) --facts",
        ])
    func unreadable(line: String) throws {
        let fixture = try EveryCommand.fixture(20)
        try fixture.shell("chmod 000 $(ls log/facts/*.gz | head -n 1); cp -r log kept")
        let run = try runAsSomebody(line, in: fixture)
        #expect(run.status == 2, "\(line)")
        #expect(run.errors.contains("Permission denied; "), "\(run.errors)")
        #expect(run.errors.contains(Self.owned), "\(run.errors)")
        #expect(run.errors.contains(".facts.ndjson.gz"), "\(run.errors)")
        #expect(
            try fixture.shell("diff -r --exclude .maintenance --exclude reports kept log").status
                == 0)
        #expect(Files.names(in: fixture.path("csv")).isEmpty)
    }

    @Test(
        "a log that may not be written to can be read, and says so to whoever would write",
        .enabled(if: canBeSomebody, "there is no setpriv to stop being root"))
    func readOnly() throws {
        let fixture = try EveryCommand.fixture(20)
        try fixture.shell("chmod 500 log log/*; cp -r log kept")
        for line in [
            "tail", "top", "replay", "export -q --to csv", "verify --content", "status",
            "explain --session \(HostileLog.session)", "maintain --dry-run", "tail --position seen",
        ] {
            let run = try runAsSomebody(line, in: fixture)
            #expect(run.status == 0 && run.errors.isEmpty, "\(line): \(run.errors)")
        }
        for line in [
            "import records", "tail --reveal", "explain --session \(HostileLog.session) --reveal",
            "maintain", "erase --session \(HostileLog.session)", "report --to report",
            "report --to counts --no-events",
        ] {
            let run = try runAsSomebody(line, in: fixture)
            #expect(run.status == 2 && run.output.isEmpty, "\(line)")
            #expect(run.errors.contains("\(fixture.log)/"), "\(line): \(run.errors)")
            #expect(run.errors.contains("Permission denied"), "\(line): \(run.errors)")
        }
        #expect(try fixture.shell("diff -r kept log").status == 0)
        try fixture.shell("chmod 700 log log/*")
    }

    @Test(
        "another user's log is an error that says whose it has to be, and stays as it is",
        .enabled(if: getuid() == 0 && canBeSomebody, "only root can make another user's log"))
    func anothers() throws {
        let fixture = try EveryCommand.fixture(20)
        try fixture.shell("cp -r log kept")
        for line in EveryCommand.lines + EveryCommand.writing
        where !["demo", "completions", "manual"].contains(String(line.prefix { $0 != " " })) {
            let run = try runAsSomebody(line, in: fixture, rootOwns: "log kept")
            #expect(run.status == 2 && run.output.isEmpty, "\(line)")
            #expect(
                run.errors.hasPrefix("evalog: cannot open \(fixture.log)"), "\(line): \(run.errors)"
            )
            #expect(
                run.errors.hasSuffix("Permission denied; \(Self.owned)\n"), "\(line): \(run.errors)"
            )
            #expect(!Files.names(in: fixture.folder).contains("csv"), "\(line)")
        }
        #expect(try fixture.shell("diff -r kept log").status == 0)
    }
}
