// evalog demo: what a person who has just cloned the project sees.

import TestSupport
import Testing

@Suite("evalog demo") struct DemoTests {
    private static let files = [
        "datapackage.json", "durations.csv", "evaluations.csv", "impressions.csv",
        "inference_values.csv", "inferences.csv", "outcomes.csv", "quality.csv",
        "testsets.csv",
    ]

    private func tables(in folder: String) throws -> [[UInt8]] {
        try Self.files.map { try Files.bytes("\(folder)/\($0)") }
    }

    /// The lines of a stream of a demo's log. Segments' names begin with their times, so these
    /// are in the order of the day.
    private func lines(
        _ stream: String = "facts", of demo: String, in fixture: CommandFixture
    ) throws -> [String] {
        try fixture.shell("cat '\(demo)/log/\(stream)'/*.gz | zcat").lines
    }

    private func withoutIdentity(_ line: String) -> String {
        line.replacing(/"(id|time|session|evaluation)":"[^"]*"/, with: "")
    }

    @Test("leaves a log and nine files, and shows the summary and the next command, which works")
    func everything() throws {
        let fixture = CommandFixture()
        let run = try fixture.evalog("demo")
        #expect(run.status == 0)
        #expect(Files.names(in: fixture.path("evalog-demo")) == ["csv", "evalog.html", "log"])
        #expect(Files.names(in: fixture.path("evalog-demo/csv")) == Self.files)
        #expect(run.lines.first?.contains(" evaluations in ") == true)
        #expect(run.text.contains("failure rate"))
        #expect(run.text.contains("smollm2-135m-instruct"))
        let next = try #require(run.lines.last)
        #expect(next.hasPrefix("Next: "))
        let following = try fixture.shell(String(next.dropFirst("Next: ".count)))
        #expect(following.status == 0)
        #expect(following.lines.count == 5)
        let verified = try fixture.evalog("verify", "--content", "--log", "evalog-demo/log")
        #expect(verified.status == 0)
    }

