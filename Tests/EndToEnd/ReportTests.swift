// evalog report: the files that leave, the files that stay, and that nothing else gets out.

import EvalogLog
import Foundation
import TestSupport
import Testing

@Suite("evalog report") struct ReportTests {
    @Test("the sample's report is the one in the repository, to the byte")
    func golden() throws {
        let fixture = CommandFixture()
        let sample = "\(RepositoryRoot.path)/sample"
        try fixture.evalog("import", "\(sample)/evaluations.ndjson", "\(sample)/events.ndjson")
        let report = try fixture.report()
        let golden = try Files.all(in: "\(RepositoryRoot.path)/Tests/EndToEnd/Golden/sample-report")
        #expect(golden.keys.sorted() == ["events.ndjson", "manifest.json", "summary.csv"])
        #expect(report == golden)
    }

    @Test("so is its summary without events, of a year that is over")
    func goldenSummary() throws {
        let fixture = CommandFixture()
        let sample = "\(RepositoryRoot.path)/sample"
        for file in ["evaluations", "events"] {
            try fixture.shell(
                "sed 's/\"2026-/\"2020-/g' '\(sample)/\(file).ndjson' > \(file)")
        }
        try fixture.evalog("import", "evaluations", "events")
        let report = try fixture.report("--no-events", "--min-count", "2", "--window", "day")
        let golden = try Files.all(
            in: "\(RepositoryRoot.path)/Tests/EndToEnd/Golden/sample-counts")
        #expect(golden.keys.sorted() == ["manifest.json", "summary.csv"])
        #expect(report == golden)
    }

    @Test("a report is made again to the byte, and what was withheld stays with the log")
    func again() throws {
        let fixture = try CommandFixture.reporting(
            ReportLines.catalog
                + ReportLines.inferences(0..<20).replacing("\"other\"", with: "\"secret\""))
        let first = try fixture.evalog("report", "--to", "out")
        #expect(first.status == 0)
        #expect(
            first.errors == """
                evalog: out: 20 events in 1 upload, summary and manifest
                evalog: withheld values that the field's catalog does not list: 2

                """)
        let files = try Files.all(in: fixture.path("out"))
        try fixture.evalog("report", "--to", "out")
        #expect(try Files.all(in: fixture.path("out")) == files)
        #expect(!files.values.contains { String(decoding: $0, as: UTF8.self).contains("unlisted") })
        let journal = try Files.text(fixture.path("log/reports/withheld.ndjson"))
        #expect(journal.split(separator: "\n").count == 2)
        #expect(
            journal.hasSuffix(
                #""report":"events","events":20,"withheld":{"unlisted_value":2}}"# + "\n"))
    }

    @Test("what the log keeps about reports is its owner's alone, and no link is followed to it")
    func modes() throws {
        let fixture = try CommandFixture.reporting(0..<20)
        try fixture.shell(
            "umask 0; \"$EVALOG\" report --to out; \"$EVALOG\" report --no-events --to counts")
        #expect(Files.mode(fixture.path("log/reports")) == 0o700)
        #expect(Files.mode(fixture.path("log/reports/withheld.ndjson")) == 0o600)
        #expect(Files.mode(fixture.path("log/reports/ledger.ndjson")) == 0o600)
        #expect(Files.mode(fixture.path("out/events.ndjson")) == 0o666)
        try fixture.shell("rm -r log/reports out; mkdir other; ln -s ../other log/reports")
        let run = try fixture.evalog("report", "--to", "out")
        #expect(run.status == 2)
        #expect(Files.names(in: fixture.path("other")).isEmpty)
        #expect(Files.names(in: fixture.path("out")).isEmpty)
    }

    @Test("a report needs a place for the counts: without one nothing is reported")
    func noJournal() throws {
        let fixture = try CommandFixture.reporting(0..<5)
        try fixture.shell("mkdir -p log/reports/withheld.ndjson")
        for words in [["--to", "out"], ["--to", "out", "--no-events"]] {
            let run = try fixture.start(["report"] + words).finish()
            #expect(run.status == 2)
            #expect(run.errors.contains("nothing is reported, for"))
            #expect(Files.names(in: fixture.path("out")).isEmpty)
        }
    }

