// evalog testset: from a file of cases to results, tables and comparisons.

import EvalogText
import TestSupport
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("evalog testset") struct TestSetTests {
    private func fixture() throws -> CommandFixture {
        let fixture = CommandFixture()
        try TestSetFiles.write(to: fixture)
        return fixture
    }

    private func run(_ fixture: CommandFixture, _ words: String) throws -> Finished {
        try fixture.start(
            ["testset", "run", "cases"] + words.split(separator: " ").map(String.init)
        ).finish()
    }

    /// The cells of the exported table, by row.
    private func table(_ fixture: CommandFixture, _ words: String...) throws -> [[String: String]] {
        let folder = fixture.path("csv-\(UInt64.random(in: .min ... .max))")
        #expect(try fixture.start(["export", "-q", "--to", folder] + words).finish().status == 0)
        let lines = try Files.text("\(folder)/testsets.csv").split(separator: "\r\n")
        let header = lines[0].split(separator: ",").map(String.init)
        return lines.dropFirst().map { line in
            let cells = line.split(separator: ",", omittingEmptySubsequences: false)
            return Dictionary(uniqueKeysWithValues: zip(header, cells.map(String.init)))
        }
    }

    /// All that does not depend on when it ran.
    private func counts(_ row: [String: String]) -> [String: String] {
        row.filter { !["started", "run"].contains($0.key) && !$0.key.contains("_ms") }
    }

    @Test("a run judges every case, and the table is that of the export")
    func whole() throws {
        let fixture = try fixture()
        let shown = try run(fixture, "--recorded answers")
        #expect(shown.status == 0, "\(shown.errors)")
        #expect(shown.text.contains("91.67 %  74.15 % – 97.68 %"))
        #expect(shown.text.contains("different 2"))
        #expect(shown.errors.contains("of one device"))
        let rows = try table(fixture)
        #expect(rows.count == 1)
        let expected = [
            "suite": "cases", "task": "sort_mail", "model": "good", "cases": "24", "passing": "22",
            "pass_rate": "0.916667", "pass_rate_low": "0.741512", "pass_rate_high": "0.976841",
            "suite_digest": String(SHA256.text(of: Array(TestSetFiles.cases.utf8)).prefix(16)),
            "flaky": "0", "results": "24", "passed": "22", "failed": "2", "errors": "0",
            "failed_different": "2", "failed_invalid": "0", "duration_count": "24",
        ]
        for (name, cell) in expected { #expect(rows.first?[name] == cell, "\(name)") }
        #expect(try table(fixture, "--model", "other").isEmpty)
        #expect(try table(fixture, "--model", "good", "--usage", "testset").count == 1)
        #expect(try table(fixture, "--until", "2020-01-01").isEmpty)
    }

    @Test("what was expected and what came are in the content only, where a person finds them")
    func confidential() throws {
        let fixture = try fixture()
        let shown = try run(fixture, "--recorded answers --json")
        let facts = try fixture.factLines()
        #expect(facts.count { $0.contains("\"test_result\"") } == TestSetFiles.caseCount)
        #expect(!facts.contains { $0.contains(TestSetFiles.marker) })
        #expect(!shown.text.contains(TestSetFiles.marker))
        #expect(!shown.errors.contains(TestSetFiles.marker))
        let revealed = try fixture.evalog(
            "tail", "--type", "test_result", "--case", "c3", "--reveal")
        #expect(revealed.text.contains("finding       team is \"sales\", expected \"support\""))
        #expect(revealed.text.contains("expected      {\"team\":\"support\""))
        #expect(revealed.text.contains("output        {\"team\":\"sales\""))
        #expect(try fixture.evalog("verify", "--content").status == 0)
    }

    @Test("without content nothing of it is kept")
    func withoutContent() throws {
        let fixture = try fixture()
        #expect(try run(fixture, "--recorded answers --content off").status == 0)
        let revealed = try fixture.evalog("tail", "--type", "test_result", "-n", "99", "--reveal")
        #expect(!revealed.text.contains("finding"))
    }

    @Test("a case that is asked several times passes more often than not, or is flaky")
    func repetitions() throws {
        let fixture = try fixture()
        // The recording of c0 alternates, so its three answers are of both kinds.
        let flaky = TestSetFiles.answers(model: "good", wrong: [0])
        try Files.write(TestSetFiles.answers(model: "good") + flaky, to: fixture.path("answers"))
        #expect(try run(fixture, "--recorded answers --repeat 20").status == 0)
        let row = try #require(try table(fixture).first)
        #expect(row["cases"] == "24" && row["results"] == "480" && row["flaky"] == "1")
        #expect(row["duration_count"] == "480")
    }

    @Test("what is complete is run anew, with results of its own")
    func again() throws {
        let fixture = try fixture()
        for count in 1...3 {
            #expect(try run(fixture, "--recorded answers -q").status == 0)
            let rows = try table(fixture)
            #expect(rows.count == count && Set(rows.compactMap { $0["run"] }).count == count)
        }
    }

    @Test(
        "an interrupted or killed run goes on where it stopped and gives the same table",
        arguments: [1, 5], [SIGINT, SIGKILL])
    func resumes(parallel: Int, signal: Int32) throws {
        let fixture = try fixture()
        try Files.write(
            TestSetFiles.answers(model: "good", wrong: [3, 4], seconds: 0.1 * Double(parallel)),
            to: fixture.path("answers"))
        let words = [
            "testset", "run", "cases", "--recorded", "answers", "--parallel", "\(parallel)",
        ]
        let running = try fixture.start(words)
        #expect(try fixture.results(of: running, reach: 2))
        running.send(signal)
        let ended = running.finish()
        #expect(ended.status == -signal && ended.output.isEmpty, "\(ended.errors)")
        #expect(try fixture.evalog("verify", "--content").status == 0)
        let judged = try fixture.factLines().count { $0.contains("test_result") }
        #expect(judged < TestSetFiles.caseCount)
        let second = try fixture.start(words).finish()
        #expect(second.status == 0, "\(second.errors)")
        #expect(second.errors.contains("\(judged) of 24 were done"))
        let other = try self.fixture()
        #expect(try run(other, "--recorded answers -q").status == 0)
        let (rows, expected) = (try table(fixture), try table(other))
        #expect(rows.map(counts) == expected.map(counts))
    }

    @Test("without a server nothing is judged, and the next run with one is whole")
    func unreachable() throws {
        let fixture = try fixture()
        let failed = try run(fixture, "--model-url http://127.0.0.1:1/v1 --model good")
        #expect(failed.status == 2 && failed.output.isEmpty)
        #expect(
            failed.errors.contains("the model cannot be reached; 24 of 24 are still to be asked"))
        #expect(try table(fixture).isEmpty)
        #expect(try run(fixture, "--recorded answers -q").status == 0)
        #expect(try table(fixture).count == 1)
    }

    @Test(
        "a file that is no test set is refused, and nothing is written",
        arguments: [
            ("", "there is no case in it"), ("{}", "line 1: id is missing"),
            (
                TestSetFiles.cases + TestSetFiles.cases,
                "line 25: the id c0 stands in line 1 already"
            ),
            (
                TestSetFiles.cases.replacing("\"exact\"", with: "\"equal\""),
                "line 1 (c0): rule is none of exact"
            ),
            (
                TestSetFiles.cases.replacing("{\"team\":\"sales\"", with: "{\"team\":\"boss\""),
                "line 1 (c0): field 1 of expected is outside the schema"
            ),
        ])
    func badFile(text: String, words: String) throws {
        let fixture = try fixture()
        try Files.write(text, to: fixture.path("cases"))
        let refused = try run(fixture, "--recorded answers")
        #expect(refused.status == 2 && refused.output.isEmpty)
        #expect(refused.errors.contains("cases is no test set: \(words)"), "\(refused.errors)")
        #expect(!refused.errors.contains(TestSetFiles.marker))
        #expect(Files.names(in: fixture.folder).sorted() == ["answers", "cases"])
    }

    @Test(
        "a command line that cannot be is refused",
        arguments: [
            "testset", "testset walk", "testset run", "testset run cases",
            "testset run cases --recorded answers --model-url http://127.0.0.1:1/v1",
            "testset run cases --model-url ftp://x", "testset run cases --recorded absent",
            "testset run absent --recorded answers",
            "testset run cases --recorded answers --repeat 0",
            "testset run cases --recorded answers --parallel 17",
            "testset run cases --recorded answers --baseline a", "testset compare --baseline a",
            "testset compare --baseline good --candidate absent",
            "testset compare --baseline good --candidate good --level 0",
            "testset compare cases --baseline good --candidate good",
            "testset list --repeat 2", "testset list --suite a/b",
            "testset run cases --recorded answers --suite a/b",
        ])
    func badLine(line: String) throws {
        let fixture = try fixture()
        #expect(try run(fixture, "--recorded answers -q").status == 0)
        let before = try fixture.factLines()
        let refused = try fixture.start(line.split(separator: " ").map(String.init)).finish()
        #expect(refused.status == 2 && refused.output.isEmpty)
        #expect(refused.errors.hasPrefix("evalog: "))
        #expect(try fixture.factLines() == before)
    }

    @Test(
        "compare ends with 1 on a loss, names the cases, and says nothing of a run against itself")
    func compares() throws {
        let fixture = try fixture()
        try Files.write(
            TestSetFiles.answers(model: "worse", wrong: Set(3..<15), seconds: 0.005),
            to: fixture.path("other"))
        #expect(try run(fixture, "--recorded answers -q").status == 0)
        #expect(try run(fixture, "--recorded other -q").status == 0)
        func compare(_ words: String) throws -> Finished {
            try fixture.start(
                ["testset", "compare"] + words.split(separator: " ").map(String.init)
            ).finish()
        }
        let lost = try compare("--baseline good --candidate worse")
        #expect(lost.status == 1)
        #expect(lost.text.hasPrefix("worse by more than chance: sort_mail (p 0.0020)"))
        #expect(
            lost.text.contains("newly failing in sort_mail: c10 c11 c12 c13 c14 c5 c6 c7 c8 c9"))
        #expect(try compare("--baseline good --candidate worse --level 0.001").status == 0)
        let won = try compare("--baseline worse --candidate good --json")
        #expect(won.status == 0 && won.text.contains("\"lost\":0,\"won\":10,\"p\":0.00195"))
        let same = try compare("--baseline good --candidate good")
        #expect(same.status == 0 && same.text.hasPrefix("no case came out differently"))
        let runs = try table(fixture).compactMap { $0["run"] }
        let byID = try compare("--baseline \(runs[0].prefix(8)) --candidate \(runs[1])")
        #expect(byID.status == 1 && byID.text == lost.text)
    }

    @Test("list shows all runs, or those of one suite")
    func lists() throws {
        let fixture = try fixture()
        #expect(try run(fixture, "--recorded answers -q --suite mail").status == 0)
        #expect(try run(fixture, "--recorded answers -q").status == 0)
        #expect(try fixture.evalog("testset", "list").lines.count == 3)
        let mail = try fixture.evalog("testset", "list", "--suite", "mail", "--json")
        #expect(mail.lines.count == 1 && mail.text.contains("\"suite\":\"mail\""))
        #expect(try fixture.evalog("testset", "list", "--suite", "none").output.isEmpty)
    }

    @Test("runs of tests break no check of the app's usages, and have rows of their own")
    func traffic() throws {
        let fixture = try fixture()
        try Files.write(
            (0..<TestSetFiles.caseCount).map {
                #"{"usage":"any","subject":"c\#($0)","outcome":"failed","error_class":"refused"}"#
                    + "\n"
            }.joined(), to: fixture.path("answers"))
        try Files.write(
            #"{"usage":"mood","request":{"instructions":"a"},"outcome":"completed","duration":0.1}"#,
            to: fixture.path("records"))
        try fixture.evalog("import", "records")
        #expect(try run(fixture, "--recorded answers -q").status == 0)
        func check(_ words: String...) throws -> Int32 {
            try fixture.start(["check", "-q", "--max-failure-rate", "0.5"] + words).finish().status
        }
        #expect(try check() == 1)
        #expect(try check("--usage", "mood") == 0)
        #expect(try check("--usage", "testset") == 1)
        let folder = fixture.path("usages")
        #expect(try fixture.start(["export", "-q", "--to", folder]).finish().status == 0)
        let rows = try Files.text("\(folder)/evaluations.csv").split(separator: "\r\n").dropFirst()
        #expect(rows.count { $0.contains(",mood,") } == 1)
        #expect(rows.allSatisfy { $0.contains(",mood,") != $0.contains(",testset,") })
    }

    @Test("a run of too many results is refused before anything is written")
    func tooMany() throws {
        let fixture = try fixture()
        let line = try #require(TestSetFiles.cases.split(separator: "\n").first)
        try Files.write(
            (0..<101).map { line.replacing("\"c0\"", with: "\"c\($0)\"") + "\n" }.joined(),
            to: fixture.path("cases"))
        let refused = try run(fixture, "--recorded answers --repeat 1000")
        #expect(refused.status == 2 && refused.output.isEmpty)
        #expect(
            refused.errors.contains("101 cases × 1,000 are more than the 100,000"),
            "\(refused.errors)")
        #expect(Files.names(in: fixture.folder).sorted() == ["answers", "cases"])
    }

    @Test("erasing a run takes its results with it")
    func erases() throws {
        let fixture = try fixture()
        #expect(try run(fixture, "--recorded answers -q").status == 0)
        let run = try #require(try table(fixture).first?["run"])
        #expect(try fixture.evalog("erase", "-q", "--session", run, "--facts").status == 0)
        #expect(try table(fixture).isEmpty)
    }
}
