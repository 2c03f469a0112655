// evalog erase beside copies of the log and programs that use it.

import EvalogContent
import EvalogLog
import TestSupport
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("evalog erase, copies and other programs") struct EraseCopiesTests {
    // MARK: Copies

    @Test("neither a restored file nor an imported copy of the log brings anything back")
    func copies() throws {
        let fixture = try CommandFixture.erasable()
        let export = try fixture.export()
        try fixture.shell("cp -r log copy")
        try fixture.evalog("erase", "--session", EraseLines.session(1))
        let imported = try fixture.evalog("import", "--content", "all", "copy")
        #expect(imported.errors.contains("0 segments copied"))
        // Under other names nothing shows that these are the same segments.
        try fixture.shell(
            "for f in log/content/*.gz; do n=$(basename $f); mv copy/content/$n"
                + " copy/content/20200101T000000Z-${n#*-}; done")
        let other = CommandFixture()
        try other.evalog("import", "--content", "all", fixture.path("copy"))
        try other.evalog("import", "--content", "all", fixture.log)
        #expect(try other.planted() == EraseLines.rest(1))
        try fixture.shell("cp copy/content/*.gz log/content")
        #expect(try fixture.export() == export)
        let shown = try fixture.evalog("tail", "--reveal", "-n", "100").text
        #expect(!shown.contains("planted 1.") && shown.contains("planted 2."))
        #expect(try fixture.evalog("verify", "--content").status == 0)
        // Until the next erasing the restored file has its old bytes, whatever that one is about.
        try fixture.evalog("erase", "--session", EraseLines.session(2))
        #expect(try fixture.planted() == EraseLines.rest(1).intersection(EraseLines.rest(2)))
    }

    @Test(
        "a backup that is copied over the log brings nothing back, and maintenance takes it out",
        arguments: [[], ["--facts"]])
    func restored(flags: [String]) throws {
        let fixture = try CommandFixture.erasable()
        try fixture.evalog(
            "import", "--content", "all", "-",
            input: Array(EraseLines.record(50, session: EraseLines.session(1)).utf8))
        try fixture.shell("cp -r log first")
        #expect(
            try fixture.start(["erase", "--session", EraseLines.session(1)] + flags).finish().status
                == 0)
        try fixture.shell("cp -r log second")
        #expect(
            try fixture.start(["erase", "--session", EraseLines.session(2)] + flags).finish().status
                == 0)
        let export = try fixture.export()
        for backup in ["first", "second", "first"] {
            try fixture.shell("cp -r \(backup)/. log")
            #expect(
                try !fixture.planted().isDisjoint(with: [2, 6, 10]), "they are in the files")
            #expect(try fixture.export() == export)
            let shown = try fixture.evalog("tail", "--reveal", "-n", "100").text
            for number in [1, 2, 5, 6, 50] { #expect(!shown.contains("planted \(number).")) }
            let run = try fixture.evalog("maintain")
            #expect(run.status == 0)
            #expect(try fixture.planted() == EraseLines.rest(1).intersection(EraseLines.rest(2)))
            #expect(try fixture.export() == export)
            #expect(try fixture.evalog("verify", "--content").status == 0)
        }
    }

    @Test("a follower shows each line once while its file is rewritten under it")
    func follower() throws {
        let fixture = try CommandFixture.erasable()
        let tail = try fixture.start(["tail", "-f", "--json", "-n", "100"])
        for _ in 0..<40 { #expect(tail.nextLine() != nil) }
        try fixture.evalog("erase", "--session", EraseLines.session(1), "--facts")
        try fixture.evalog(
            "import", "-", input: Array(EraseLines.record(50, session: EraseLines.session(1)).utf8))
        let line = String(decoding: try #require(tail.nextLine()), as: UTF8.self)
        #expect(line.contains("10:50:00"))
        tail.send(SIGINT)
        #expect(tail.finish().output.isEmpty)
    }

    // MARK: Other programs

    @Test("what a running writer has written goes, and what it writes later stays")
    func liveWriter() throws {
        let fixture = CommandFixture()
        try Files.write(EraseLines.records(), to: fixture.path("first"))
        try Files.write(
            EraseLines.record(50, session: EraseLines.session(1)), to: fixture.path("second"))
        // Between the two the pipe stays open, and so does the writer's segment.
        try fixture.shell("mkfifo go")
        let running = try RunningProgram(
            "/bin/sh",
            [
                "-c",
                "(cat first; read go < go; cat second) | \"$EVALOG\" import --content all -",
            ], in: fixture.folder,
            environment: ["EVALOG": BuiltProgram.evalog, "EVALOG_LOG": fixture.log])
        while try fixture.planted().count < 40 { usleep(20_000) }
        let run = try fixture.evalog("erase", "--session", EraseLines.session(1), "--facts")
        #expect(run.status == 0)
        #expect(run.text == "content: 10 lines erased\nfacts: 10 lines erased\n")
        #expect(try fixture.planted() == EraseLines.rest(1))
        try fixture.shell("echo > go")
        #expect(running.finish().status == 0)
        #expect(try fixture.planted() == EraseLines.rest(1).union([50]))
        #expect(try fixture.evalog("verify", "--content").status == 0)
        #expect(try fixture.factLines().count == 41)
    }

    @Test("a writer that does not answer is named, with status 2, and the next run does the rest")
    func deafWriter() throws {
        let fixture = CommandFixture()
        try Files.write(EraseLines.records(), to: fixture.path("first"))
        try fixture.shell("mkfifo go lines")
        let feeder = try RunningProgram(
            "/bin/sh", ["-c", "(cat first; read go < go) > lines"], in: fixture.folder)
        let running = try fixture.start(["import", "--content", "all", "lines"])
        while try fixture.planted().count < 40 { usleep(20_000) }
        running.send(SIGSTOP)
        let run = try fixture.evalog("erase", "--session", EraseLines.session(1))
        #expect(run.status == 2)
        #expect(run.text.contains("content: 10 lines left"))
        #expect(run.errors.contains("not rewritten: content/"))
        #expect(run.errors.contains("not everything is erased"))
        #expect(try fixture.planted().count == 40)
        running.send(SIGCONT)
        #expect(try fixture.evalog("erase", "--session", EraseLines.session(1)).status == 0)
        #expect(try fixture.planted() == EraseLines.rest(1))
        try fixture.shell("echo > go")
        #expect(feeder.finish().status == 0)
        #expect(running.finish().status == 0)
    }

    @Test("two at once take turns, and both do what they say")
    func twoAtOnce() throws {
        let fixture = try CommandFixture.erasable()
        let runs = try (0..<3).map {
            try fixture.start(["erase", "--session", EraseLines.session($0)])
        }
        for run in runs {
            let finished = run.finish()
            #expect(finished.status == 0 && finished.text == "content: 10 lines erased\n")
        }
        #expect(try fixture.planted() == Set((0..<40).filter { $0 % 4 == 3 }))
        #expect(try fixture.evalog("verify", "--content").status == 0)
    }

    @Test("what is known by facts alone is found again when a first run could not do all")
    func dependants() throws {
        let fixture = CommandFixture()
        try Files.write(
            EraseLines.record(0, session: EraseLines.session(1), id: EraseLines.ids[0]),
            to: fixture.path("record"))
        try fixture.evalog("import", "--content", "all", "record")
        try Files.write(EraseLines.event(0, of: EraseLines.ids[0]), to: fixture.path("event"))
        try fixture.shell("mkfifo go lines")
        let feeder = try RunningProgram(
            "/bin/sh", ["-c", "(cat event; read go < go) > lines"], in: fixture.folder)
        let running = try fixture.start(["import", "lines"])
        while try fixture.factLines().count < 2 { usleep(20_000) }
        running.send(SIGSTOP)
        let words = ["erase", "--session", EraseLines.session(1), "--facts"]
        let run = try fixture.start(words).finish()
        #expect(run.status == 2 && run.text.contains("facts: 2 lines left"))
        #expect(try fixture.text(of: "facts").contains(EraseLines.session(1)))
        // What held events back may be gone before them; another erase does not end this one.
        let other = ["erase", "--id", "0b54f0ee-9c5d-4d0a-8f52-00000000ffff", "--facts"]
        for more in [[], other] {
            if !more.isEmpty { _ = try fixture.start(more).finish() }
            for flags in [[], ["--no-events"]] {
                let report = try fixture.start(["report", "--to", "out"] + flags).finish()
                #expect(report.status == 2)
                #expect(report.errors.contains("erase --facts has not ended"), "\(report.errors)")
            }
        }
        running.send(SIGCONT)
        #expect(try fixture.start(words).finish().status == 0)
        #expect(try fixture.evalog("report", "--to", "out").status == 0)
        #expect(Files.names(in: fixture.path("log/reports")) == ["withheld.ndjson"])
        #expect(!(try fixture.text(of: "facts")).contains(EraseLines.ids[0]))
        try fixture.shell("echo > go")
        #expect(feeder.finish().status == 0 && running.finish().status == 0)
    }

    @Test("killed at any moment it leaves a whole log, and the next run does the rest")
    func kills() throws {
        let fixture = CommandFixture()
        let records = EraseLines.records().split(separator: "\n").map { $0 + "\n" }
        for start in stride(from: 0, to: 40, by: 8) {
            let part = records[start..<start + 8].joined()
            try fixture.evalog("import", "--content", "all", "-", input: Array(part.utf8))
        }
        // Events in segments of their own, which only the evaluation says whose they are.
        let own = try fixture.factLines().filter { $0.contains(EraseLines.session(1)) }
        for (number, id) in own.prefix(4).map({ $0.split(separator: "\"")[9] }).enumerated() {
            try fixture.evalog(
                "import", "-", input: Array(EraseLines.event(number, of: String(id)).utf8))
        }
        try fixture.shell("cp -r log whole")
        for delay: UInt32 in stride(from: 0, to: 60_000, by: 4_000) {
            try fixture.shell("rm -r log && cp -r whole log")
            let run = try fixture.start(["erase", "--session", EraseLines.session(1), "--facts"])
            usleep(delay)
            run.send(SIGKILL)
            _ = run.finish()
            #expect(try fixture.evalog("verify", "--content").status == 0)
            #expect(EraseLines.rest(1).isSubset(of: try fixture.planted()))
            #expect(
                try fixture.evalog("erase", "--session", EraseLines.session(1), "--facts").status
                    == 0)
            #expect(try fixture.planted() == EraseLines.rest(1))
            #expect(try fixture.evalog("tail", "--json", "-n", "100").lines.count == 30)
            #expect(!(try fixture.text(of: "facts")).contains("ai_suppressed"))
            #expect(Files.temporaries(below: fixture.log).isEmpty)
        }
    }
}
