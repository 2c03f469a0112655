// Content straight from the line of a record: the same as by way of an observation that holds it all.

import EvalogContent
import EvalogFacts
import EvalogRecording
import EvalogText
import TestSupport
import Testing

@Suite("RecordReader's content") struct RecordContentTests {
    private static let id = UniqueID.leading(bytesOf: Array(0..<32))

    private func fact(attempts: Int32 = 1) -> EvaluationFact {
        EvaluationFact(
            id: Self.id, time: 1_795_947_330_000_000, usage: "u", outcome: .completed,
            attempts: attempts)
    }

    /// The line's content; nil where it is too long.
    private func content(_ record: String, of fact: EvaluationFact) throws -> [UInt8]? {
        var reader = RecordReader()
        let bytes = Array(record.utf8)
        return try bytes.withUnsafeBytes { line in
            _ = try reader.read(line)
            var buffer: [UInt8] = []
            return reader.appendContent(of: fact, to: &buffer) ? buffer : nil
        }
    }

    private func members(_ record: String, attempts: Int32 = 1) throws -> String? {
        let head = #"{"v":1,"id":"\#(Self.id.text)","time":"2026-11-29T10:15:30.000000Z""#
        let line = try content(record, of: fact(attempts: attempts))
            .map { String(decoding: $0, as: UTF8.self) }
        guard let line, line.hasPrefix(head) else { return line }
        return String(line.dropFirst(head.count))
    }

    @Test(
        "is what an observation of the same record gives", arguments: 0..<20 as Range<UInt64>)
    func equivalence(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<50 {
            let observation = observation(using: &random)
            var fact = fact(attempts: Int32(observation.attempts))
            fact.subject = "s"
            guard let line = ContentRetention.all(days: 7).line(of: observation, for: fact) else {
                Issue.record("all keeps it")
                return
            }
            var expected: [UInt8] = []
            line.encode(into: &expected)
            let record = record(of: observation, escapesAll: .random(using: &random))
            #expect(try content(record, of: fact) == expected)
        }
    }

