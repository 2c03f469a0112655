// evalog report: the files that leave, the files that stay, and that nothing else gets out.

import EvalogLog
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
        #expect(try fixture.report("--catalog", "reviewed.json") == fixture.report())
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

    // MARK: Faults

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
