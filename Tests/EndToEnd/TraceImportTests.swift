// evalog import --format: traces of other tools become facts, and content where it is asked for.

import Foundation
import TestSupport
import Testing

@Suite("Traces of other tools") struct TraceImportTests {
    private static let otlp =
        #"{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"t","spanId":"a","startTimeUnixNano":"1796016742886787783","#
        + #""endTimeUnixNano":"1796016744005867711","attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"chat"}},"#
        + #"{"key":"gen_ai.usage.input_tokens","value":{"intValue":"9"}},"#
        + #"{"key":"gen_ai.input.messages","value":{"stringValue":"[{\"role\":\"user\",\"content\":\"my secret\"}]"}}]}]}]}]}"#

    @Test(
        "facts have no text of them, importing again adds nothing, and what has no place is named")
    func otlp() throws {
        let fixture = CommandFixture()
        try Files.write(Self.otlp + "\n", to: fixture.path("traces"))
        let run = try fixture.evalog("import", "--format", "otlp", "--content", "all", "traces")
        #expect(run.status == 0)
        #expect(run.errors.contains("traces: 1 evaluation, 0 events, content of 1"))
        #expect(
            run.errors.contains("left out: attributes without a place: 1 gen_ai.usage.input_tokens")
        )
        try fixture.evalog("import", "--format", "otlp", "traces")
        let lines = try fixture.factLines()
        #expect(lines.count == 2 && lines[0] == lines[1])
        #expect(lines[0].contains("\"duration_us\":1119080") && !lines[0].contains("secret"))
        #expect(try fixture.text(of: "content").contains("my secret"))
    }

    @Test("a file cut in the middle: what stands before the cut is imported, the cut named")
    func cut() throws {
        let fixture = CommandFixture()
        try Files.write(Self.otlp + "\n" + Self.otlp.prefix(200), to: fixture.path("traces"))
        let run = try fixture.evalog("import", "--format", "otlp", "traces")
        #expect(run.status == 1)
        #expect(run.errors.contains("traces:2: not JSON: "))
        #expect(run.errors.contains("traces: 1 evaluation, 0 events, 1 line refused"))
        #expect(!run.errors.contains("secret"))
        let strict = try fixture.evalog(
            "import", "--strict", "--log", "other", "--format", "otlp", "traces")
        #expect(strict.status == 1 && Files.names(in: fixture.path("other")).isEmpty)
    }

    @Test("a format that nobody knows, and lines of another one")
    func unknown() throws {
        let fixture = CommandFixture()
        try Files.write(Self.otlp, to: fixture.path("traces"))
        let unknown = try fixture.evalog("import", "--format", "zipkin", "traces")
        #expect(unknown.status == 2 && unknown.errors.contains("it knows otlp, langfuse"))
        let other = try fixture.evalog("import", "--format", "langfuse", "traces")
        #expect(other.status == 1 && other.errors.contains("traces:1: no trace of langfuse"))
    }

    /// Recordings beside the repository, which are not a part of it.
    @Test("the recorded traces of OpenTelemetry's instrumentation and of Langfuse")
    func recorded() throws {
        let folder = "\(RepositoryRoot.path)/../shared/data"
        guard !Files.names(in: folder).isEmpty else {
            print("skipped: no recorded traces beside the repository")
            return
        }
        let fixture = CommandFixture()
        let otlp = try fixture.evalog(
            "import", "--format", "otlp", "--content", "all", "\(folder)/otlp-genai-traces.ndjson")
        #expect(otlp.status == 0 && otlp.errors.contains("19 evaluations, 0 events, content of 19"))
        let facts = try fixture.factLines()
        func count(_ text: String) -> Int { facts.count { $0.contains(text) } }
        #expect(count(#""usage":"chat""#) == 1 && count(#""usage":"embedded_banner_ranking""#) == 4)
        for error in ["context_overflow", "client_error", "timeout", "truncated"] {
            #expect(count(#""error":"\#(error)""#) == 1, "\(error)")
        }
        let langfuse = try fixture.evalog(
            "import", "--log", "other", "--format", "langfuse",
            "\(folder)/langfuse-traces.ndjson")
        #expect(langfuse.status == 0 && langfuse.errors.contains("17 evaluations, 0 events"))
        #expect(langfuse.errors.contains("3 generations inside of another one"))
    }
}
