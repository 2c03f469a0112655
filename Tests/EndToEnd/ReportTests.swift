// evalog report: the files that leave, the files that stay, and that nothing else gets out.

import EvalogLog
import Foundation
import TestSupport
import Testing

@Suite("evalog report") struct ReportTests {
    /// Events of 2020, whose windows are over on any clock.
    private static let catalog = """
        {"v":1,"type":"catalog","id":"00000000-0000-4000-8000-000000000001","time":"2020-01-01T00:00:00Z",\
        "subject":"support/text","report":{"topic":["billing","other"]}}

        """

    private static func inferences(_ numbers: Range<Int>, hour: Int = 10) -> String {
        numbers.map { number in
            """
            {"v":1,"type":"form_inference","id":"00000000-0000-4000-8000-\(100_000_000_000 + number)",\
            "time":"2020-01-01T\(hour):00:00Z","evaluation":"00000000-0000-4000-8000-\(200_000_000_000 + number)",\
            "subject":"support/text","session":"00000000-0000-4000-8000-\(300_000_000_000 + number)",\
            "status":"success","report":{"topic":"\(number % 10 == 0 ? "other" : "billing")"}}

            """
        }.joined()
    }

    private func log(_ facts: String) throws -> CommandFixture {
        let fixture = CommandFixture()
        try add(facts, to: fixture)
        return fixture
    }

    private func add(_ facts: String, to fixture: CommandFixture) throws {
        let run = try fixture.evalog("import", "-", input: Array(facts.utf8))
        guard run.status == 0 else { throw FixtureFailure(what: run.errors) }
    }

    private func summary(of fixture: CommandFixture, in folder: String = "out") throws -> [String] {
        try Files.text(fixture.path("\(folder)/summary.csv")).split(separator: "\r\n").dropFirst()
            .map(String.init)
    }

