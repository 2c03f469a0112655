// evalog report: kills, full disks, and what stands in the place of a file.

import EvalogLog
import Foundation
import TestSupport
import Testing

@Suite("evalog report in trouble") struct ReportFaultTests {
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
        let fixture = try CommandFixture.reporting(0..<20)
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
        try fixture.add(ReportLines.inferences(30..<50))
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
            let rows = try fixture.summary()
            let isOld = events.split(separator: "\n").count == 20 && rows[0].hasSuffix(",20")
            let isNew = events.split(separator: "\n").count == 40 && rows[0].hasSuffix(",40")
            #expect(fits == isOld || fits == isNew, "after \(delay)")
            let noted = try fixture.reportJournal().contains { $0.contains(#""events":40"#) }
            #expect(noted || events.split(separator: "\n").count == 20, "after \(delay)")
            if isOld, noted { try fixture.shell("sed -i '/:40/d' log/reports/withheld.ndjson") }
        }
    }

    @Test("whatever step a kill comes behind, the manifest tells, and the next report is whole")
    func everyStep() throws {
        let fixture = try CommandFixture.reporting(0..<20)
        try fixture.evalog("report", "--to", "before")
        try fixture.add(ReportLines.inferences(30..<50))
        try fixture.evalog("report", "--to", "after")
        let expected = try Files.all(in: fixture.path("after"))
        // In this order they take their places; the others still lie beside them.
        let names = ["events.ndjson", "summary.csv", "manifest.json"]
        let dead = try fixture.shell("sh -c 'echo $$'").text.trimmingCharacters(in: .newlines)
        for count in 0...names.count {
            try fixture.shell("rm -rf out && cp -r before out")
            for (place, name) in names.enumerated() {
                let path = place < count ? name : ".\(name).tmp-\(dead)"
                try fixture.shell("cp after/\(name) out/\(path)")
            }
            let fits = try proofs(in: fixture.path("out")).allSatisfy { name, proof in
                try proof == self.proof(of: "out/\(name)", in: fixture)
            }
            #expect(fits == [0, 3].contains(count), "after \(count)")
            try fixture.evalog("report", "--to", "out")
            #expect(try Files.all(in: fixture.path("out")) == expected, "after \(count)")
            #expect(Files.temporaries(below: fixture.path("out")).isEmpty, "after \(count)")
        }
    }

    /// Opens a file or folder, and locks it against the programs under test.
    private func lock(_ path: String) throws -> Int32 {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        try #require(descriptor >= 0 && flock(descriptor, LOCK_EX) == 0)
        return descriptor
    }

    @Test("of a report that is there the counts are noted, wherever it is killed")
    func noted() async throws {
        let fixture = try CommandFixture.reporting(0..<20)
        try fixture.shell("mkdir -m 700 log/reports")
        let turn = try lock(fixture.path("log/reports"))
        let run = try fixture.start(["report", "--to", "out"])
        // It has looked at the journal by then, and waits for its turn.
        await waitUntil { Files.names(in: fixture.folder).contains("out") }
        let journal = try lock(fixture.path("log/reports/withheld.ndjson"))
        close(turn)
        await waitUntil { Files.temporaries(below: fixture.path("out")).count == 3 }
        // As long as the line waits, so do the files.
        try await Task.sleep(for: .milliseconds(200))
        run.send(SIGKILL)
        _ = run.finish()
        #expect(!Files.names(in: fixture.path("out")).contains("events.ndjson"))
        #expect(try fixture.reportJournal().isEmpty)
        close(journal)
        #expect(try fixture.evalog("report", "--to", "out").status == 0)
        #expect(try fixture.reportJournal().count == 1)
        #expect(Files.temporaries(below: fixture.path("out")).isEmpty)
    }

    @Test("killed at any moment a summary is told once, and nothing of it is lost")
    func summaryKills() throws {
        let fixture = try CommandFixture.reporting(0..<60)
        try fixture.shell("cp -r log whole")
        // By day, so that hardly ever a window ends meanwhile.
        let words = ["report", "--no-events", "--window", "day", "--to"]
        _ = try fixture.start(words + ["expected"]).finish()
        let expected = try Files.all(in: fixture.path("expected"))
        for delay in stride(from: UInt32(0), to: 60_000, by: 3_000) {
            try fixture.shell("rm -rf log out && cp -r whole log")
            let run = try fixture.start(words + ["out"])
            usleep(delay)
            run.send(SIGKILL)
            _ = run.finish()
            for _ in 0..<2 { _ = try fixture.start(words + ["out"]).finish() }
            #expect(try Files.all(in: fixture.path("out")) == expected, "after \(delay)")
            #expect(try fixture.reportJournal().count == 1, "after \(delay)")
            let kept = Files.names(in: fixture.path("log/reports"))
            #expect(kept == ["ledger.ndjson", "withheld.ndjson"], "after \(delay)")
        }
    }

    @Test("files that cannot take their places cost no window, and are not noted as a report")
    func blockedFiles() throws {
        let fixture = try CommandFixture.reporting(0..<60)
        try fixture.shell("mkdir -p out/summary.csv")
        for words in [["report", "--to", "out"], ["report", "--no-events", "--to", "out"]] {
            let run = try fixture.start(words).finish()
            #expect(run.status == 2)
            #expect(run.errors.contains("out/summary.csv is a folder"))
            #expect(try fixture.reportJournal().isEmpty)
        }
        #expect(Files.names(in: fixture.path("log/reports")) == ["withheld.ndjson"])
        try fixture.shell("rmdir out/summary.csv")
        #expect(try fixture.evalog("report", "--no-events", "--to", "out").status == 0)
        #expect(try fixture.summary().count == 3)
        #expect(try fixture.reportJournal().count == 1)
    }

    @Test("what stands in the place of a file that a log keeps is neither waited for nor followed")
    func places() throws {
        let fixture = try CommandFixture.reporting(0..<60)
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
        let fixture = try CommandFixture.reporting(0..<6)
        #expect(try fixture.evalog("report", "--to", "out").status == 0)
        let before = try Files.all(in: fixture.path("out"))
        try fixture.add(ReportLines.inferences(10..<100))
        // So many that of a summary's files the ledger is the largest.
        for _ in 0..<60 {
            let writer = try LogWriter(fixture.directory)
            // Later than all events, which do not wait for it then.
            _ = writer.append(Array("{}".utf8), to: .facts, eventTime: 1_600_000_000_000_000)
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
        #expect(try fixture.summary(in: "counts").count > 1)
    }
}
