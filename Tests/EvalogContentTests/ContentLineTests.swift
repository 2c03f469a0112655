// Content lines: what is kept comes back, and what is broken is named without being quoted.

import EvalogContent
import EvalogFacts
import EvalogText
import TestSupport
import Testing

@Suite("ContentLine") struct ContentLineTests {
    private func decode(_ line: [UInt8]) -> Result<ContentLine, ContentError> {
        var decoder = ContentDecoder()
        return line.withUnsafeBytes { bytes in
            do throws(ContentError) {
                return .success(try decoder.decode(bytes))
            } catch {
                return .failure(error)
            }
        }
    }

    private func decode(_ line: String) -> Result<ContentLine, ContentError> {
        decode(Array(line.utf8))
    }

    private func fault(_ line: String) -> ContentError.Kind? {
        if case .failure(let error) = decode(line) { error.kind } else { nil }
    }

    private func encoded(_ line: ContentLine) -> [UInt8] {
        var buffer: [UInt8] = []
        line.encode(into: &buffer)
        return buffer
    }

    static let head =
        #""v":1,"id":"0193f0a0-0000-7000-8000-000000000001","time":"2026-11-29T10:15:30.123456Z""#

    static let canonical = [
        #"{\#(head),"session":"6f1c2a7e-9b3d-4c55-8a1b-2c3d4e5f6071","subject":"home_banner","instructions":"Pick \"one\".\nBe brief.","schema":{"type":"object","properties":{"b":{},"a":{}}},"context":[{"content":"Customer since: 2019","priority":-1},{"content":"","priority":0.5}],"output":{"b":1.50,"a":"\ud800","a":null}}"#,
        #"{\#(head),"reason":"the model is downloading"}"#,
        #"{\#(head),"error":"timed out after 30 s"}"#,
        #"{\#(head),"output":null}"#,
        #"{\#(head),"output":{"a":1},"expected":{"a":1.50},"finding":"a is 1, not 1.50"}"#,
        #"{\#(head),"error":"timed out","expected":null,"finding":"no answer"}"#,
        #"{\#(head)}"#,
        #"{"v":1,"id":"0193f0a0-0000-7000-8000-000000000001","erased":true}"#,
        #"{"v":1,"erased":true}"#,
    ]

    @Test("a line that we write comes back byte for byte", arguments: canonical)
    func identity(line: String) throws {
        #expect(encoded(try decode(line).get()) == Array(line.utf8))
    }

    @Test("order, white space, unknown keys and odd sessions are tolerated")
    func tolerant() throws {
        let line =
            "{ \"output\" : [ 1 , \"a b\" ], \"session\":\"anna\", \"x\":[{}], \"reason\":null,"
            + "\"context\":[{\"priority\":1e999,\"content\":\"\\ud800!\",\"y\":1},{\"content\":\"b\"}],"
            + "\"time\":\"2026-11-29T11:15:30.123456+01:00\",\"id\":\"0193F0A0-0000-7000-8000-000000000001\"}\n"
        #expect(
            encoded(try decode(line).get())
                == Array(
                    #"{\#(Self.head),"context":[{"content":"\#u{FFFD}!","priority":1.7976931348623157e+308},{"content":"b","priority":0}],"output":[1,"a b"]}"#
                        .utf8))
    }

    @Test(
        "a line that is no content is refused for what is wrong with it",
        arguments: [
            ("", .notJSON(.truncated)), ("7", .notAnObject), ("{}", .missing(.id)),
            (#"{"id":"0193f0a0-0000-7000-8000-000000000001"}"#, .missing(.time)),
            (#"{"v":2,\#(head.dropFirst(6))}"#, .unsupportedVersion),
            ("{\(head),\"subject\":1}", .badValue(.subject)),
            ("{\(head),\"context\":{}}", .badValue(.context)),
            ("{\(head),\"context\":[1]}", .badValue(.context)),
            ("{\(head),\"context\":[{}]}", .badValue(.context)),
            (
                "{\(head),\"context\":[{\"content\":\"a\",\"priority\":\"high\"}]}",
                .badValue(.context)
            ),
            ("{\(head),\"output\":1,\"error\":\"\"}", .badValue(.error)),
            ("{\(head),\"output\":1,\"output\":2}", .duplicateKey(.output)),
            ("{\(head),\"output\":1e}", .notJSON(.unexpectedByte)),
            ("{\(head),\"erased\":\"yes\"}", .badValue(.erased)),
        ] as [(String, ContentError.Kind)])
    func refused(line: String, kind: ContentError.Kind) {
        #expect(fault(line) == kind)
    }

    @Test("any record comes back equal", arguments: 0..<20 as Range<UInt64>)
    func roundTrip(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<100 {
            let line = ContentLine.record(record(using: &random))
            #expect(try decode(encoded(line)).get() == line)
            #expect(!encoded(line).contains(0x0A))
        }
    }

    @Test("no mutation of a line traps", arguments: FuzzSeeds.first(10))
    func mutations(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<2_000 {
            var line = Array(Self.canonical[Int.random(in: 0..<7, using: &random)].utf8)
            for _ in 0...Int.random(in: 0..<3, using: &random) {
                line[Int.random(in: 0..<line.count, using: &random)] =
                    UInt8.random(in: 0...255, using: &random)
            }
            guard case .success(let read) = decode(line) else { continue }
            #expect((try? decode(encoded(read)).get()) == read)
        }
    }

    private func record(using random: inout SeededGenerator) -> ContentRecord {
        var record = ContentRecord(
            id: .random(using: &random), time: .random(in: Timestamp.range, using: &random))
        if Bool.random(using: &random) {
            record.session = SessionID(
                bits: .random(using: &random), isDigest: .random(using: &random))
        }
        if Bool.random(using: &random) { record.subject = text(using: &random) }
        if Bool.random(using: &random) { record.instructions = text(using: &random) }
        if Bool.random(using: &random) { record.schema = RawJSON(string: text(using: &random)) }
        record.context = (0..<Int.random(in: 0..<4, using: &random)).map { _ in
            .init(
                content: text(using: &random),
                priority: Double.random(in: -1e6...1e6, using: &random))
        }
        switch Int.random(in: 0..<4, using: &random) {
        case 0: record.answer = .output(RawJSON(string: text(using: &random)))
        case 1: record.answer = .reason(text(using: &random))
        case 2: record.answer = .error(text(using: &random))
        default: break
        }
        return record
    }

    private func text(using random: inout SeededGenerator) -> String {
        let scalars = (0..<Int.random(in: 0..<30, using: &random)).compactMap { _ in
            Unicode.Scalar(UInt32.random(in: 0...0x2FFF, using: &random))
        }
        return String(String.UnicodeScalarView(scalars))
    }
}
