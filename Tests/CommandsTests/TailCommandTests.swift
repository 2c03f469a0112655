// What a follower does between two looks: as an order of events, for times depend on the machine.

import EvalogLog
import TestSupport
import Testing

@testable import Commands

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("Following on a screen") struct TailCommandTests {
    private let scratch = ScratchFolder()
    private var log: LogDirectory { LogDirectory(path: scratch.path("log")) }

    private func line(_ number: Int) -> String {
        #"{"v":1,"type":"gate","id":"01a22060-ffa8-77eb-887e-0000000000\#(10 + number)","#
            + #""time":"2026-11-29T10:00:00Z","on_device_ai":true}"#
    }

    /// Runs a follower; what happens before each of its looks gets what it has shown by then.
    private func follow(_ words: [String], pause: @escaping (String) throws -> Bool) throws {
        let path = scratch.path("output")
        let descriptor = open(path, O_CREAT | O_RDWR | O_TRUNC, 0o600)
        defer { close(descriptor) }
        let output = Output(descriptor: descriptor, name: "to the test")
        let console = Console(
            output: output, errors: output, environment: ["EVALOG_LOG": log.path], now: { 0 })
        let command = try TailCommand(Arguments(["-f", "--json"] + words, for: .tail), console) {
            _ in
            let shown = try? FileSystem.contents(of: path)
            return (try? pause(String(decoding: shown ?? [], as: UTF8.self))) ?? false
        }
        #expect(try command.run() == .done)
    }

    @Test(
        "what is in the log when it looks is on the screen before it waits again",
        arguments: [[], ["--position"], ["--since", "2026-11-01"]])
    func onTheScreen(words: [String]) throws {
        let writer = try LogWriter(log)
        func append(_ number: Int) throws {
            _ = writer.append(
                Array(line(number).utf8), to: .facts, eventTime: 1_800_000_000_000_000)
            try writer.flush()
        }
        try append(0)
        var looks = 0
        let position = words == ["--position"] ? [scratch.path("seen")] : []
        try follow(words + position) { shown in
            #expect(shown == (0...looks).map { line($0) + "\n" }.joined())
            looks += 1
            if looks % 3 == 0 { writer.roll() }
            if looks < 20 { try append(looks) }
            return looks < 20
        }
        #expect(looks == 20)
        try writer.close()
    }

    @Test("a block's age and the pause between two looks leave room within 1.5 s")
    func limits() {
        #expect(LogLimits.blockAge + LogLimits.followPause < 1_500_000)
    }
}
