// What holds of every command: at closed pipes and full disks, under signals, on a terminal. They take
// long, and let others in between two lines.

import TestSupport
import Testing

@testable import Commands

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("Every command") struct EveryCommandTests {
    @Test("is in the table of these tests")
    func table() {
        #expect(EveryCommand.showing.keys.sorted() == CommandSpec.all.map(\.name).sorted())
        for (name, lines) in EveryCommand.showing {
            #expect(lines.allSatisfy { $0.hasPrefix("\(name) ") || $0 == name })
        }
    }

    /// Runs a line on a pipe that nobody reads any more.
    private func runOnClosedPipe(
        _ line: String, in fixture: CommandFixture, first: String = ""
    ) throws -> Finished {
        try fixture.shell(
            """
            rm -f pipe; mkfifo pipe; exec 3<> pipe 4> pipe 3<&-
            \(first)
            "$EVALOG" \(line) >&4
            """)
    }

    @Test(
        "dies of SIGPIPE, without a word, where nobody reads its output; only a verdict says more",
        arguments: [false, true])
    func closedPipe(isDamaged: Bool) async throws {
        let fixture = try EveryCommand.fixture(300)
        if isDamaged { try EveryCommand.damage(fixture) }
        try fixture.shell("cp -r log kept")
        var verdicts: Set<String> = []
        for line in EveryCommand.lines + (isDamaged ? [] : EveryCommand.helping) {
            await Task.yield()
            let isEndless = line.hasPrefix("tail -f")
            let whole = isEndless ? nil : try fixture.shell("\"$EVALOG\" \(line)")
            try fixture.shell("rm -rf log demo; cp -r kept log")
            let cut = try runOnClosedPipe(line, in: fixture)
            try fixture.shell("rm -rf log demo; cp -r kept log")
            let answer = whole?.status ?? 0
            #expect(whole?.output.isEmpty != true, "\(line)")
            // The status of a shell that ends with the command's.
            #expect(cut.status == (answer == 0 ? 128 + SIGPIPE : answer), "\(line)")
            let said = Set(whole?.errors.split(separator: "\n") ?? [])
            #expect(
                isEndless || said.isSuperset(of: cut.errors.split(separator: "\n")),
                "\(line): \(cut.errors)")
            if answer == 1 { verdicts.insert(String(line.prefix { $0 != " " })) }
        }
        #expect(verdicts.isSuperset(of: isDamaged ? ["check", "replay", "verify"] : ["check"]))
    }

    @Test("fails with 2 and says so where SIGPIPE was ignored from the start, as in a service")
    func ignoredPipe() throws {
        let fixture = try EveryCommand.fixture(100)
        for line in ["tail --json", "tail -f", "replay", "manual"] {
            let run = try runOnClosedPipe(line, in: fixture, first: "trap '' PIPE")
            #expect(run.status == 2, "\(line)")
            #expect(
                run.errors == "evalog: cannot write to standard output: Broken pipe\n", "\(line)")
        }
        try EveryCommand.damage(fixture)
        #expect(try runOnClosedPipe("verify", in: fixture, first: "trap '' PIPE").status == 1)
    }

    @Test("dies of SIGPIPE, without a word, where head has seen enough")
    func head() throws {
        let fixture = try EveryCommand.fixture(2_000)
        for line in ["tail -n 5000", "tail --json -n 5000", "tail -f -n 5000", "tail -fn 1"] {
            let run = try fixture.shell(
                "{ \"$EVALOG\" \(line); echo $? > status; } | head -n 1; cat status")
            #expect(run.lines.count == 2 && run.lines.last == "\(128 + SIGPIPE)", "\(line)")
            #expect(run.errors.isEmpty, "\(line): \(run.errors)")
        }
    }

    @Test(
        "ends with 2 and says so where its output finds no room",
        .enabled(if: access("/dev/full", W_OK) == 0))
    func fullOutput() async throws {
        let fixture = try EveryCommand.fixture(100)
        for line in EveryCommand.lines {
            await Task.yield()
            try fixture.shell("rm -rf kept demo; cp -r log kept")
            let run = try fixture.shell("\"$EVALOG\" \(line) > /dev/full")
            #expect(run.status == 2, "\(line)")
            #expect(
                run.errors
                    == "evalog: cannot write to standard output: No space left on device; free some"
                    + " space and run it again\n", "\(line)")
            try fixture.shell("rm -r log; mv kept log")
        }
    }

    #if os(Linux)
        @Test("shows nothing that steers the terminal, whatever the log and its name hold")
        func hostile() async throws {
            let fixture = try HostileLog.make()
            let log = fixture.path("l\u{1B}[31m\u{9B}\u{202E}g")
            for line in EveryCommand.lines + [
                "export --to csv", "report --to report", "import \(fixture.path("log"))",
                "demo --to demo\u{1B}[2J", "status --log absent\u{1B}[2J",
                "explain \(HostileLog.id)", "tail -n 3 --json",
            ] {
                await Task.yield()
                try fixture.shell("rm -rf '\(log)'; cp -r log '\(log)'")
                let words = line.replacing("tail -f", with: "tail")
                let run = try fixture.shell(
                    "script -qec \"'$EVALOG' \(words) --color never\" /dev/null",
                    environment: ["EVALOG_LOG": log, "TERM": "dumb"])
                let shown = run.text.replacing("\r\n", with: "\n")
                // Progress takes its line back, which is all that it does.
                let kept = shown.replacing("\r\u{1B}[K", with: "")
                #expect(!HostileLog.steers(kept), "\(line): \(kept.debugDescription)")
            }
        }
    #endif
}

