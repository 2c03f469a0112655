// evalog tail -f while others write, roll, join and delete: once each, and no more files open.

import EvalogLog
import TestSupport
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("evalog tail -f under maintenance", .serialized) struct TailMaintenanceTests {
    private let fixture = CommandFixture()

    private static func fact(_ number: Int, of writer: Int) -> String {
        let digits = String(1_000_000 + number).dropFirst()
        return
            #"{"v":1,"type":"ai_suppressed","id":"01a22060-ffa8-77eb-\#(1000 + writer)-000000\#(digits)","#
            + #""time":"2026-11-29T10:00:00.000000Z","evaluation":"01a22060-ffa8-77eb-887e-ee36c6edff4e","#
            + #""miss_behavior":"skip"}"#
    }

    private static func facts(_ numbers: Range<Int>, of writer: Int) -> String {
        numbers.map { fact($0, of: writer) + "\n" }.joined()
    }

    /// A process that imports one file after the other, each as a writer of its own.
    private func startImports(_ count: Int, of writer: Int) throws -> RunningProgram {
        for part in 0..<count {
            try Files.write(
                Self.facts(part * 20..<part * 20 + 20, of: writer),
                to: fixture.path("w\(writer)-\(1000 + part)"))
        }
        return try shell("for f in w\(writer)-*; do \"$EVALOG\" import -q $f || exit 1; done")
    }

    private func shell(_ line: String) throws -> RunningProgram {
        try RunningProgram(
            "/bin/sh", ["-c", line], in: fixture.folder,
            environment: ["EVALOG": BuiltProgram.evalog, "EVALOG_LOG": fixture.log])
    }

    @Test("two writers, a live one that rolls, maintenance and a follower: every line exactly once")
    func everyLineOnce() throws {
        let live = try LogWriter(fixture.directory)
        _ = live.append(Array(Self.fact(0, of: 3).utf8), to: .facts, eventTime: 0)
        try live.flush()
        let tail = try fixture.start(["tail", "-f", "--json", "--position", "seen"])
        let writers = try [1, 2].map { try startImports(15, of: $0) }
        let maintainer = try shell(
            "while [ ! -e stop ]; do \"$EVALOG\" maintain -q >> maintained || exit 1; done")
        for number in 1..<60 {
            _ = live.append(Array(Self.fact(number, of: 3).utf8), to: .facts, eventTime: 0)
            if number % 4 == 0 { live.roll() }
            if number % 2 == 0 { try live.flush() }
            usleep(30_000)
        }
        try live.flush()
        for writer in writers { #expect(writer.finish().status == 0) }
        var seen: [String] = []
        func take(_ count: Int) throws {
            for _ in 0..<count {
                seen.append(String(decoding: try #require(tail.nextLine()), as: UTF8.self))
            }
        }
        try take(2 * 15 * 20 + 60)
        try Files.write("", to: fixture.path("stop"))
        #expect(maintainer.finish().status == 0)
        let maintained = try Files.text(fixture.path("maintained"))
        #expect(maintained.contains("merged"))

        // What is deleted now was seen; what comes back was, too.
        try fixture.shell("cp -r log/facts kept")
        let pruned = try fixture.evalog("maintain", "--keep-facts", "1us")
        #expect(pruned.status == 0 && pruned.text.contains("pruned"))
        try fixture.shell("cp kept/* log/facts")
        try fixture.evalog("import", "-", input: Array(Self.facts(0..<30, of: 4).utf8))
        try take(30)
        _ = live.append(Array(Self.fact(60, of: 3).utf8), to: .facts, eventTime: 0)
        try live.close()
        try take(1)
        tail.send(SIGTERM)
        let rest = tail.finish()
        #expect(rest.output.isEmpty && rest.errors.isEmpty)
        let written =
            (1...2).flatMap { writer in (0..<300).map { Self.fact($0, of: writer) } }
            + (0...60).map { Self.fact($0, of: 3) } + (0..<30).map { Self.fact($0, of: 4) }
        let isSame = seen.sorted() == written.sorted()
        #expect(isSame, "\(seen.count) lines seen, \(Set(seen).count) different ones")

        // Whoever ends it with a signal finds the position where the output ends.
        try fixture.evalog("maintain")
        #expect(try fixture.evalog("tail", "--json", "--position", "seen").output.isEmpty)
    }

    #if os(Linux)
        /// How many files a process has open, and what memory it takes.
        private func figures(of process: pid_t) throws -> (files: Int, kilobytes: Int) {
            let status = try Files.text("/proc/\(process)/status")
            let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmRSS") })
            return (
                Files.names(in: "/proc/\(process)/fd").count,
                try #require(Int(line.filter(\.isWholeNumber)))
            )
        }

        @Test("neither open files nor memory grow with the segments it has come through")
        func steady() throws {
            let writer = try LogWriter(fixture.directory)
            func append(_ numbers: Range<Int>) throws {
                for number in numbers {
                    _ = writer.append(
                        Array(Self.fact(number, of: 1).utf8), to: .facts, eventTime: 0)
                    writer.roll()
                    try writer.flush()
                }
            }
            try append(0..<50)
            let tail = try fixture.start(["tail", "-f", "--json", "-n", "50"])
            func take(_ count: Int) throws {
                for _ in 0..<count { _ = try #require(tail.nextLine()) }
            }
            try take(50)
            let before = try figures(of: tail.process)
            for round in 0..<10 {
                try append(50 + round * 50..<100 + round * 50)
                try take(50)
                #expect(try figures(of: tail.process).files <= before.files + 3)
            }
            try writer.close()
            #expect(Files.names(in: "\(fixture.log)/facts").count >= 550)
            #expect(try figures(of: tail.process).kilobytes < before.kilobytes + 16_000)
            // Once it waits it holds what it held before.
            while try figures(of: tail.process).files > before.files { usleep(10_000) }
            tail.send(SIGINT)
            #expect(tail.finish().output.isEmpty)
        }
    #endif
}