    // MARK: With events

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
        let fixture = try log(
            Self.catalog + Self.inferences(0..<20).replacing("\"other\"", with: "\"secret\""))
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
        let fixture = try log(Self.catalog + Self.inferences(0..<20))
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
        let fixture = try log(Self.catalog + Self.inferences(0..<5))
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
        let fixture = try log(Self.catalog + Self.inferences(0..<20))
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
        let fixture = try log(Self.catalog + Self.inferences(0..<100))
        let report = try fixture.report()
        let small = try fixture.report("--max-batch", "10KiB")
        #expect(small["events.ndjson"] == report["events.ndjson"])
        #expect(small["manifest.json"] != report["manifest.json"])
    }

    @Test("what a device tells of its gate decides about its own events, and is missed when gone")
    func gates() throws {
        let fixture = CommandFixture()
        func gate(_ number: Int, isOn: Bool) -> String {
            #"{"v":1,"type":"gate","id":"00000000-0000-4000-8000-00000000000\#(number)","#
                + #""time":"2020-01-01T09:0\#(number):00Z","on_device_ai":\#(isOn)}"#
        }
        for (number, isOn) in [(1, false), (2, true)] {
            let writer = try LogWriter(fixture.directory)
            func append(_ line: String) {
                _ = writer.append(Array(line.utf8), to: .facts, eventTime: 0)
            }
            append(gate(number, isOn: isOn))
            append(String(Self.inferences(number..<number + 1).dropLast()))
            try writer.flush()
            writer.roll()
            append(String(Self.inferences(10 * number..<10 * number + 1).dropLast()))
            try writer.close()
        }
        func sessions() throws -> [Substring] {
            let run = try fixture.evalog("report", "--to", "out")
            #expect(run.status == 0)
            let events = try Files.text(fixture.path("out/events.ndjson"))
            return events.split(separator: "\n").map { $0.split(separator: "\"")[15].suffix(2) }
        }
        #expect(try sessions() == ["02", "20"])
        for name in Files.names(in: fixture.path("log/facts")) where name.contains("-0001.") {
            try fixture.shell("rm log/facts/\(name)")
        }
        #expect(try sessions() == [])
    }

    // MARK: Without events

    @Test("a summary without events has no row of few sessions, and each window once")
    func once() throws {
        let fixture = try log(
            Self.catalog + Self.inferences(0..<60) + Self.inferences(100..<103, hour: 12))
        let run = try fixture.evalog("report", "--no-events", "--to", "out")
        #expect(run.status == 0)
        #expect(Files.names(in: fixture.path("out")) == ["manifest.json", "summary.csv"])
        let rows = try summary(of: fixture)
        let field =
            "2020-01-01T10:00:00Z,2020-01-01T11:00:00Z,in_app_form_result,,,support,text,success,"
        #expect(rows == [field + ",,60", field + "topic,billing,54", field + "topic,other,6"])
        #expect(run.errors.contains("rows of few sessions, or beside such rows: 3"))
        let files = try Files.all(in: fixture.path("out"))
        let again = try fixture.evalog("report", "--no-events", "--to", "out", "--min-count", "1")
        #expect(again.status == 0)
        #expect(try Files.all(in: fixture.path("out")) == files)
        #expect(again.errors.contains("no window has ended since the last summary"))
    }

    @Test("two summaries at a time: one waits for nobody and reports nothing")
    func turns() throws {
        let fixture = try log(Self.catalog + Self.inferences(0..<60))
        try fixture.shell("mkdir -m 700 log/reports")
        let run = try fixture.shell(
            "flock log/reports \"$EVALOG\" report --no-events --to out")
        #expect(run.status == 2)
        #expect(run.errors.contains("another report of this log is being made"))
        #expect(!Files.names(in: fixture.folder).contains("out"))
    }

    @Test("a folder with a report's events does not get a summary with hidden rows")
    func mixed() throws {
        let fixture = try log(Self.catalog + Self.inferences(0..<60))
        try fixture.evalog("report", "--to", "out")
        let files = try Files.all(in: fixture.path("out"))
        let run = try fixture.evalog("report", "--no-events", "--to", "out")
        #expect(run.status == 2)
        #expect(run.errors.contains("holds a report with events"))
        #expect(try Files.all(in: fixture.path("out")) == files)
        #expect(!Files.names(in: fixture.path("log/reports")).contains("ledger.ndjson"))
    }

    @Test("a damaged ledger stops the summary")
    func damagedLedger() throws {
        let fixture = try log(Self.catalog + Self.inferences(0..<60))
        try fixture.shell("mkdir -m 700 log/reports; echo junk > log/reports/ledger.ndjson")
        let run = try fixture.evalog("report", "--no-events", "--to", "out")
        #expect(run.status == 2)
        #expect(run.errors.contains("ledger.ndjson is damaged in line 1"))
        #expect(!Files.names(in: fixture.folder).contains("out"))
        #expect(try Files.text(fixture.path("log/reports/ledger.ndjson")) == "junk\n")
    }

    @Test("late facts count in the next window that ends")
    func late() throws {
        let fixture = try log(Self.catalog + Self.inferences(0..<20))
        try fixture.evalog("report", "--no-events", "--to", "first")
        // As if the last summary had ended at eleven that day.
        try fixture.shell(
            "sed -i '1s/:\"2.*\"/:\"2020-01-01T11:00:00.000000Z\"/' log/reports/ledger.ndjson")
        try add(Self.inferences(50..<57), to: fixture)
        try fixture.evalog("report", "--no-events", "--to", "second")
        #expect(
            try summary(of: fixture, in: "second") == [
                "2020-01-01T11:00:00Z,2020-01-01T12:00:00Z,in_app_form_result,,,support,text,success,,,7"
            ])
    }

    @Test("the ledger names no event, and forgets writers with their segments")
    func ledger() throws {
        let fixture = try log(Self.catalog + Self.inferences(0..<20))
        try fixture.evalog("report", "--no-events", "--to", "first")
        let ledger = fixture.path("log/reports/ledger.ndjson")
        #expect(!(try Files.text(ledger)).contains("00000000-0000-4000-8000"))
        #expect(try Files.text(ledger).split(separator: "\n").count == 2)
        // The windows of the day before are told; the segments that told them go, another comes.
        try fixture.shell(
            "sed -i '1s/:\"2.*\"/:\"2020-01-01T11:00:00.000000Z\"/' log/reports/ledger.ndjson")
        try fixture.shell("cp -r log/facts kept; rm log/facts/*.gz")
        try add(Self.inferences(50..<57, hour: 11), to: fixture)
        try fixture.evalog("report", "--no-events", "--to", "second")
        #expect(try summary(of: fixture, in: "second").count == 1)
        #expect(try Files.text(ledger).split(separator: "\n").count == 2)
        // Should they come back, they are not told a second time.
        try fixture.shell(
            "sed -i '1s/d_until\":\"2[^\"]*\"/d_until\":\"2020-01-01T12:00:00.000000Z\"/'"
                + " log/reports/ledger.ndjson; cp kept/*.gz log/facts")
        let run = try fixture.evalog("report", "--no-events", "--to", "third")
        #expect(try summary(of: fixture, in: "third").isEmpty)
        #expect(run.errors.contains("nobody knows whether they were told: 20"))
        let withheld = try Files.text(fixture.path("log/reports/withheld.ndjson"))
        #expect(withheld.contains(#""forgotten_window":20"#))
    }

    // MARK: Interruptions

    /// The size and the digest that the manifest gives for each file.
    private func proofs(in folder: String) throws -> [String: String] {
        let text = try Files.text("\(folder)/manifest.json")
        let value = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        let files = try #require(value?["files"] as? [[String: Any]])
        return try Dictionary(
            uniqueKeysWithValues: files.map { file in
                let name = try #require(file["name"] as? String)
                return (name, "\(file["bytes"] ?? "") \(file["sha256"] ?? "")")
            })
    }

    private func proof(of file: String, in fixture: CommandFixture) throws -> String {
        let run = try fixture.shell("echo $(wc -c < \(file)) $(sha256sum < \(file) | cut -c1-64)")
        return run.text.trimmingCharacters(in: .newlines)
    }

    @Test("an interrupted report shows: the manifest comes last, with sizes and digests")
    func proofs() throws {
        let fixture = try log(Self.catalog + Self.inferences(0..<20))
        try fixture.evalog("report", "--to", "out")
        try fixture.evalog("report", "--no-events", "--to", "counts")
        for (folder, names) in [
            ("out", ["events.ndjson", "summary.csv"]), ("counts", ["summary.csv"]),
        ] {
            let proofs = try proofs(in: fixture.path(folder))
            #expect(proofs.keys.sorted() == names)
            for (name, proof) in proofs {
                #expect(try proof == self.proof(of: "\(folder)/\(name)", in: fixture))
            }
        }
        try fixture.shell("cp -r out before")
        try add(Self.inferences(30..<50), to: fixture)
        for delay in stride(from: UInt32(0), to: 60_000, by: 3_000) {
            try fixture.shell("rm -r out && cp -r before out")
            let run = try fixture.start(["report", "--to", "out"])
            usleep(delay)
            run.send(SIGKILL)
            _ = run.finish()
            let fits = try proofs(in: fixture.path("out")).allSatisfy { name, proof in
                try proof == self.proof(of: "out/\(name)", in: fixture)
            }
            let events = try Files.text(fixture.path("out/events.ndjson"))
            let rows = try summary(of: fixture)
            let isOld = events.split(separator: "\n").count == 20 && rows[0].hasSuffix(",20")
            let isNew = events.split(separator: "\n").count == 40 && rows[0].hasSuffix(",40")
            #expect(fits == isOld || fits == isNew, "after \(delay)")
        }
    }

    @Test("killed at any moment a summary is told once, and nothing of it is lost")
    func summaryKills() throws {
        let fixture = try log(Self.catalog + Self.inferences(0..<60))
        try fixture.shell("cp -r log whole")
        try fixture.evalog("report", "--no-events", "--to", "expected")
        let expected = try Files.all(in: fixture.path("expected"))
        for delay in stride(from: UInt32(0), to: 60_000, by: 3_000) {
            try fixture.shell("rm -rf log out && cp -r whole log")
            let run = try fixture.start(["report", "--no-events", "--to", "out"])
            usleep(delay)
            run.send(SIGKILL)
            _ = run.finish()
            for _ in 0..<2 { try fixture.evalog("report", "--no-events", "--to", "out") }
            #expect(try Files.all(in: fixture.path("out")) == expected, "after \(delay)")
            #expect(try journal(of: fixture).count == 1, "after \(delay)")
            let kept = Files.names(in: fixture.path("log/reports"))
            #expect(kept == ["ledger.ndjson", "withheld.ndjson"], "after \(delay)")
        }
    }

    private func journal(of fixture: CommandFixture) throws -> [Substring] {
        try Files.text(fixture.path("log/reports/withheld.ndjson")).split(separator: "\n")
    }

    @Test("files that cannot take their places cost no window, and are not noted as a report")
    func blockedFiles() throws {
        let fixture = try log(Self.catalog + Self.inferences(0..<60))
        try fixture.shell("mkdir -p out/summary.csv")
        for words in [["report", "--to", "out"], ["report", "--no-events", "--to", "out"]] {
            let run = try fixture.start(words).finish()
            #expect(run.status == 2)
            #expect(run.errors.contains("out/summary.csv is a folder"))
            #expect(try journal(of: fixture).isEmpty)
        }
        #expect(Files.names(in: fixture.path("log/reports")) == ["withheld.ndjson"])
        try fixture.shell("rmdir out/summary.csv")
        #expect(try fixture.evalog("report", "--no-events", "--to", "out").status == 0)
        #expect(try summary(of: fixture).count == 3)
        #expect(try journal(of: fixture).count == 1)
    }

    @Test("reports with events take turns")
    func eventTurns() throws {
        let fixture = try log(Self.catalog + Self.inferences(0..<20))
        try fixture.shell("mkdir -m 700 log/reports")
        let run = try fixture.shell(
            "flock -o log/reports sh -c '\"$EVALOG\" report --quiet --to out & sleep 1; ls out'"
                + " 2> errors; wait; while [ ! -e out/manifest.json ]; do sleep 0.02; done; ls out")
        #expect(run.text == "events.ndjson\nmanifest.json\nsummary.csv\n")
    }

    @Test("windows that a clock told that was ahead can be let go")
    func clockAhead() throws {
        let fixture = try log(Self.catalog + Self.inferences(0..<20))
        try fixture.evalog("report", "--no-events", "--to", "first")
        let restart = ["report", "--no-events", "--clock-was-ahead"]
        #expect(try fixture.start(restart).finish().status == 2)
        try fixture.shell(
            "sed -i '1s/:\"2.*\"/:\"2999-01-01T11:00:00.000000Z\"/' log/reports/ledger.ndjson")
        try add(Self.inferences(50..<57), to: fixture)
        let blocked = try fixture.evalog("report", "--no-events", "--to", "second")
        #expect(blocked.status == 2)
        #expect(blocked.errors.contains("windows were told until 2999-01-01 11:00:00, by a clock"))
        let run = try fixture.start(restart).finish()
        #expect(run.status == 0 && run.errors.contains("those of the next summary begin at 2"))
        // As if an hour had passed.
        try fixture.shell(
            "sed -i '1s/:\"2.*\"/:\"2020-01-02T11:00:00.000000Z\"/' log/reports/ledger.ndjson")
        try fixture.evalog("report", "--no-events", "--to", "second")
        #expect(
            try summary(of: fixture, in: "second").map { $0.suffix(10) }
                == ["success,,,7"].map { $0.suffix(10) })
    }

    // MARK: Faults

    @Test("what stands in the place of a file that a log keeps is neither waited for nor followed")
    func places() throws {
        let fixture = try log(Self.catalog + Self.inferences(0..<60))
        try fixture.evalog("report", "--no-events", "--to", "counts")
        try fixture.shell("mv log/reports/ledger.ndjson elsewhere")
        for make in [
            "mkfifo log/reports/ledger.ndjson", "ln -s ../../elsewhere log/reports/ledger.ndjson",
        ] {
            try fixture.shell("rm -f log/reports/ledger.ndjson; \(make)")
            let run = try fixture.shell("timeout 20 \"$EVALOG\" report --no-events --to new")
            #expect(run.status == 2 && run.errors.contains("reports/ledger.ndjson"), "\(make)")
        }
        try fixture.shell("rm log/reports/*; mkfifo log/reports/withheld.ndjson")
        for words in ["--to out", "--no-events --to out"] {
            for reader in ["", "cat log/reports/withheld.ndjson > read & "] {
                let run = try fixture.shell("\(reader)timeout 20 \"$EVALOG\" report \(words)")
                #expect(run.status == 2 && run.errors.contains("nothing is reported"))
                #expect(!Files.names(in: fixture.folder).contains("out"))
            }
        }
    }

    @Test(
        "a report that finds no room leaves the old one as it was, and the ledger",
        arguments: [4, 8])
    func fullDisk(blocks: Int) throws {
        let fixture = try log(Self.catalog + Self.inferences(0..<6))
        #expect(try fixture.evalog("report", "--to", "out").status == 0)
        let before = try Files.all(in: fixture.path("out"))
        try add(Self.inferences(10..<100), to: fixture)
        // So many that of a summary's files the ledger is the largest.
        for _ in 0..<60 {
            let writer = try LogWriter(fixture.directory)
            _ = writer.append(Array("{}".utf8), to: .facts, eventTime: 0)
            try writer.close()
        }
        let run = try fixture.shell("ulimit -f \(blocks); \"$EVALOG\" report --to out")
        #expect(run.status == 2)
        #expect(run.errors.contains("File too large"))
        #expect(try Files.all(in: fixture.path("out")) == before)
        let counts = try fixture.shell(
            "ulimit -f \(blocks); \"$EVALOG\" report --no-events --to counts")
        #expect(counts.status == 2)
        #expect(!Files.names(in: fixture.path("log/reports")).contains("ledger.ndjson"))
        #expect(Files.names(in: fixture.path("counts")).isEmpty)
        #expect(Files.temporaries(below: fixture.folder).isEmpty)
        #expect(try fixture.evalog("report", "--no-events", "--to", "counts").status == 0)
        #expect(try summary(of: fixture, in: "counts").count > 1)
    }

    @Test("a damaged log is reported as far as it goes, and it is said so")
    func damaged() throws {
        let fixture = try log(Self.catalog + Self.inferences(0..<20))
        let segment = try #require(Files.names(in: fixture.path("log/facts")).first)
        let bytes = try Files.bytes(fixture.path("log/facts/\(segment)"))
        try Files.write(Array(bytes.dropLast(120)), to: fixture.path("log/facts/\(segment)"))
        let run = try fixture.evalog("report", "--to", "out", "--quiet")
        #expect(run.status == 0)
        #expect(run.errors.contains("evalog: the log is damaged in 1 place"))
    }

    @Test("lines planted in the segments do not get out, and are counted")
    func hostile() throws {
        let fixture = try log(Self.catalog + Self.inferences(0..<8))
        let event = String(Self.inferences(900..<901).dropLast())
        let planted = [
            event.replacing("support/text", with: "LEAK@example.com"),
            event.replacing("\"billing\"", with: "\"LEAK\"").replacing("other", with: "LEAK"),
            event.replacing("\"status\"", with: "\"model\":\"https://LEAK\",\"status\""),
            event.replacing("{\"v\":1", with: "LEAK"),
            event.replacing("00000000-0000-4000-8000-3", with: "~LEAK"),
            String(Self.catalog.dropLast()).replacing("billing", with: "LEAK")
                .replacing("2020-01-01T00", with: "2020-01-01T23"),
            #"{"v":1,"type":"LEAK","id":"LEAK","report":{"LEAK":"LEAK"}}"#,
            "LEAK",
        ]
        let writer = try LogWriter(fixture.directory)
        for (index, line) in planted.enumerated() {
            // Ids of their own, so that each is an event of its own.
            let own = line.replacing(
                "00000000-0000-4000-8000-1", with: "00000000-0000-4000-8\(index)00-1"
            ).replacing(
                "00000000-0000-4000-8000-2", with: "00000000-0000-4000-8\(index)00-2")
            _ = writer.append(Array(own.utf8), to: .facts, eventTime: 0)
        }
        try writer.close()
        let run = try fixture.evalog("report", "--to", "out")
        #expect(run.status == 0)
        #expect(!run.errors.contains("LEAK"))
        try fixture.evalog("report", "--no-events", "--to", "counts")
        for folder in ["out", "counts", "log/reports"] {
            #expect(FolderSearch(fixture.path(folder)).paths(holding: "LEAK").isEmpty)
        }
        let journal = try Files.text(fixture.path("log/reports/withheld.ndjson"))
        #expect(
            journal.split(separator: "\n")[0].hasSuffix(
                #""withheld":{"unreadable_lines":2,"repeated_lines":1,"session_id":1,"form_field":1,"unknown_keys":1,"#
                    + #""unlisted_value":1}}"#))
    }
}