@Suite("Signals", .serialized) struct SignalTests {
    @Test(
        "end any command as they end others, without a word, and leave whole files or none",
        arguments: [SIGINT, SIGTERM])
    func anyMoment(signal: Int32) async throws {
        let fixture = try EveryCommand.fixture(1_500)
        try fixture.shell("cp -r log whole")
        for line in EveryCommand.writing + ["export -q --to csv --watch 10s"] {
            await Task.yield()
            for delay: UInt32 in [0, 20_000, 60_000] {
                try interrupt(fixture, line, signal, after: delay)
                try expectWhole(fixture, line)
            }
        }
        for line in EveryCommand.lines {
            await Task.yield()
            try interrupt(fixture, line, signal, after: 30_000)
        }
        try expectWhole(fixture, "all of them")
    }

    private func interrupt(
        _ fixture: CommandFixture, _ line: String, _ signal: Int32, after delay: UInt32
    ) throws {
        let run = try fixture.start(line.split(separator: " ").map(String.init))
        usleep(delay)
        run.send(signal)
        // As somebody does who does not see it end at once.
        usleep(2_000)
        run.send(signal)
        let ended = run.finish()
        #expect([-signal, 0, 1].contains(ended.status), "\(line)")
        #expect(ended.errors.isEmpty, "\(line): \(ended.errors)")
    }

    private func expectWhole(_ fixture: CommandFixture, _ line: String) throws {
        #expect(Files.temporaries(below: fixture.folder).isEmpty, "\(line)")
        #expect(try fixture.evalog("verify", "--content").status == 0, "\(line)")
        let folders = [("csv", 9), ("others", 3), ("report", 3), ("counts", 2), ("demo/csv", 9)]
        for (folder, count) in folders {
            let found = Files.names(in: fixture.path(folder)).count
            #expect([0, count].contains(found), "\(line): \(found) files in \(folder)")
        }
        let demo = fixture.path("demo")
        #expect(!Files.names(in: demo).contains(".log.unfinished"), "\(line)")
        if Files.names(in: demo).contains("log") {
            #expect(try fixture.evalog("verify", "--content", "--log", "demo/log").status == 0)
        }
        try fixture.shell("rm -rf log csv others report counts demo seen; cp -r whole log")
    }

    @Test(
        "an interrupted import has written and sealed what it had read",
        arguments: [SIGINT, SIGHUP])
    func importing(signal: Int32) throws {
        let fixture = CommandFixture()
        try Files.write(Records.text(0..<40), to: fixture.path("first"))
        try fixture.shell("mkfifo go lines")
        let feeder = try RunningProgram(
            "/bin/sh", ["-c", "(cat first; read go < go) > lines"], in: fixture.folder)
        let running = try fixture.start(["import", "-q", "--content", "all", "lines"])
        while try fixture.factLines().count < 40 { usleep(10_000) }
        running.send(signal)
        let ended = running.finish()
        #expect(ended.status == -signal && ended.errors.isEmpty)
        let verified = try fixture.evalog("verify", "--content")
        #expect(verified.status == 0 && !verified.text.contains("unsealed"))
        #expect(try fixture.factLines().count == 40)
        try fixture.shell("echo > go")
        #expect(feeder.finish().status == 0)
    }

    @Test("a signal that was ignored from the start stays so")
    func ignored() throws {
        let fixture = try EveryCommand.fixture(3)
        let running = try RunningProgram(
            "/bin/sh", ["-c", "trap '' HUP; exec \"$EVALOG\" tail -f --json -n 1"],
            in: fixture.folder,
            environment: ["EVALOG": BuiltProgram.evalog, "EVALOG_LOG": fixture.log])
        #expect(running.nextLine() != nil)
        running.send(SIGHUP)
        try Files.write(Records.text(10..<11), to: fixture.path("more"))
        try fixture.evalog("import", "more")
        #expect(running.nextLine() != nil)
        running.send(SIGTERM)
        #expect(running.finish().status == -SIGTERM)
    }

    @Test("a follower whose reader is stuck ends all the same")
    func stuck() throws {
        let fixture = try EveryCommand.fixture(1_000)
        let run = try fixture.shell(
            """
            mkfifo pipe; exec 3<> pipe
            "$EVALOG" tail -f --json -n 5000 > pipe & follower=$!
            sleep 1; kill -TERM $follower; wait $follower; echo $?
            """)
        #expect(run.lines == ["143"])
    }
}
