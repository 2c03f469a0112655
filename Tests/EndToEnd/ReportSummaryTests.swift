// evalog report --no-events: each window once, and no row of few sessions.

import EvalogLog
import Foundation
import TestSupport
import Testing

@Suite("evalog report --no-events") struct ReportSummaryTests {
    @Test("a summary without events has no row of few sessions, and each window once")
    func once() throws {
        let fixture = try CommandFixture.reporting(
            ReportLines.catalog + ReportLines.inferences(0..<60)
                + ReportLines.inferences(100..<103, hour: 12))
        let run = try fixture.evalog("report", "--no-events", "--to", "out")
        #expect(run.status == 0)
        #expect(Files.names(in: fixture.path("out")) == ["manifest.json", "summary.csv"])
        let rows = try fixture.summary()
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
        let fixture = try CommandFixture.reporting(0..<60)
        try fixture.shell("mkdir -m 700 log/reports")
        let run = try fixture.shell(
            "flock log/reports \"$EVALOG\" report --no-events --to out")
        #expect(run.status == 2)
        #expect(run.errors.contains("another report of this log is being made"))
        #expect(!Files.names(in: fixture.folder).contains("out"))
    }

    @Test("events that a killed report left go before a summary comes, or keep it away")
    func orphans() throws {
        let fixture = try CommandFixture.reporting(0..<60)
        // Of a process that is gone, and of one that is there.
        try fixture.shell("mkdir out; echo events > out/.events.ndjson.tmp-4194303")
        #expect(try fixture.evalog("report", "--no-events", "--to", "out").status == 0)
        #expect(
            Files.names(in: fixture.path("out")).sorted() == ["manifest.json", "summary.csv"])
        let run = try fixture.shell(
            """
            mkdir other; echo events > other/.events.ndjson.tmp-$$
            "$EVALOG" report --no-events --to other
            """)
        #expect(run.status == 2 && run.errors.contains("holds a report with events"))
    }

    @Test("a folder with a report's events does not get a summary with hidden rows")
    func mixed() throws {
        let fixture = try CommandFixture.reporting(0..<60)
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
        let fixture = try CommandFixture.reporting(0..<60)
        try fixture.shell("mkdir -m 700 log/reports; echo junk > log/reports/ledger.ndjson")
        let run = try fixture.evalog("report", "--no-events", "--to", "out")
        #expect(run.status == 2)
        #expect(run.errors.contains("ledger.ndjson is damaged in line 1"))
        #expect(!Files.names(in: fixture.folder).contains("out"))
        #expect(try Files.text(fixture.path("log/reports/ledger.ndjson")) == "junk\n")
    }

    @Test("a ledger of another version is not called damaged")
    func otherLedger() throws {
        let fixture = try CommandFixture.reporting(0..<60)
        try fixture.shell(
            "mkdir -m 700 log/reports; echo '{\"v\":1,\"events\":7}' > log/reports/ledger.ndjson")
        let run = try fixture.evalog("report", "--no-events", "--to", "out")
        #expect(run.status == 2)
        #expect(
            run.errors.hasSuffix(
                "/ledger.ndjson is of version 1, and this evalog reads 3; report with the evalog that"
                    + " wrote it: without it, windows would be told twice\n"))
        #expect(!Files.names(in: fixture.folder).contains("out"))
    }

    @Test("a ledger of which a digit was changed stops the summary, and so does one that is gone")
    func lostLedger() throws {
        let fixture = try CommandFixture.reporting(0..<20)
        let report = ["report", "--no-events", "--to", "out"]
        let restart = ["report", "--no-events", "--ledger-was-lost"]
        #expect(try fixture.start(restart).finish().status == 2)
        #expect(try fixture.start(report).finish().status == 0)
        #expect(
            try fixture.start(restart).finish().errors.contains("no ledger of summaries was lost"))
        for (damage, words) in [
            (
                "sed -i '2s/-/-9/' log/reports/ledger.ndjson",
                "it has not the digest in its last line"
            ),
            ("rm log/reports/ledger.ndjson", "is missing, and"),
        ] {
            try fixture.shell(damage)
            let run = try fixture.start(report).finish()
            #expect(run.status == 2 && run.errors.contains(words), "\(run.errors)")
            #expect(run.errors.contains("--ledger-was-lost lets them begin now"))
        }
        #expect(try fixture.start(["report", "--to", "events"]).finish().status == 0)
        let run = try fixture.start(restart).finish()
        #expect(run.status == 0 && run.errors.contains("windows of the next summary begin at 2"))
        // As if an hour had passed: nothing of before is told, for it may have been told.
        try fixture.editLedger(
            "1s/reported_until\":\"[^\"]*\"/reported_until\":\"2020-01-02T00:00:00.000000Z\"/")
        let next = try fixture.evalog("report", "--no-events", "--to", "next")
        #expect(next.errors.contains("nobody knows whether they were told: 20"))
        #expect(try fixture.summary(in: "next").isEmpty)
    }

    @Test("an older copy of the ledger is called that, and tells no window again")
    func olderLedger() throws {
        let fixture = try CommandFixture.reporting(0..<20)
        try fixture.evalog("report", "--no-events", "--to", "first")
        let hourAgo = "1s/:\"2.*\"/:\"2020-01-01T11:00:00.000000Z\"/"
        try fixture.editLedger(hourAgo)
        try fixture.shell("cp log/reports/ledger.ndjson kept")
        try fixture.add(ReportLines.inferences(50..<57, hour: 11))
        try fixture.evalog("report", "--no-events", "--to", "second")
        try fixture.shell("cp log/reports/ledger.ndjson latest; cp kept log/reports/ledger.ndjson")
        let report = ["report", "--no-events", "--to", "third"]
        let run = try fixture.start(report).finish()
        #expect(run.status == 2 && run.errors.contains("is older than"), "\(run.errors)")
        #expect(run.errors.contains("--ledger-was-lost lets them begin now"))
        try fixture.shell("cp latest log/reports/ledger.ndjson")
        #expect(try fixture.start(report).finish().status == 0)
        try fixture.shell("cp kept log/reports/ledger.ndjson")
        let restart = ["report", "--no-events", "--ledger-was-lost"]
        #expect(try fixture.start(restart).finish().status == 0)
        #expect(try fixture.start(report).finish().status == 0)
    }

    // MARK: A summary that waits

    private static let flags = "--min-count 5 --window 3600s --timezone UTC without --catalog"

    /// A log with a summary that did not get to its folder, whose windows are told or not yet.
    private func waiting(isTold: Bool) throws -> CommandFixture {
        let fixture = try CommandFixture.reporting(0..<60)
        try fixture.evalog("report", "--no-events", "--to", "first")
        try fixture.shell(
            "cd log/reports && mkdir -m 700 pending && cp ../../first/* ledger.ndjson pending"
                + " && tail -n 1 withheld.ndjson > pending/withheld.json"
                + " && printf '%s' '\(Self.flags)' > pending/flags.txt && : > withheld.ndjson"
                + (isTold ? "" : " && rm ledger.ndjson"))
        return fixture
    }

    @Test(
        "a summary that waits is brought with the flags that it was made with",
        arguments: [true, false])
    func sameFlags(isTold: Bool) throws {
        let fixture = try waiting(isTold: isTold)
        let run = try fixture.evalog("report", "--no-events", "--to", "out", "--window", "1h")
        #expect(run.status == 0 && run.errors.contains("could not bring there"))
        #expect(try Files.all(in: fixture.path("out")) == Files.all(in: fixture.path("first")))
    }

    @Test(
        "stricter flags make it anew where nobody can have it yet, else they are refused",
        arguments: [["--min-count", "10"], ["--catalog", "reviewed.json"], ["--window", "day"]])
    func otherFlags(words: [String]) throws {
        for isTold in [true, false] {
            let fixture = try waiting(isTold: isTold)
            try Files.write(
                #"{"v":1,"fields":{"support/text":{"topic":["billing"]}}}"#,
                to: fixture.path("reviewed.json"))
            let run = try fixture.start(["report", "--no-events", "--to", "out"] + words).finish()
            if isTold {
                #expect(run.status == 2)
                #expect(run.errors.contains("was made with other flags: \(Self.flags)"))
                #expect(!Files.names(in: fixture.path("out")).contains("summary.csv"))
                #expect(try fixture.evalog("report", "--no-events", "--to", "out").status == 0)
            } else {
                #expect(run.status == 0 && run.errors.contains("it is made anew"))
                #expect(
                    try fixture.summary().contains { $0.contains("other") }
                        == (words[0] == "--window"))
            }
            #expect(try fixture.reportJournal().count == 1)
            #expect(
                Files.names(in: fixture.path("log/reports")) == [
                    "ledger.ndjson", "withheld.ndjson",
                ])
        }
    }

    @Test("what is erased goes from a summary that waits", arguments: [true, false])
    func erased(isTold: Bool) throws {
        let fixture = try waiting(isTold: isTold)
        let words = ["erase", "--session", "00000000-0000-4000-8000-300000000007", "--facts"]
        let dry = try fixture.start(words + ["--dry-run"]).finish()
        #expect(dry.text.contains("1 summary on its way to go"))
        let run = try fixture.start(words).finish()
        #expect(run.status == 0 && run.text.contains("1 summary on its way gone"))
        let next = try fixture.evalog("report", "--no-events", "--to", "out")
        if isTold {
            #expect(next.errors.contains("no window has ended since the last summary"))
        } else {
            #expect(try fixture.summary().first?.hasSuffix(",59") == true)
        }
        #expect(try !fixture.start(words).finish().text.contains("summary"))
    }

    @Test("late facts count in the next window that ends")
    func late() throws {
        let fixture = try CommandFixture.reporting(0..<20)
        try fixture.evalog("report", "--no-events", "--to", "first")
        // As if the last summary had ended at eleven that day.
        try fixture.editLedger("1s/:\"2.*\"/:\"2020-01-01T11:00:00.000000Z\"/")
        try fixture.add(ReportLines.inferences(50..<57))
        try fixture.evalog("report", "--no-events", "--to", "second")
        #expect(
            try fixture.summary(in: "second") == [
                "2020-01-01T11:00:00Z,2020-01-01T12:00:00Z,in_app_form_result,,,support,text,success,,,7"
            ])
    }

    @Test("the ledger names no event, and forgets writers with their segments")
    func ledger() throws {
        let fixture = try CommandFixture.reporting(0..<20)
        try fixture.evalog("report", "--no-events", "--to", "first")
        let ledger = fixture.path("log/reports/ledger.ndjson")
        #expect(!(try Files.text(ledger)).contains("00000000-0000-4000-8000"))
        #expect(try Files.text(ledger).split(separator: "\n").count == 3)
        // The windows of the day before are told; the segments that told them go, another comes.
        try fixture.editLedger("1s/:\"2.*\"/:\"2020-01-01T11:00:00.000000Z\"/")
        try fixture.shell("cp -r log/facts kept; rm log/facts/*.gz")
        try fixture.add(ReportLines.inferences(50..<57, hour: 11))
        try fixture.evalog("report", "--no-events", "--to", "second")
        #expect(try fixture.summary(in: "second").count == 1)
        #expect(try Files.text(ledger).split(separator: "\n").count == 3)
        // Should they come back, they are not told a second time.
        try fixture.editLedger(
            "1s/d_until\":\"2[^\"]*\"/d_until\":\"2020-01-01T12:00:00.000000Z\"/")
        try fixture.shell("cp kept/*.gz log/facts")
        let run = try fixture.evalog("report", "--no-events", "--to", "third")
        #expect(try fixture.summary(in: "third").isEmpty)
        #expect(run.errors.contains("nobody knows whether they were told: 20"))
        let withheld = try Files.text(fixture.path("log/reports/withheld.ndjson"))
        #expect(withheld.contains(#""forgotten_window":20"#))
    }

    @Test("what comes back of a writer that is gone is not told again, also by the next summary")
    func comesBack() throws {
        let fixture = try CommandFixture.reporting(0..<20)
        try fixture.evalog("report", "--no-events", "--to", "first")
        try fixture.editLedger("1s/:\"2.*\"/:\"2020-01-01T11:00:00.000000Z\"/")
        try fixture.shell("rm log/facts/*.gz")
        try fixture.add(ReportLines.inferences(0..<19))
        let run = try fixture.evalog("report", "--no-events", "--to", "second")
        #expect(try fixture.summary(in: "second").isEmpty)
        #expect(run.errors.contains("nobody knows whether they were told: 19"))
    }

    @Test("windows that a clock told that was ahead can be let go")
    func clockAhead() throws {
        let fixture = try CommandFixture.reporting(0..<20)
        try fixture.evalog("report", "--no-events", "--to", "first")
        let restart = ["report", "--no-events", "--clock-was-ahead"]
        #expect(try fixture.start(restart).finish().status == 2)
        try fixture.editLedger("1s/:\"2.*\"/:\"2999-01-01T11:00:00.000000Z\"/")
        try fixture.add(ReportLines.inferences(50..<57))
        let blocked = try fixture.evalog("report", "--no-events", "--to", "second")
        #expect(blocked.status == 2)
        #expect(blocked.errors.contains("windows were told until 2999-01-01 11:00:00, by a clock"))
        let run = try fixture.start(restart).finish()
        #expect(run.status == 0 && run.errors.contains("those of the next summary begin at 2"))
        // As if an hour had passed.
        try fixture.editLedger("1s/:\"2.*\"/:\"2020-01-02T11:00:00.000000Z\"/")
        try fixture.evalog("report", "--no-events", "--to", "second")
        #expect(
            try fixture.summary(in: "second").map { $0.suffix(10) }
                == ["success,,,7"].map { $0.suffix(10) })
    }

    @Test("events that lie ahead, and were told by a clock that was ahead, are not told again")
    func eventsAhead() throws {
        let fixture = try CommandFixture.reporting(0..<20)
        try fixture.add(
            ReportLines.inferences(20..<30).replacing("2020-01-01", with: "2020-01-03"))
        try fixture.evalog("report", "--no-events", "--to", "first")
        #expect(try fixture.summary(in: "first").map { String($0.suffix(3)) } == [",20", ",10"])
        // That was told by a clock that was ahead: as if it were the second of January now.
        try fixture.editLedger("1s/:\"2.*\"/:\"2999-01-01T11:00:00.000000Z\"/")
        #expect(try fixture.evalog("report", "--no-events", "--clock-was-ahead").status == 0)
        let ledger = try Files.text(fixture.path("log/reports/ledger.ndjson"))
        #expect(!ledger.contains("\"ahead\""), "no event was told that lies ahead of now")
        try fixture.editLedger(
            "1s/:\"2.*\"/:\"2020-01-02T11:00:00.000000Z\"/;s/\"until\":\"\\([^\"]*\\)\"/&,"
                + "\"ahead\":\"1-100\",\"ahead_until\":\"\\1\"/")
        try fixture.add(
            ReportLines.inferences(30..<37).replacing("2020-01-01", with: "2020-01-03"))
        try fixture.evalog("report", "--no-events", "--to", "second")
        #expect(
            try fixture.summary(in: "second").map { $0.suffix(10) }
                == ["success,,,7"].map { $0.suffix(10) })
    }
}