    @Test("a reviewed catalog holds back what it does not list")
    func reviewed() throws {
        let fixture = try CommandFixture.reporting(0..<20)
        try fixture.shell("\"$EVALOG\" report --draft-catalog > reviewed.json")
        let (reviewed, whole) = (
            try fixture.report("--catalog", "reviewed.json"), try fixture.report()
        )
        for name in ["events.ndjson", "summary.csv"] { #expect(reviewed[name] == whole[name]) }
        let draft = try Files.text(fixture.path("reviewed.json"))
        #expect(draft.contains(#""topic": ["billing", "other"]"#))
        try Files.write(draft.replacing(#", "other""#, with: ""), to: fixture.path("reviewed.json"))
        let run = try fixture.evalog("report", "--catalog", "reviewed.json", "--to", "out")
        #expect(run.errors.contains("values that nobody reviewed: 2"))
        let events = try Files.text(fixture.path("out/events.ndjson"))
        #expect(events.contains("billing") && !events.contains("other"))
        try Files.write(draft + "x", to: fixture.path("reviewed.json"))
        let refused = try fixture.evalog("report", "--catalog", "reviewed.json", "--to", "new")
        #expect(refused.status == 2)
        #expect(
            refused.errors
                == "evalog: reviewed.json is no reviewed catalog: something follows the value"
                + " (byte \(draft.utf8.count + 1)); evalog report --draft-catalog prints one\n")
        #expect(!Files.names(in: fixture.folder).contains("new"))
    }

    @Test("a batch limit moves the cuts, not the events")
    func batches() throws {
        let fixture = try CommandFixture.reporting(0..<100)
        let report = try fixture.report()
        let small = try fixture.report("--max-batch", "10KiB")
        #expect(small["events.ndjson"] == report["events.ndjson"])
        #expect(small["manifest.json"] != report["manifest.json"])
    }

    @Test("reports with events take turns")
    func eventTurns() throws {
        let fixture = try CommandFixture.reporting(0..<20)
        try fixture.shell("mkdir -m 700 log/reports")
        let run = try fixture.shell(
            "flock -o log/reports sh -c '\"$EVALOG\" report --quiet --to out & sleep 1; ls out'"
                + " 2> errors; wait; while [ ! -e out/manifest.json ]; do sleep 0.02; done; ls out")
        #expect(run.text == "events.ndjson\nmanifest.json\nsummary.csv\n")
    }

    @Test("a place that cannot take the report is noticed before the log is read")
    func badTarget() throws {
        let fixture = try CommandFixture.reporting(0..<20)
        let segment = try #require(Files.names(in: fixture.path("log/facts")).first)
        let bytes = try Files.bytes(fixture.path("log/facts/\(segment)"))
        try Files.write(Array(bytes.dropLast(120)), to: fixture.path("log/facts/\(segment)"))
        try fixture.shell("touch file; mkdir -p out/manifest.json")
        for (target, words) in [
            ("file", "file is not a folder"), ("no/folder", "cannot make no/folder"),
            ("out", "out/manifest.json is a folder"),
        ] {
            for more in [[], ["--no-events"]] {
                let run = try fixture.start(["report", "--to", target] + more).finish()
                #expect(run.status == 2 && run.errors.contains(words))
                #expect(!run.errors.contains("damaged"))
            }
        }
    }

    @Test("a folder that holds the log, or what is no part of a report, gets none")
    func foreignFiles() throws {
        let fixture = try CommandFixture.reporting(0..<20)
        try fixture.shell(
            "mkdir mixed; touch mixed/notes.txt; mkdir -p up/deep; ln -s ../log up/link")
        try fixture.shell("cp -r log up/deep/log")
        for (words, said) in [
            (["--to", "."], ". holds the log"),
            (["--to", "up", "--log", "up/deep/log"], "up holds the log"),
            (["--to", "mixed"], "no part of a report, and would be sent with it: notes.txt"),
            (["--to", "up"], "no part of a report, and would be sent with it: deep, link"),
        ] {
            for more in [[], ["--no-events"]] {
                let run = try fixture.start(["report"] + words + more).finish()
                #expect(run.status == 2 && run.errors.contains(said), "\(run.errors)")
            }
        }
        #expect(Files.names(in: fixture.path("mixed")) == ["notes.txt"])
        try fixture.shell("mkdir out; touch out/.events.ndjson.tmp-1")
        for _ in 0..<2 {
            #expect(try fixture.start(["report", "--to", "out"]).finish().status == 0)
        }
    }

    @Test("a damaged log is reported as far as it goes, and it is said so")
    func damaged() throws {
        let fixture = try CommandFixture.reporting(0..<20)
        let segment = try #require(Files.names(in: fixture.path("log/facts")).first)
        let bytes = try Files.bytes(fixture.path("log/facts/\(segment)"))
        try Files.write(Array(bytes.dropLast(120)), to: fixture.path("log/facts/\(segment)"))
        let run = try fixture.evalog("report", "--to", "out", "--quiet")
        #expect(run.status == 0)
        #expect(run.errors.contains("evalog: the log is damaged in 1 place"))
    }

    @Test("lines planted in the segments do not get out, and are counted")
    func hostile() throws {
        let fixture = try CommandFixture.reporting(0..<8)
        let event = String(ReportLines.inferences(900..<901).dropLast())
        let planted = [
            event.replacing("support/text", with: "LEAK@example.com"),
            event.replacing("\"billing\"", with: "\"LEAK\"").replacing("other", with: "LEAK"),
            event.replacing("\"status\"", with: "\"model\":\"https://LEAK\",\"status\""),
            event.replacing("00000000-0000-4000-8000-3", with: "~LEAK"),
            String(ReportLines.catalog.dropLast()).replacing("billing", with: "LEAK")
                .replacing("2020-01-01T00", with: "2020-01-01T23"),
            #"{"v":1,"type":"LEAK","id":"LEAK","report":{"LEAK":"LEAK"}}"#,
            // The last: what comes behind unreadable lines waits for the gate.
            event.replacing("{\"v\":1", with: "LEAK"),
            "LEAK",
        ]
        let writer = try LogWriter(fixture.directory)
        let time: Int64 = 1_577_872_800_000_000
        for (index, line) in planted.enumerated() {
            // Ids of their own, so that each is an event of its own.
            let own = line.replacing(
                "00000000-0000-4000-8000-1", with: "00000000-0000-4000-8\(index)00-1"
            ).replacing(
                "00000000-0000-4000-8000-2", with: "00000000-0000-4000-8\(index)00-2")
            if index == planted.count - 2 { try writer.flush() }
            _ = writer.append(
                Array(own.utf8), to: .facts, eventTime: time + Int64(index) * 1_000_000)
        }
        try writer.close()
        let run = try fixture.evalog("report", "--to", "out")
        #expect(run.status == 0)
        #expect(!run.errors.contains("LEAK"))
        #expect(
            try Files.text(fixture.path("out/events.ndjson")).split(separator: "\n").count == 10)
        try fixture.evalog("report", "--no-events", "--to", "counts")
        for folder in ["out", "counts", "log/reports"] {
            #expect(FolderSearch(fixture.path(folder)).paths(holding: "LEAK").isEmpty)
        }
        let journal = try Files.text(fixture.path("log/reports/withheld.ndjson"))
        #expect(
            journal.split(separator: "\n")[0].hasSuffix(
                #""withheld":{"unreadable_lines":2,"repeated_lines":1,"session_id":1,"form_field":1,"unknown_types":1,"#
                    + #""unknown_keys":1,"unlisted_value":1}}"#))
    }
}