    @Test("its day has every outcome, three features, all events, two systems and several errors")
    func day() throws {
        let fixture = CommandFixture()
        try fixture.evalog("demo")
        let facts = try lines(of: "evalog-demo", in: fixture)
        for part in [
            #""outcome":"completed""#, #""outcome":"skipped""#, #""outcome":"failed""#,
            #""outcome":"cancelled""#, #""reason":"ai_disabled""#, #""reason":"no_model""#,
            #""detail":"missing_model""#, #""usage":"embedded_selection""#,
            #""usage":"in_app_message_suppression""#, #""usage":"scene_text_input""#,
            #""attempts":2"#, #""type":"catalog""#, #""on_device_ai":false"#,
            #""on_device_ai":true"#, #""miss_behavior":"cancel""#, #""miss_behavior":"skip""#,
            #""miss_behavior":"penalize""#, #""status":"success","report":{"category""#,
            #""status":"failure""#, #""os":"iOS 26.1""#, #""os":"iOS 26.2""#,
        ] {
            #expect(facts.contains { $0.contains(part) }, "\(part)")
        }
        let errors = Set(facts.compactMap { $0.firstMatch(of: /"error":"([a-z_]*)"/)?.1 })
        #expect(errors.count >= 2)
        let evaluations = facts.count { $0.contains(#""type":"evaluation""#) }
        #expect((100...400).contains(evaluations))
        let table = try Files.text(fixture.path("evalog-demo/csv/impressions.csv"))
        let rows = table.split(separator: "\r\n").map { $0.split(separator: ",") }
        let column = try #require(rows.first?.firstIndex(of: "impressions"))
        let impressions = rows.dropFirst().compactMap { Int($0[column]) }.reduce(0, +)
        #expect(impressions > 0 && impressions < evaluations)
    }

    @Test("the same seed gives the same facts but for ids and times, another seed others")
    func seeds() throws {
        let fixture = CommandFixture()
        for (name, seed) in [("one", "3"), ("two", "3"), ("three", "4")] {
            try fixture.evalog("demo", "--to", name, "--seed", seed)
        }
        let days = try ["one", "two", "three"].map { name in
            (raw: try lines(of: name, in: fixture), name: name)
        }
        #expect(days[0].raw != days[1].raw)
        #expect(days[0].raw.map(withoutIdentity) == days[1].raw.map(withoutIdentity))
        #expect(days[0].raw.map(withoutIdentity) != days[2].raw.map(withoutIdentity))
    }

    @Test("--fixed-clock gives the same facts and tables to the byte", arguments: ["0", "1", "77"])
    func fixedClock(seed: String) throws {
        let fixture = CommandFixture()
        for name in ["one", "two"] {
            try fixture.evalog("demo", "--fixed-clock", "--seed", seed, "--to", name)
        }
        let facts = try lines(of: "one", in: fixture)
        #expect(try !facts.isEmpty && facts == lines(of: "two", in: fixture))
        let both = try ["one", "two"].map { try tables(in: fixture.path("\($0)/csv")) }
        #expect(both[0] == both[1])
    }

    @Test("gives the same output and tables a second time, from the log that is there")
    func twice() throws {
        let fixture = CommandFixture()
        let first = try fixture.evalog("demo", "--to", "one")
        let before = try tables(in: fixture.path("one/csv"))
        let again = try fixture.evalog("demo", "--to", "one", "--seed", "9")
        #expect(again.status == 0)
        #expect(again.errors.contains("is there already"))
        #expect(again.output == first.output)
        #expect(try tables(in: fixture.path("one/csv")) == before)
    }

    @Test("finds the sample from any folder, and says so where there is none")
    func sample() throws {
        let fixture = CommandFixture()
        let elsewhere = try RunningProgram(
            BuiltProgram.evalog, ["demo", "--to", fixture.path("out")], in: "/")
        #expect(elsewhere.finish().status == 0)
        let wrong = try fixture.evalog("demo", "--to", "other", "--sample", "nowhere")
        #expect(wrong.status == 2)
        #expect(wrong.errors.contains("there is no evaluations.ndjson in nowhere"))
        #expect(Files.names(in: fixture.path("other")).isEmpty)
    }

    @Test("finds the sample where it is installed")
    func installed() throws {
        let fixture = CommandFixture()
        let run = try fixture.shell(
            """
            mkdir -p opt/bin opt/share/evalog
            cp "$EVALOG" opt/bin/evalog
            cp -r '\(RepositoryRoot.path)/sample' opt/share/evalog/sample
            opt/bin/evalog demo
            """)
        #expect(run.status == 0)
    }

    @Test("the sample itself is 80 evaluations in 118 lines for an import")
    func imported() throws {
        let fixture = CommandFixture()
        let folder = "\(RepositoryRoot.path)/sample"
        let run = try fixture.evalog(
            "import", "\(folder)/evaluations.ndjson", "\(folder)/events.ndjson")
        #expect(run.status == 0)
        #expect(
            try fixture.evalog("replay").lines.first?.hasPrefix("80 evaluations in 118 lines")
                == true)
    }

    @Test(
        "flags that cannot go together, and addresses that are none, end with 2 before anything",
        arguments: [
            ("--model name", "--model needs a server"), ("--seed one", "--seed takes"),
            ("--model-url ftp://host/v1", "--model-url takes"),
            ("--model-url http://127.0.0.1:9/v1 --fixed-clock", "--fixed-clock cannot"),
        ])
    func refused(flags: String, complaint: String) throws {
        let fixture = CommandFixture()
        let run = try fixture.start(["demo"] + flags.split(separator: " ").map(String.init))
            .finish()
        #expect(run.status == 2)
        #expect(run.errors.contains(complaint))
        #expect(Files.names(in: fixture.folder).isEmpty)
    }

    @Test("without a server the app's day goes on, and its facts say transport")
    func unreachable() throws {
        let fixture = CommandFixture()
        // Port 9 is where nobody discards any more.
        let run = try fixture.evalog(
            "demo", "--model-url", "http://127.0.0.1:9/v1?key=CANARY", "--model", "nobody",
            environment: ["EVALOG_MODEL_KEY": "CANARY"])
        #expect(run.status == 0)
        #expect(run.errors.contains("reached no server"))
        let facts = try lines(of: "evalog-demo", in: fixture)
        #expect(facts.contains { $0.contains(#""error":"transport""#) })
        #expect(!facts.contains { $0.contains(#""outcome":"completed""#) })
        #expect(!facts.contains { $0.contains(#""type":"ai_suppressed""#) }, "scenes are shown")
        let content = try lines("content", of: "evalog-demo", in: fixture)
        #expect(!(facts + content + [run.text, run.errors]).contains { $0.contains("CANARY") })
    }
}