    @Test(
        "says how it ended as the record does",
        arguments: [
            (
                #""completed","output": { "a" : [1, 2.50, "\ud800 x"], "a":1e400, "b":-0.0 }"#,
                #","output":{"a":[1,2.50,"\ud800 x"],"a":1e400,"b":-0.0}}"#
            ),
            (#""completed","output":null"#, #","output":null}"#),
            (#""completed""#, "}"), (#"{"completed":[ ]}"#, #","output":[]}"#),
            (#""skipped","reason":"no \u006dodel""#, #","reason":"no model"}"#),
            (#""skipped""#, #","reason":"other"}"#),
            (#"{"skipped":{}}"#, #","reason":"other"}"#),
            (#"{"skipped":{"reason":"a","reason":"\/"}}"#, #","reason":"/"}"#),
            (#""failed""#, #","error":""}"#),
            (#""failed","error":"\ud800!\u2028\b""#, #","error":"\#u{FFFD}!\u2028\u0008"}"#),
            (#"{"failed":"bo\\om"}"#, #","error":"bo\\om"}"#),
            (#""cancelled","output":1"#, "}"), (#"{"cancelled":{}}"#, "}"),
        ])
    func endings(outcome: String, expected: String) throws {
        #expect(try members(#"{"usage":"u","outcome":\#(outcome)}"#) == expected)
    }

    @Test("leaves out what was never offered to a model, and what is not there")
    func left() throws {
        let record =
            #"{"usage":"u","outcome":"cancelled","request":{"schema":null,"context":{"items":[{"content":"c"}]}}}"#
        #expect(try members(record, attempts: 0) == #","schema":null}"#)
        #expect(
            try members(record)
                == #","schema":null,"context":[{"content":"c","priority":0}]}"#)
        #expect(
            try members(
                #"{"usage":"u","outcome":"cancelled","request":{"context":{"items":[]}}}"#) == "}")
    }

    @Test("of one record has nothing of the record before")
    func forgotten() throws {
        var reader = RecordReader()
        var lines: [[UInt8]] = []
        for record in [
            #"{"usage":"u","outcome":"completed","output":1,"request":{"instructions":"i","context":{"items":[{"content":"c"}]}}}"#,
            #"{"usage":"u","outcome":"cancelled","request":{}}"#,
            #"{"usage":"u","outcome":"cancelled"}"#,
        ] {
            var buffer: [UInt8] = []
            try Array(record.utf8).withUnsafeBytes { line in
                _ = try reader.read(line)
                #expect(reader.appendContent(of: fact(), to: &buffer))
            }
            lines.append(buffer)
        }
        #expect(lines[0].count > lines[1].count)
        #expect(lines[1] == lines[2])
    }

    @Test("that would be longer than the limit is none")
    func tooLong() throws {
        let record = { (byteCount: Int) in
            let text = String(repeating: "x", count: byteCount)
            return #"{"usage":"u","outcome":"failed","error":"\#(text)"}"#
        }
        let fact = fact()
        let besides = try #require(try content(record(0), of: fact)).count
        let limit = ContentLimits.lineByteCountMax
        #expect(try content(record(limit - besides), of: fact)?.count == limit)
        #expect(try content(record(limit - besides + 1), of: fact) == nil)
    }

    // MARK: Random records

    private func observation(using random: inout SeededGenerator) -> ObservedEvaluation {
        let endings: [ObservedEvaluation.Ending] = [
            .completed(output: json(text(using: &random))), .completed(output: nil),
            .skipped(reason: text(using: &random)), .failed(error: text(using: &random)),
            .cancelled,
        ]
        var observation = ObservedEvaluation(
            usage: "u", ending: endings[Int.random(in: 0..<5, using: &random)],
            attempts: Int.random(in: 0...2, using: &random))
        if Bool.random(using: &random) { observation.request.instructions = text(using: &random) }
        if Bool.random(using: &random) {
            observation.request.schema = #"{"a":[\#(json(text(using: &random))),1e9]}"#
        }
        observation.request.context = (0..<Int.random(in: 0..<4, using: &random)).map { _ in
            .init(
                content: text(using: &random),
                priority: Double(Int.random(in: -9...9, using: &random)) / 4)
        }
        return observation
    }

    private func text(using random: inout SeededGenerator) -> String {
        let scalars = (0..<Int.random(in: 0..<30, using: &random)).compactMap { _ in
            Unicode.Scalar(
                Bool.random(using: &random)
                    ? UInt32.random(in: 0...0x7F, using: &random)
                    : UInt32.random(in: 0...0x1_2FFF, using: &random))
        }
        return String(String.UnicodeScalarView(scalars))
    }

    private func json(_ text: String, escapesAll: Bool = false) -> String {
        guard escapesAll else {
            return String(decoding: RawJSON(string: text).bytes, as: UTF8.self)
        }
        let units = text.utf16.map { unit in
            let digits = String(unit, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
        return "\"\(units.joined())\""
    }

    /// The record as another program might write it, with every character escaped if it likes to.
    private func record(of observation: ObservedEvaluation, escapesAll: Bool) -> String {
        let request = observation.request
        let items = request.context.map {
            #"{"priority": \#($0.priority), "content":\#(json($0.content, escapesAll: escapesAll))}"#
        }
        var asked = [#""context":{"items":[\#(items.joined(separator: " , "))]}"#]
        if let text = request.instructions {
            asked.append(#""instructions":\#(json(text, escapesAll: escapesAll))"#)
        }
        if let schema = request.schema { asked.append(#""schema": \#(schema) "#) }
        let outcome =
            switch observation.ending {
            case .completed(nil): #""completed""#
            case .completed(let output?): #""completed", "output": \#(output)"#
            case .skipped(let reason, _):
                #""skipped","reason":\#(json(reason, escapesAll: escapesAll))"#
            case .failed(let error, _):
                #""failed","error":\#(json(error, escapesAll: escapesAll))"#
            case .cancelled: #""cancelled""#
            }
        return
            #"{"usage":"u","attempts":\#(observation.attempts),"request":{\#(asked.joined(separator: ","))},"outcome":\#(outcome)}"#
    }
}
