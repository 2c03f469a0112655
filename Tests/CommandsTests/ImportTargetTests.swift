// A log that several imports start at once.

import EvalogContent
import EvalogFacts
import EvalogLog
import TestSupport
import Testing

@testable import Commands

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("The log that lines go into") struct ImportTargetTests {
    private let scratch = ScratchFolder()
    private var directory: LogDirectory { LogDirectory(path: scratch.path("log")) }

    /// Runs the body with a console, and returns what was said to the person.
    private func said(_ body: (Console) throws -> Void) throws -> String {
        let path = scratch.path("errors")
        let descriptor = open(path, O_CREAT | O_TRUNC | O_RDWR, 0o600)
        defer { close(descriptor) }
        let output = Output(descriptor: descriptor, name: "errors")
        try body(Console(output: output, errors: output, environment: [:], now: { 0 }))
        return String(decoding: try #require(try FileSystem.contents(of: path)), as: UTF8.self)
    }

    /// Begins a log as an import does, with a fact whose id was made with its key.
    private func begin(_ console: Console) throws {
        let other = try ImportTarget(directory, console)
        #expect(try !other.open())
        let fact =
            #"{"v":1,"type":"gate","id":"00000000-0000-8000-8000-000000000001","#
            + #""time":"2026-11-29T10:00:00Z","on_device_ai":true}"#
        let writer = try #require(other.writer)
        _ = writer.appendWaiting(Array(fact.utf8), to: .facts, eventTime: 0)
        try writer.close()
    }

    @Test("a key that came with the facts of another import is not missed")
    func race() throws {
        let text = try said { console in
            let target = try ImportTarget(directory, console)
            try begin(console)
            #expect(try target.open(), "the other one's key is the log's")
            try target.writer?.close()
        }
        #expect(text.isEmpty)
    }

    @Test("a key that was deleted is")
    func lost() throws {
        let text = try said { console in
            try begin(console)
            unlink(scratch.path("log/content/key"))
            let target = try ImportTarget(directory, console)
            #expect(try !target.open())
            try target.writer?.close()
        }
        #expect(text.contains("its key is gone"))
    }
}
