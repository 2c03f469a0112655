// evalog demo: what a person who has just cloned the project sees.

import TestSupport
import Testing

@Suite("evalog demo") struct DemoTests {
    private static let files = [
        "datapackage.json", "durations.csv", "evaluations.csv", "impressions.csv",
        "inference_values.csv", "inferences.csv", "outcomes.csv", "quality.csv",
    ]

    private func tables(in folder: String) throws -> [[UInt8]] {
        try Self.files.map { try Files.bytes("\(folder)/\($0)") }
    }

    @Test("leaves a log and eight files, and shows the summary and the next command, which works")
    func everything() throws {
        let fixture = CommandFixture()
        let run = try fixture.evalog("demo")
        #expect(run.status == 0)
        #expect(Files.names(in: fixture.path("evalog-demo")) == ["csv", "log"])
        #expect(Files.names(in: fixture.path("evalog-demo/csv")) == Self.files)
        #expect(run.lines.first?.hasPrefix("80 evaluations in 118 lines") == true)
        #expect(run.text.contains("failure rate"))
        #expect(run.text.contains("smollm2-135m-instruct"))
        let next = try #require(run.lines.last)
        #expect(next.hasPrefix("Next: evalog "))
        let words = next.split(separator: " ").dropFirst(2).map(String.init)
        let following = try fixture.start(words).finish()
        #expect(following.status == 0)
        #expect(following.lines.count == 5)
    }

    @Test("gives the same tables a second time, from the log that is there and from a new one")
    func twice() throws {
        let fixture = CommandFixture()
        let first = try fixture.evalog("demo", "--to", "one")
        let before = try tables(in: fixture.path("one/csv"))
        let again = try fixture.evalog("demo", "--to", "one")
        #expect(again.status == 0)
        #expect(again.errors.contains("is there already"))
        #expect(again.output == first.output)
        #expect(try tables(in: fixture.path("one/csv")) == before)
        try fixture.evalog("demo", "--to", "two")
        #expect(try tables(in: fixture.path("two/csv")) == before)
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
}
