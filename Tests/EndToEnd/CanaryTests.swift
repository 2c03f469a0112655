// Markers planted wherever something confidential can stand, and looked for wherever evalog writes.

import AirshipCore
import EvalogLog
import Foundation
import TestSupport
import Testing

@testable import Commands

@Suite("What is confidential") struct CanaryTests {
    private static let mark = Planted.mark
    /// Kept in content, and nowhere else.
    private static let kept = ["instructions", "schema", "context", "output"]

    /// The demonstration's day with a marker in every text.
    private static var material: DayMaterial {
        func marked(_ text: String, _ kind: String) -> String { "\(text) \(mark)-\(kind)" }
        func marked(_ item: AirshipAI.Context.Item) -> AirshipAI.Context.Item {
            .init(content: marked(item.content, "context"), priority: item.priority)
        }
        var material = DayMaterial.demonstration
        for index in material.scenes.indices {
            material.scenes[index].condition = material.scenes[index].condition.map {
                marked($0, "instructions")
            }
        }
        material.banners = material.banners.mapValues { $0.map { marked($0, "banner") } }
        material.bannerNote = marked(material.bannerNote)
        material.rankingPrompt = marked(material.rankingPrompt, "instructions")
        material.fields = material.fields.mapValues { field in
            .init(
                prompt: marked(field.prompt, "instructions"), schema: schema,
                texts: field.texts.map { marked($0, "text") })
        }
        material.user = material.user.map(marked)
        material.history = marked(material.history)
        return material
    }

    /// Its free text is opted in, and may not be reported all the same.
    private static var schema: AirshipJSONSchema {
        let optedIn: [String: AirshipJSON] = ["x-ua-report-property": true]
        return .object(
            description: "\(mark)-schema",
            properties: [
                "summary": .string(description: "\(mark)-schema", extensions: optedIn),
                "urgent": .boolean(description: "\(mark)-schema", extensions: optedIn),
            ],
            required: ["summary", "urgent"], extensions: optedIn)
    }

