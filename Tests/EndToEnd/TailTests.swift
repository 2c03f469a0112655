// evalog tail: the newest lines as they are, filtered, and in a form that steers no terminal.

import EvalogLog
import Foundation
import TestSupport
import Testing

@Suite("evalog tail") struct TailTests {
    private func log(_ numbers: Range<Int>) throws -> CommandFixture {
        let fixture = CommandFixture()
        try Files.write(Records.text(numbers), to: fixture.path("records"))
        try fixture.evalog("import", "records")
        return fixture
    }

    @Test("--json gives the stored lines, byte for byte and in order")
    func json() throws {
        let fixture = try log(0..<60)
        let stored = try fixture.text(of: "facts")
        #expect(stored.split(separator: "\n").count == 60)
        #expect(try fixture.evalog("tail", "--json", "-n", "60").text == stored)
        #expect(try fixture.evalog("tail", "--json", "-n", "1000").text == stored)
        let last = stored.split(separator: "\n").suffix(7).map(String.init)
        #expect(try fixture.evalog("tail", "--json", "-n7").lines == last)
        #expect(try fixture.evalog("tail", "--json", "--lines=0").output.isEmpty)
    }

    @Test("shows ten lines unless told otherwise")
    func count() throws {
        #expect(try log(0..<60).evalog("tail").lines.count == 10)
        #expect(try log(0..<3).evalog("tail").lines.count == 3)
    }

