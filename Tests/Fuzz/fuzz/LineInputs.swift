// Lines of any bytes: nothing traps, and what can be read comes back as it was.

import EvalogContent
import EvalogFacts
import EvalogImporters
import EvalogLog
import EvalogRecording

@testable import Commands

enum LineInputs {
    nonisolated(unsafe) private static var decoder = FactDecoder()
    nonisolated(unsafe) private static var contents = ContentDecoder()

    static func fact(_ line: UnsafeRawBufferPointer) throws {
        guard let fact = read(line) else { return }
        expectStable(fact)
        // Whatever the quick way of reading takes, the general one reads likewise.
        let general = try Fact(decoder.decodeAny(line))
        demand(general == fact, "two ways of reading a line differ")
    }

    private static func read(_ line: UnsafeRawBufferPointer) -> Fact? {
        (try? decoder.decode(line)).flatMap { Fact($0) }
    }

    private static func expectStable(_ fact: Fact) {
        var line: [UInt8] = []
        fact.encode(into: &line)
        demand(!line.contains(0x0A), "a fact line holds a newline")
        demand(line.withUnsafeBytes(read) == fact, "a fact does not come back")
    }

    /// As import reads it: a fact, or a record with its content.
    static func record(_ line: UnsafeRawBufferPointer) throws {
        var importer = LineImporter(
            source: "fuzz", choice: .all(days: 7), importTime: 1_790_000_000_000_000,
            key: [UInt8](repeating: 7, count: 32))
        guard case .fact(let fact, let content, _) = importer.read(line) else { return }
        expectStable(fact)
        guard case .line(let made) = content else { return }
        demand(!made.contains(0x0A), "a content line holds a newline")
        _ = try made.withUnsafeBytes { try contents.check($0) }
    }

    static func content(_ line: UnsafeRawBufferPointer) throws {
        guard let read = try? contents.decode(line) else { return }
        var made: [UInt8] = []
        read.encode(into: &made)
        demand(!made.contains(0x0A), "a content line holds a newline")
        let again = try made.withUnsafeBytes { try contents.decode($0) }
        demand(again == read, "content does not come back")
    }

    /// Whatever is made of a trace is a record, which import takes.
    static func trace(_ line: UnsafeRawBufferPointer) throws {
        for format in TraceFormat.allCases {
            var importer = TraceImporter(format)
            for made in (try? importer.records(of: line)) ?? [] {
                demand(!made.contains(0x0A), "a record holds a newline")
                try made.withUnsafeBytes { bytes in
                    var reader = RecordReader()
                    _ = try reader.read(bytes)
                    try record(bytes)
                }
            }
        }
    }

    static func position(_ bytes: UnsafeRawBufferPointer) throws {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let position = try? Position(text: text) else { return }
        demand(try Position(text: position.text) == position, "a position does not come back")
    }
}