    /// A recording of which each answer and each error has a marker.
    private static var recording: String {
        let answers = [
            "in_app_message_suppression": #"{"reason":"CANARY-output","allow":true}"#,
            "embedded_selection": #"{"reason":"CANARY-output","scores":[{"id":"x","score":7}]}"#,
            "scene_text_input": #"{"summary":"CANARY-output","urgent":true}"#,
        ]
        let endings = [
            #""outcome":"failed","error":"CANARY-error","error_class":"truncated""#,
            #""outcome":"failed","error":"CANARY-error","error_class":"schema_mismatch""#,
            #""outcome":"failed","error":"CANARY-error""#,
        ]
        return answers.flatMap { usage, output in
            (endings + [#""outcome":"completed","output":"# + output]).map { ending in
                #"{"usage":"\#(usage)","model":"m","duration":0.2,"attempts":1,"#
                    + "\(ending)}\n"
            }
        }.joined().replacing("CANARY", with: mark)
    }

    /// What evalog says and writes of a demo's log, content left out.
    private func everything(of demo: String, in fixture: CommandFixture) throws -> String {
        var shown = ""
        for words in [
            ["tail", "-n", "1000"], ["tail", "--json", "-n", "1000"],
            ["tail", "--color", "always"], ["replay"], ["replay", "--json"], ["verify"],
            ["verify", "--content"], ["status"], ["status", "--json"],
            ["export", "--to", "exported"], ["report", "--to", "reported"],
            ["report", "--draft-catalog"], ["report", "--to", "counted", "--no-events"],
        ] {
            let run = try fixture.start(words + ["--log", "\(demo)/log"]).finish()
            #expect(run.status == 0, "\(words)")
            shown += run.text + run.errors
        }
        shown += try fixture.shell(
            """
            cat '\(demo)/log/facts'/*.gz | zcat
            cat exported/* reported/* counted/* '\(demo)/log/reports'/*
            find .
            """
        ).text
        return shown
    }

    private func content(of demo: String, in fixture: CommandFixture) throws -> String {
        try fixture.shell("cat '\(demo)/log/content'/*.gz | zcat").text
    }

    /// Whether it was done. A command waits for tasks, so it must not have one of the few threads that run tasks.
    private func ran(_ demo: DemoCommand) async throws -> Bool {
        try await withCheckedThrowingContinuation { ended in
            Thread.detachNewThread { ended.resume(with: Result { try demo.run() == .done }) }
        }
    }

    @Test("stands in content and nowhere else after a day of all features", arguments: [1, 2])
    func demo(seed: Int) async throws {
        let fixture = CommandFixture()
        let out = fixture.path("demo")
        try fixture.shell("mkdir sample")
        try Files.write(Self.recording, to: fixture.path("sample/evaluations.ndjson"))
        let said = try Said(in: fixture)
        let arguments = try Arguments(
            ["--to", out, "--seed", "\(seed)", "--sample", fixture.path("sample")], for: .demo)
        let demo = try DemoCommand(arguments, said.console, material: Self.material)
        #expect(try await ran(demo))
        try fixture.shell("rm -r sample")

        let shown = try said.text() + everything(of: "demo", in: fixture)
        #expect(shown.contains("form_inference") && shown.contains("evaluations in"))
        #expect(!shown.contains(Self.mark))
        #expect(try !fixture.shell("cat demo/csv/*").text.contains(Self.mark))
        let content = try content(of: "demo", in: fixture)
        for kind in Self.kept { #expect(content.contains("\(Self.mark)-\(kind)"), "\(kind)") }
        for kind in ["banner", "text", "error"] {
            #expect(!content.contains("\(Self.mark)-\(kind)"), "\(kind)")
        }
    }

    @Test("what a server says, and a key, stand nowhere at all")
    func server() async throws {
        let fixture = CommandFixture()
        let stub = try RunningProgram(
            "/usr/bin/env", ["python3", "-uc", Self.stub.replacing("CANARY", with: Self.mark)],
            in: fixture.folder)
        let port = try #require(stub.nextLine().map { String(decoding: $0, as: UTF8.self) })
        let url = try #require(URL(string: "http://127.0.0.1:\(port)/v1?key=\(Self.mark)-query"))
        let parts = DayParts(
            directory: LogDirectory(path: fixture.path("demo/log")),
            time: VirtualTime(midnight: 1_795_824_000_000_000),
            models: LiveModels(baseURL: url, name: "m", key: "\(Self.mark)-key"),
            material: Self.material, seed: 1, random: { .random(in: .min ... .max) },
            recorderRandom: { .random(in: .min ... .max) })
        try fixture.shell("mkdir demo")
        // Nothing is overtaken: a live model does not think in virtual time.
        let rows = DayScript.rows.filter { row in
            switch row.moment {
            case .overtakenBanners, .overtakenTexts: false
            default: true
            }
        }
        let played = await AppDay(parts, showProgress: { _, _ in }).play(rows)
        #expect(played.isWritten && played.evaluationCount > 100)
        #expect(stub.nextLine().map { String(decoding: $0, as: UTF8.self) } == "asked with all")

        let shown = try everything(of: "demo", in: fixture)
        for error in ["bad_response", "server_error", "auth", "truncated", "client_error"] {
            #expect(shown.contains(#""error":"\#(error)""#), "\(error)")
        }
        #expect(!shown.contains(Self.mark))
        let content = try content(of: "demo", in: fixture)
        #expect(content.contains("\(Self.mark)-context"))
        for kind in ["body", "key", "query", "text", "banner"] {
            #expect(!content.contains("\(Self.mark)-\(kind)"), "\(kind)")
        }
    }

    /// Says its port, then once that a question came with key, query, context and text.
    private static let stub = """
        import http.server, itertools, json

        def answer(text, reason="stop"):
            choice = {"message": {"content": text}, "finish_reason": reason}
            return json.dumps({"choices": [choice]})

        error = json.dumps({"error": {"message": "CANARY-body", "type": "CANARY-body"}})
        replies = itertools.cycle([
            (400, error), (401, "CANARY-body"), (500, error), (200, "CANARY-body"),
            (200, answer("CANARY-body")), (200, answer('{"CANARY-body": 1}')),
            (200, answer("CANARY-body", "length")), (200, error)])
        said = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *words): pass

            def do_POST(self):
                asked = self.rfile.read(int(self.headers["Content-Length"])).decode()
                asked += self.path + self.headers["Authorization"]
                kinds = ["key", "query", "context", "text", "instructions", "schema"]
                if not said and all("CANARY-" + kind in asked for kind in kinds):
                    said.append(True)
                    print("asked with all", flush=True)
                status, body = next(replies)
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.send_header("X-CANARY-body", "CANARY-body")
                self.end_headers()
                self.wfile.write(body.encode())

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        print(server.server_port, flush=True)
        server.serve_forever()
        """
}

/// What a command says that runs in this process.
private struct Said {
    let console: Console
    private let path: String

    init(in fixture: CommandFixture) throws {
        path = fixture.path("said")
        let file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        try #require(file >= 0)
        console = Console(
            output: Output(descriptor: file, name: "the output"),
            errors: Output(descriptor: file, name: "the errors"), environment: [:],
            now: { SystemClock().wallTime() })
    }

    func text() throws -> String {
        try console.output.flush()
        close(console.output.descriptor)
        return try Files.text(path)
    }
}
