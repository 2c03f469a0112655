// evalog testset compare: what it refuses to compare, and what it says cannot be told.

import TestSupport
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("evalog testset compare", .timeLimit(.minutes(10))) struct TestCompareTests {
    private func fixture() throws -> CommandFixture {
        let fixture = CommandFixture()
        try TestSetFiles.write(to: fixture)
        try Files.write(
            TestSetFiles.answers(model: "other", wrong: [3, 4]), to: fixture.path("other"))
        return fixture
    }

    private func finish(_ fixture: CommandFixture, _ words: String) throws -> Finished {
        try fixture.start(["testset"] + words.split(separator: " ").map(String.init)).finish()
    }

    /// Runs `cases` with good answers and what `change` makes of them with other ones.
    private func runBoth(_ fixture: CommandFixture, _ change: (String) -> String) throws {
        #expect(try finish(fixture, "run cases -q --recorded answers").status == 0)
        try Files.write(change(TestSetFiles.cases), to: fixture.path("cases"))
        #expect(try finish(fixture, "run cases -q --recorded other").status == 0)
    }

    private let comparison = "compare --baseline good --candidate other"

    @Test("a run that lacks cases of the other is not compared, unless that is asked for")
    func missing() throws {
        let fixture = try fixture()
        try runBoth(fixture) { cases in
            cases.split(separator: "\n").prefix(22).joined(separator: "\n")
        }
        for words in ["", " --json"] {
            let refused = try finish(fixture, comparison + words)
            #expect(refused.status == 2 && refused.output.isEmpty)
            #expect(
                refused.errors.contains("2 cases of the baseline only: c22 c23"),
                "\(refused.errors)")
        }
        let other = try finish(fixture, "compare --baseline other --candidate good")
        #expect(other.status == 2 && other.errors.contains("2 cases of the candidate only"))
        let partial = try finish(fixture, comparison + " --partial")
        #expect(partial.status == 0 && partial.text.hasPrefix("no case came out differently"))
        #expect(partial.text.contains("not compared: 2 cases of the baseline only"))
        #expect(partial.errors.contains("2 cases of the baseline only: c22 c23"))
        let json = try finish(fixture, comparison + " --partial --json")
        #expect(json.text.contains(#""only_baseline":2,"only_candidate":0"#))
    }

    @Test("lost cases are a loss though others are missing")
    func missingAndLost() throws {
        let fixture = try fixture()
        try Files.write(
            TestSetFiles.answers(model: "other", wrong: Set(3..<15)), to: fixture.path("other"))
        try runBoth(fixture) { cases in
            cases.split(separator: "\n").prefix(22).joined(separator: "\n")
        }
        #expect(try finish(fixture, comparison).status == 2)
        #expect(try finish(fixture, comparison + " --partial").status == 1)
    }

    @Test("runs of different bytes of a file are told apart")
    func versions() throws {
        let fixture = try fixture()
        try runBoth(fixture) { $0.replacing("Pick the team.", with: "Pick a team.") }
        let refused = try finish(fixture, comparison)
        #expect(refused.status == 2 && refused.output.isEmpty)
        #expect(refused.errors.contains("the file was another ("), "\(refused.errors)")
        let partial = try finish(fixture, comparison + " --partial")
        #expect(partial.status == 0 && partial.errors.contains("the file was another ("))
        #expect(!partial.text.contains("not compared"))
        let digests = try fixture.factLines().compactMap { line in
            line.firstRange(of: "\"suite_digest\":").map { line[$0.upperBound...].prefix(18) }
        }
        #expect(digests.count == 48 && Set(digests).count == 2)
    }

    @Test("the same file has the same digest in logs with different keys")
    func merged() throws {
        let (fixture, other) = (try fixture(), try fixture())
        #expect(try finish(fixture, "run cases -q --recorded answers").status == 0)
        #expect(try finish(other, "run cases -q --recorded other").status == 0)
        #expect(
            try fixture.evalog("import", "-q", other.log).status == 0)
        let compared = try finish(fixture, comparison)
        #expect(compared.status == 0 && compared.errors.isEmpty, "\(compared.errors)")
    }

    @Test("a run that was left in the middle is not compared", arguments: [1, 2])
    func unfinished(repeats: Int) throws {
        let fixture = try fixture()
        let words = " --repeat \(repeats)"
        #expect(try finish(fixture, "run cases -q --recorded answers" + words).status == 0)
        try Files.write(
            TestSetFiles.answers(model: "other", seconds: 0.1), to: fixture.path("other"))
        let running = try fixture.start(
            ["testset", "run", "cases", "--recorded", "other", "--repeat", "\(repeats)"])
        // In the second repetition each case has a result.
        let done = TestSetFiles.caseCount * repeats
        #expect(
            try fixture.results(
                of: running, reach: done + TestSetFiles.caseCount * (repeats - 1) + 2))
        running.send(SIGINT)
        #expect(running.finish().status == -SIGINT)
        let refused = try finish(fixture, comparison)
        #expect(refused.status == 2, "\(refused.text)")
        #expect(
            refused.errors.contains(
                repeats == 1 ? "of the baseline only" : "the candidate was not finished"),
            "\(refused.errors)")
        #expect(try finish(fixture, comparison + " --partial").status == 0)
    }

    @Test("a run against itself is said to be one")
    func itself() throws {
        let fixture = try fixture()
        try runBoth(fixture) { $0 }
        let same = try finish(fixture, "compare --baseline good --candidate good")
        #expect(same.status == 0 && same.errors.contains("are the same run"))
        let two = try finish(fixture, comparison)
        #expect(two.status == 0 && two.errors.isEmpty)
    }

    @Test("where all could be lost without being told from chance, that is said")
    func tooFew() throws {
        let fixture = try fixture()
        let few = { (cases: String) in
            cases.split(separator: "\n").prefix(5).joined(separator: "\n")
        }
        try Files.write(few(TestSetFiles.cases), to: fixture.path("cases"))
        try Files.write(
            TestSetFiles.answers(model: "other", wrong: Set(0..<5)), to: fixture.path("other"))
        try runBoth(fixture, few)
        let compared = try finish(fixture, comparison)
        #expect(compared.status == 0)
        #expect(
            compared.text.hasPrefix(
                "not worse by more than chance, but there are too few cases to tell"))
        // Two of the five failed before.
        #expect(
            compared.text.contains(
                "too few cases to tell in sort_mail: if all that passed were lost (3), p would be 0.2500"
            ), "\(compared.text)")
        let json = try finish(fixture, comparison + " --json")
        #expect(json.text.contains(#""too_few":true"#) && json.text.contains(#""least_p":0.25"#))
        #expect(
            try finish(fixture, comparison + " --level 0.3").text.hasPrefix(
                "worse by more than chance"))
    }
}
