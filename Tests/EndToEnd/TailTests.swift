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

    @Test(
        "nothing in a log steers the terminal",
        arguments: ["tail", "replay", "verify", "status", "replay --by os,device,app"])
    func hostile(command: String) throws {
        let fixture = try HostileLog.make()
        let run = try fixture.start(command.split(separator: " ").map(String.init)).finish()
        #expect(run.status == 0)
        #expect(!run.output.isEmpty)
        #expect(!HostileLog.steers(run.text))
        #expect(!HostileLog.steers(run.errors))
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
            let text = try onTerminal(HostileLog.make(), "tail --json")
            #expect(text.contains("ai_suppressed"))
            #expect(!HostileLog.steers(text))
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
