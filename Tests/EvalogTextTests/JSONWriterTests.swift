// What is written is compact JSON on one line, whatever goes in.

import EvalogText
import TestSupport
import Testing

private func written(_ write: (inout JSONWriter) -> Void) -> String {
    var buffer: [UInt8] = []
    JSONWriter.append(to: &buffer, write)
    return String(decoding: buffer, as: UTF8.self)
}

@Suite("JSONWriter") struct JSONWriterTests {
    @Test("commas stand between members and elements and nowhere else")
    func commas() {
        let text = written { json in
            json.beginObject()
            json.key("a" as StaticString)
            json.integer(-1)
            json.key("b" as StaticString)
            json.beginArray()
            json.bool(true)
            json.beginObject()
            json.endObject()
            json.string("x" as StaticString)
            json.endArray()
            json.key("c\"" as String)
            json.beginArray()
            json.endArray()
            json.endObject()
        }
        #expect(text == #"{"a":-1,"b":[true,{},"x"],"c\"":[]}"#)
    }

    @Test("a value is appended behind what the buffer holds")
    func appending() {
        var buffer = Array("{}\n".utf8)
        JSONWriter.append(to: &buffer) { $0.bool(false) }
        #expect(buffer == Array("{}\nfalse".utf8))
    }

    @Test("strings are escaped where a reader of JSON or of lines needs it")
    func escapes() {
        let text = written {
            $0.string("a\"\\/\n\r\t\u{0}\u{1F}\u{7F}é\u{2028}\u{2029}\u{1F600}" as String)
        }
        #expect(
            text
                == "\"a\\\"\\\\/\\n\\r\\t\\u0000\\u001f\u{7F}é\\u2028\\u2029\u{1F600}\"")
    }

    @Test("bytes that are no UTF-8 become U+FFFD")
    func invalidBytes() {
        let bytes: [UInt8] = [0x61, 0xFF, 0xE2, 0x80, 0x62, 0xED, 0xA0, 0x80]
        let text = written { json in bytes.withUnsafeBytes { json.string($0) } }
        #expect(text == "\"a\u{FFFD}\u{FFFD}\u{FFFD}b\u{FFFD}\u{FFFD}\u{FFFD}\"")
    }

    @Test(
        "numbers are finite and whole ones have no point",
        arguments: [
            (0.0, "0"), (-0.0, "0"), (5.0, "5"), (-2.5, "-2.5"), (1e-5, "1e-05"), (1e21, "1e+21"),
            (.infinity, "1.7976931348623157e+308"), (-.infinity, "-1.7976931348623157e+308"),
            (.nan, "0"), (0.1, "0.1"), (9_007_199_254_740_992, "9007199254740992.0"),
        ] as [(Double, String)])
    func numbers(value: Double, expected: String) {
        #expect(written { $0.number(value) } == expected)
    }

    @Test("any text comes back from the scanner as it went in", arguments: 0..<20 as Range<UInt64>)
    func roundTrip(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            let scalars = (0..<Int.random(in: 0..<40, using: &random)).compactMap { _ in
                Unicode.Scalar(
                    UInt32.random(
                        in:
                            0...([0x30, 0xFF, 0x2100, 0x10FFFF].randomElement(using: &random) ?? 0),
                        using: &random))
            }
            let value = String(String.UnicodeScalarView(scalars))
            let text = Array(written { $0.string(value) }.utf8)
            try text.withUnsafeBytes { bytes in
                var scanner = JSONScanner(bytes)
                let string = try scanner.string()
                try scanner.end()
                #expect(Array(scanner.value(of: string).utf8) == Array(value.utf8))
                #expect(!text.contains(0x0A))
            }
        }
    }
}

@Suite("Carried JSON") struct CarriedJSONTests {
    @Test("a string carried from another text is written as the text it means would be")
    func carried() throws {
        // Longer than the pieces in which it is carried, whose ends fall into characters.
        let characters = ["é", "\u{2028}", "😀", "a", "\"", "\n"]
        for shift in 0..<4 {
            let value =
                String(repeating: "x", count: shift)
                + (0..<100_000).map { characters[$0 % ($0 < 50_000 ? 3 : 6)] }.joined()
            let text = written { $0.string(value) }
            let carried = Array(text.utf8.dropFirst().dropLast()).withUnsafeBytes { bytes in
                written { $0.string(escaped: bytes) }
            }
            #expect(carried == text)
        }
    }

    @Test(
        "escapes that we do not write become those that we do",
        arguments: [
            (#"\/\u0041\u00e9"#, "\"/Aé\""), (#"\ud83d\ude00\ud83d!"#, "\"😀\u{FFFD}!\""),
            (#"\b\f\u2028\u000A"#, #""\u0008\u000c\u2028\n""#), ("", "\"\""),
        ])
    func escapes(text: String, expected: String) {
        let carried = Array(text.utf8).withUnsafeBytes { bytes in
            written { $0.string(escaped: bytes) }
        }
        #expect(carried == expected)
    }

    /// What carrying text comes to under a limit: whether it is whole, and the bytes written.
    private func carry(
        _ text: String, limit: Int, _ write: (inout JSONWriter, UnsafeRawBufferPointer) -> Void
    ) -> (isWhole: Bool, byteCount: Int) {
        var buffer: [UInt8] = []
        let isWhole = Array(text.utf8).withUnsafeBytes { bytes in
            JSONWriter.append(to: &buffer, byteCountMax: limit) { write(&$0, bytes) }
        }
        return (isWhole, buffer.count)
    }

    @Test("carried text beyond the limit is left out, and the writer says so")
    func limit() {
        let digits = String(repeating: "7", count: 100_000)
        #expect(carry(digits, limit: 100_000) { $0.raw(compacting: $1) } == (true, 100_000))
        #expect(carry(digits, limit: 99_999) { $0.raw(compacting: $1) } == (false, 0))
        let escapes = String(repeating: #"\b"#, count: 1_000)
        #expect(carry(escapes, limit: 6_002) { $0.string(escaped: $1) } == (true, 6_002))
        #expect(!carry(escapes, limit: 6_001) { $0.string(escaped: $1) }.isWhole)
        let cut = carry(escapes, limit: 1_000) { $0.string(escaped: $1) }
        #expect(!cut.isWhole && cut.byteCount < 1_010)
    }

    @Test("text that grows is cut after a piece, not at its end")
    func growth() {
        let separators = String(repeating: "\u{2028}", count: 500_000)
        let cut = carry(separators, limit: 100_000) { $0.string(escaped: $1) }
        #expect(!cut.isWhole && cut.byteCount < 300_000)
    }
}

@Suite("RawJSON") struct RawJSONTests {
    @Test("white space between tokens goes, everything else stays")
    func compact() throws {
        let text = "\n { \"a b\" : [ 1.50 , \"\\\" : , \\\\\" ] ,\r\n\t\"a b\" : \"\\ud800\" } "
        let json = try RawJSON(Array(text.utf8))
        #expect(
            String(decoding: json.bytes, as: UTF8.self)
                == #"{"a b":[1.50,"\" : , \\"],"a b":"\ud800"}"#)
    }

    @Test("what is not one JSON value is refused", arguments: ["", "{", "1 2", "NaN", "[1e]"])
    func refused(text: String) {
        #expect(throws: TextError.self) { try RawJSON(Array(text.utf8)) }
    }

    @Test("a text that is no JSON is carried as a string")
    func string() {
        #expect(RawJSON(string: "no \"json\"").bytes == Array(#""no \"json\"""#.utf8))
    }
}
