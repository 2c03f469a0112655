// evalog top on a pipe and on a real terminal, which it leaves as it found it.

import EvalogText
import Foundation
import Testing

#if os(Linux)

    import Glibc

    @Suite("evalog top") struct TopTests {
        private static let enters = "\u{1B}[?1049h"
        private static let leaves = "\u{1B}[?1049l"

        /// Imports evaluations of the present.
        private func add(_ numbers: Range<Int>, to fixture: CommandFixture) throws {
            var text = ""
            for number in numbers {
                var time: [UInt8] = []
                Timestamp.append(Int64(Date().timeIntervalSince1970 * 1_000_000), to: &time)
                text +=
                    #"{"v":1,"type":"evaluation","id":"01930000-0000-7000-8000-\#(100_000_000_000 + number)","#
                    + #""time":"\#(String(decoding: time, as: UTF8.self))","usage":"embedded_selection","#
                    + #""model":"tiny","outcome":"completed","duration_us":1500,"attempts":1}"#
                    + "\n"
            }
            try Files.write(text, to: fixture.path("facts"))
            #expect(try fixture.evalog("import", "facts").status == 0)
        }

        private func log(_ count: Int = 3) throws -> CommandFixture {
            let fixture = CommandFixture()
            try add(0..<count, to: fixture)
            return fixture
        }

        private func top(
            _ fixture: CommandFixture, on terminal: PseudoTerminal, _ words: String...
        ) throws -> RunningProgram {
            try fixture.start(
                ["top"] + words, environment: ["TERM": "xterm"], terminal: terminal.slave,
                isTyped: true)
        }

        @Test("prints once when piped, and where the terminal is dumb")
        func once() throws {
            let fixture = try log()
            let run = try fixture.evalog("top", environment: ["TERM": "xterm"])
            #expect(run.status == 0 && run.errors.isEmpty)
            #expect(run.text.contains("3 evaluations") && run.text.contains("tiny"))
            #expect(!run.text.contains("\u{1B}"))
            #expect(try fixture.evalog("top", "--model", "other").text.contains("No evaluations"))
            let terminal = try PseudoTerminal(width: 100, height: 20)
            let dumb = try fixture.start(
                ["top"], environment: ["TERM": "dumb"], terminal: terminal.slave, isTyped: true)
            #expect(!terminal.shown { $0.contains("tiny") }.contains(Self.enters))
            #expect(dumb.finish().status == 0)
        }

        @Test("--json prints one object, also on a terminal")
        func json() throws {
            let fixture = try log()
            let terminal = try PseudoTerminal(width: 200, height: 20)
            let program = try fixture.start(
                ["top", "--json", "--window", "1h"], environment: ["TERM": "xterm"],
                terminal: terminal.slave, isTyped: true)
            #expect(program.finish().status == 0)
            for text in [
                try fixture.evalog("top", "--json").text, terminal.shown { $0.contains("]}") },
            ] {
                let value = try JSONSerialization.jsonObject(with: Data(text.utf8))
                let object = try #require(value as? [String: Any])
                #expect(object["completed"] as? Int == 3 && object["damaged"] as? Bool == false)
                let groups = try #require(object["groups"] as? [[String: Any]])
                #expect(groups.count == 1 && groups[0]["model"] as? String == "tiny")
                #expect(groups[0]["p95_us"] as? Int == 1_500)
                #expect(groups[0]["failure_rate"] as? Int == 0)
                #expect((groups[0]["failures"] as? [String: Int])?.isEmpty == true)
            }
            let empty = try fixture.evalog("top", "--json", "--model", "other")
            #expect(
                empty.text.contains(#""evaluations":0"#) && empty.text.hasSuffix("\"groups\":[]}\n")
            )
        }

        @Test("old facts are left out, an empty log is shown as such, and a window must be one")
        func edges() throws {
            let fixture = CommandFixture()
            try Files.write(Records.text(0..<5), to: fixture.path("records"))
            try fixture.evalog("import", "records")
            let old = try fixture.evalog("top", "--window", "24h")
            #expect(old.status == 0)
            #expect(try fixture.evalog("top", "--window", "2h").status == 2)
            #expect(try fixture.evalog("top", "--log", "absent").status == 2)
        }

        @Test("keys, new facts and sizes show at once; q leaves the terminal as it was")
        func keys() throws {
            let fixture = try log()
            let terminal = try PseudoTerminal(width: 120, height: 20)
            #expect(terminal.hasEcho)
            let program = try top(fixture, on: terminal)
            let first = terminal.shown { $0.contains("q quit") }
            #expect(first.contains(Self.enters) && first.contains("3 evaluations"))
            #expect(!terminal.hasEcho)
            terminal.type("w\u{1B}[A")
            terminal.shown { $0.contains("last 1h") && $0.contains("q quit") }
            try add(100..<104, to: fixture)
            terminal.shown { $0.contains("7 evaluations") }
            terminal.resize(width: 30, height: 6)
            program.send(SIGWINCH)
            let small = terminal.shown { text in
                Self.lastScreen(text).map { $0.count == 6 && $0[5].hasPrefix("q quit") } ?? false
            }
            let lines = try #require(Self.lastScreen(small))
            #expect(lines.filter { $0.count > 30 } == [])
            terminal.type("q")
            #expect(program.finish().status == 0)
            #expect(terminal.shown { $0.hasSuffix(Self.leaves) }.contains("\u{1B}[?25h"))
            #expect(terminal.hasEcho)
        }

        /// The lines of the last whole screen in what a terminal got, without their ends.
        private static func lastScreen(_ text: String) -> [String]? {
            // The terminal puts a carriage return before each newline, also where there is one.
            let screens = text.replacing("\r\r\n", with: "\r\n").components(separatedBy: "\u{1B}[H")
            guard let last = screens.last(where: { $0.contains("\u{1B}[J") }) else { return nil }
            return last.components(separatedBy: "\u{1B}[J")[0].components(separatedBy: "\r\n").map {
                ["\u{1B}[K", "\u{1B}[1m", "\u{1B}[0m"].reduce($0) { $0.replacing($1, with: "") }
            }
        }

        @Test("a signal that ends it finds the terminal as it was", arguments: [SIGINT, SIGTERM])
        func ended(by signal: Int32) throws {
            let fixture = try log()
            let terminal = try PseudoTerminal(width: 80, height: 24)
            let program = try top(fixture, on: terminal)
            terminal.shown { $0.contains("q quit") }
            program.send(signal)
            let run = program.finish()
            #expect(run.status == -signal && run.errors.isEmpty)
            #expect(terminal.shown { $0.hasSuffix(Self.leaves) }.hasSuffix(Self.leaves))
            #expect(terminal.hasEcho)
        }

        @Test("when it is stopped the shell has the terminal, and afterwards it draws again")
        func stopped() throws {
            let fixture = try log()
            let terminal = try PseudoTerminal(width: 80, height: 24)
            let program = try top(fixture, on: terminal)
            terminal.shown { $0.contains("q quit") }
            program.send(SIGTSTP)
            #expect(terminal.shown { $0.hasSuffix(Self.leaves) }.hasSuffix(Self.leaves))
            program.waitUntilStopped()
            #expect(terminal.hasEcho)
            program.send(SIGCONT)
            #expect(terminal.shown { $0.contains("q quit") }.contains(Self.enters))
            #expect(!terminal.hasEcho)
            terminal.type("q")
            #expect(program.finish().status == 0)
        }

        @Test("an error while it runs is said after the terminal is as it was")
        func failing() throws {
            let fixture = try log()
            let terminal = try PseudoTerminal(width: 80, height: 24)
            let program = try top(fixture, on: terminal)
            terminal.shown { $0.contains("q quit") }
            try fixture.shell("mv log/facts log/gone; ln -s gone log/facts")
            let run = program.finish()
            #expect(run.status == 2 && run.errors.hasPrefix("evalog: cannot "))
            #expect(terminal.shown { $0.hasSuffix(Self.leaves) }.hasSuffix(Self.leaves))
            #expect(terminal.hasEcho)
        }
    }

#endif