    @Test(
        "filters choose what counts as a line",
        arguments: [
            (["--outcome", "failed"], #""outcome":"failed""#),
            (["--usage", "scene_text_input"], #""usage":"scene_text_input""#),
            (["--model", "model-1"], #""model":"model-1""#),
            (["--os", "iOS 26.2"], #""os":"iOS 26.2""#),
            (
                ["--since", "2026-11-29T03:00:00Z", "--until", "2026-11-29T04:00:00Z"],
                #""time":"2026-11-29T03:"#
            ),
        ])
    func filters(words: [String], needle: String) throws {
        let fixture = try log(0..<60)
        let expected = try fixture.text(of: "facts").split(separator: "\n").map(String.init)
            .filter { $0.contains(needle) }
        #expect(expected.count > 3)
        #expect(
            try fixture.start(["tail", "--json", "-n", "1000"] + words).finish().lines == expected)
        let last = try fixture.start(["tail", "--json", "-n", "2"] + words).finish().lines
        #expect(last == expected.suffix(2))
    }

    @Test("with --since shows all lines since then, and with -n the newest of them")
    func since() throws {
        let fixture = try log(0..<60)
        let stored = try fixture.text(of: "facts").split(separator: "\n").map(String.init)
        let all = try fixture.evalog("tail", "--json", "--since", "2026-11-29T03:30:00Z")
        #expect(all.lines == stored.suffix(30))
        let last = try fixture.evalog(
            "tail", "--json", "--since", "2026-11-29T03:30:00Z", "-n", "4")
        #expect(last.lines == stored.suffix(4))
        let failed = try fixture.evalog(
            "tail", "--json", "--since", "2026-11-29T03:30:00Z", "-n", "2", "--outcome", "failed")
        #expect(failed.lines == stored.filter { $0.contains("failed") }.suffix(2))
        let none = try fixture.evalog("tail", "--json", "--since", "1us")
        #expect(none.status == 0 && none.output.isEmpty)
    }

    @Test("lines for people stand in columns from the first one on")
    func columns() throws {
        let fixture = CommandFixture()
        let sample = "\(RepositoryRoot.path)/sample"
        try fixture.evalog("import", "\(sample)/evaluations.ndjson", "\(sample)/events.ndjson")
        let lines = try fixture.evalog("tail", "-n", "500", "--type", "evaluation").lines
        for name in ["scene_text_input", "embedded_selection", "in_app_message_suppression"] {
            let starts = Set(
                lines.compactMap { line in
                    line.range(of: "  \(name)").map {
                        line.distance(from: line.startIndex, to: $0.lowerBound)
                    }
                })
            #expect(starts.count == 1, "\(name)")
        }
    }

    @Test("several values of one filter are alternatives, several filters are all to hold")
    func combined() throws {
        let fixture = try log(0..<60)
        let run = try fixture.evalog(
            "tail", "--json", "-n", "100", "--outcome", "failed", "--outcome", "cancelled",
            "--model", "model-0")
        #expect(run.lines.count == 12)
    }

    // MARK: Terminals

    /// A log whose lines try to steer whoever reads them, in every member that may hold text.
    private func hostileLog() throws -> CommandFixture {
        let fixture = CommandFixture()
        let text = #"\u001b]0;title\u0007\u009b31m\r\n\u007f"# + "\u{9B}2J\u{202E}\u{2028}"
        let writer = try LogWriter(fixture.directory)
        let event =
            #""time":"2026-11-29T10:00:00Z","evaluation":"01a22060-ffa8-77eb-887e-ee36c6edff4e""#
        let lines = [
            #"{"v":1,"type":"evaluation","id":"01a22060-ffa8-77eb-887e-ee36c6edff4e","time":"2026-11-29T10:00:00Z","#
                + #""usage":"TEXT","subject":"TEXT","session":"TEXT","model":"TEXT","os":"TEXT","device":"TEXT","#
                + #""app":"TEXT","outcome":"failed","error":"TEXT","duration_us":5,"attempts":1,"TEXT":1}"#,
            #"{"v":1,"type":"ai_suppressed","id":"01a22060-ffa8-77eb-887e-ee36c6edff41",\#(event),"#
                + #""subject":"TEXT","miss_behavior":"skip"}"#,
            #"{"v":1,"type":"form_inference","id":"01a22060-ffa8-77eb-887e-ee36c6edff42",\#(event),"#
                + #""subject":"TEXT","status":"success","report":{"TEXT":"TEXT"}}"#,
            #"{"v":1,"type":"catalog","id":"01a22060-ffa8-77eb-887e-ee36c6edff43",\#(event),"subject":"TEXT","#
                + #""report":{"TEXT":["TEXT"]}}"#,
            #"{"v":1,"type":"TEXT","id":"01a22060-ffa8-77eb-887e-ee36c6edff44",\#(event)}"#,
            "\u{1B}[31mnot JSON",
        ]
        for line in lines {
            _ = writer.append(
                Array(line.replacing("TEXT", with: text).utf8), to: .facts, eventTime: 0)
        }
        try writer.close()
        try fixture.shell("touch \"log/facts/$(printf 'a\\033[31m\\302\\233b\\nc')\"")
        return fixture
    }

    private func steers(_ text: String) -> Bool {
        text.unicodeScalars.contains { scalar in
            switch scalar.value {
            case 0x0A: false
            case 0...0x1F, 0x7F...0x9F, 0x202A...0x202E, 0x2028, 0x2029: true
            default: false
            }
        }
    }

    @Test(
        "nothing in a log steers the terminal",
        arguments: ["tail", "replay", "verify", "status", "replay --by os,device,app"])
    func hostile(command: String) throws {
        let fixture = try hostileLog()
        let run = try fixture.start(command.split(separator: " ").map(String.init)).finish()
        #expect(run.status == 0)
        #expect(!run.output.isEmpty)
        #expect(!steers(run.text))
        #expect(!steers(run.errors))
    }

    #if os(Linux)
        /// What a command shows on a terminal of its own.
        private func onTerminal(
            _ fixture: CommandFixture, _ words: String, environment: [String: String] = [:]
        ) throws -> String {
            try fixture.shell(
                "script -qec '\"$EVALOG\" \(words)' /dev/null", environment: environment
            )
            .text.replacing("\r\n", with: "\n")
        }

        @Test("nothing in a log steers the terminal through --json either")
        func hostileJSON() throws {
            let text = try onTerminal(hostileLog(), "tail --json")
            #expect(text.contains("ai_suppressed"))
            #expect(!steers(text))
        }

        @Test("colours come on a terminal only, and not where it or the person cannot have them")
        func colorsOnTerminal() throws {
            let fixture = try log(0..<5)
            let terminal = ["TERM": "xterm"]
            #expect(try onTerminal(fixture, "tail", environment: terminal).contains("\u{1B}["))
            for (words, more) in [
                ("tail --color never", [:]), ("tail", ["NO_COLOR": "1"]),
                ("tail", ["TERM": "dumb"]),
                ("tail --json", [:]),
            ] {
                let text = try onTerminal(
                    fixture, words, environment: terminal.merging(more) { $1 })
                #expect(!text.contains("\u{1B}["), "\(words) \(more)")
                #expect(text.contains("support_triage"))
            }
        }
    #endif

    @Test("colours come in a pipe only when asked for")
    func colors() throws {
        let fixture = try log(0..<5)
        #expect(try !fixture.evalog("tail").text.contains("\u{1B}"))
        #expect(try !fixture.evalog("tail", "--color", "auto").text.contains("\u{1B}"))
        let asked = try fixture.evalog("tail", "--color", "always", environment: ["NO_COLOR": "1"])
        #expect(asked.lines.allSatisfy { $0.hasPrefix("\u{1B}[") && $0.hasSuffix("\u{1B}[0m") })
        #expect(try fixture.evalog("tail", "--color", "sometimes").status == 2)
    }
}
