// What the scanner takes, what it refuses, and where it says the fault is.

import EvalogText
import Testing

@Suite("JSONScanner") struct JSONScannerTests {
    /// Passes over the whole text; nil if it is one JSON value.
    private func fault(
        in text: [UInt8], loneSurrogates: JSONScanner.LoneSurrogates = .refused
    ) -> TextError? {
        text.withUnsafeBytes { bytes in
            var scanner = JSONScanner(bytes, loneSurrogates: loneSurrogates)
            do {
                _ = try scanner.skipValue()
                try scanner.end()
                return nil
            } catch {
                return error as? TextError
            }
        }
    }

    private func fault(in text: String) -> TextError? { fault(in: Array(text.utf8)) }

    @Test(
        "a value that the grammar allows is taken to its end",
        arguments: [
            "{}", "[]", " [ ] ", "0", "-0", "-0.0", "1e5", "1E+5", "1.25e-3", "true", "false",
            "null", "\"\"", "\"\\u0000\"", "{\"a\":[1,{\"b\":[]}],\"c\":{}}", "\t[1,\r\n2 , 3]\n",
            "\"\u{10FFFF}\u{7FF}\u{800}\u{D7FF}\u{E000}\"", "\"\\ud83d\\ude00\"", "1e999",
            "[[],[[]],{\"\":{}}]",
        ])
    func accepted(text: String) {
        #expect(fault(in: text) == nil)
    }

    @Test(
        "a text that is no JSON is refused at the first wrong byte",
        arguments: [
            ("", TextError(.truncated, at: 0)), ("{", .init(.truncated, at: 1)),
            ("[1,]", .init(.unexpectedByte, at: 3)), ("{\"a\":1,}", .init(.unexpectedByte, at: 7)),
            ("[1 2]", .init(.unexpectedByte, at: 3)), ("[,1]", .init(.unexpectedByte, at: 1)),
            ("{\"a\" 1}", .init(.unexpectedByte, at: 5)), ("{a:1}", .init(.unexpectedByte, at: 1)),
            ("01", .init(.trailingBytes, at: 1)), ("+1", .init(.unexpectedByte, at: 0)),
            ("1.", .init(.truncated, at: 2)), (".5", .init(.unexpectedByte, at: 0)),
            ("1e", .init(.truncated, at: 2)), ("-", .init(.truncated, at: 1)),
            ("--1", .init(.unexpectedByte, at: 1)), ("tru", .init(.truncated, at: 3)),
            ("trux", .init(.unexpectedByte, at: 3)), ("nul", .init(.truncated, at: 3)),
            ("NaN", .init(.unexpectedByte, at: 0)), ("\"abc", .init(.truncated, at: 4)),
            ("\"\\x\"", .init(.badEscape, at: 1)), ("\"\\u12g4\"", .init(.badEscape, at: 1)),
            ("\"\\u12", .init(.truncated, at: 5)), ("\"\\", .init(.truncated, at: 2)),
            ("\"a\u{0}b\"", .init(.controlCharacter, at: 2)),
            ("\"a\nb\"", .init(.controlCharacter, at: 2)), ("[]]", .init(.trailingBytes, at: 2)),
            ("{} {}", .init(.trailingBytes, at: 3)), ("[}", .init(.unexpectedByte, at: 1)),
            ("\u{FEFF}{}", .init(.unexpectedByte, at: 0)),
        ])
    func refused(text: String, expected: TextError) {
        #expect(fault(in: text) == expected)
    }

    @Test(
        "bytes that are not UTF-8 are refused inside a string",
        arguments: [
            [0xFF], [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xC2], [0xE0, 0x80, 0x80],
            [0xE0, 0x9F, 0xBF], [0xED, 0xA0, 0x80], [0xEF, 0xBF], [0xF0, 0x80, 0x80, 0x80],
            [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xE2, 0x28, 0xA1],
        ] as [[UInt8]])
    func invalidUTF8(bytes: [UInt8]) {
        let text = Array("\"a".utf8) + bytes + Array("\"".utf8)
        #expect(fault(in: text) == TextError(.invalidUTF8, at: 2))
    }

    @Test(
        "half a surrogate pair is an error or U+FFFD, as the caller chose",
        arguments: [
            ("\\ud800", "\u{FFFD}"), ("\\udc00", "\u{FFFD}"),
            ("\\ud800\\ud800", "\u{FFFD}\u{FFFD}"), ("\\ud800x", "\u{FFFD}x"),
            ("\\uD83D\\u0041", "\u{FFFD}A"), ("\\ud800\\n", "\u{FFFD}\n"),
        ])
    func loneSurrogates(escaped: String, replaced: String) throws {
        let text = Array("\"\(escaped)\"".utf8)
        #expect(fault(in: text)?.kind == .loneSurrogate)
        #expect(fault(in: text, loneSurrogates: .replaced) == nil)
        try text.withUnsafeBytes { bytes in
            var scanner = JSONScanner(bytes, loneSurrogates: .replaced)
            let string = try scanner.string()
            #expect(scanner.value(of: string) == replaced)
        }
    }

    @Test("every escape means its character")
    func escapes() throws {
        let text = Array(#""\"\\\/\b\f\n\r\t\u0041\u00e9\u20ac\ud83d\ude00\u0000""#.utf8)
        try text.withUnsafeBytes { bytes in
            var scanner = JSONScanner(bytes)
            let string = try scanner.string()
            #expect(string.hasEscapes)
            #expect(
                scanner.value(of: string)
                    == "\"\\/\u{8}\u{C}\n\r\tA\u{E9}\u{20AC}\u{1F600}\u{0}")
        }
    }

    @Test(
        "512 levels are followed and 513 are an error",
        arguments: ["[": "]", "{\"a\":": "}"].sorted(by: <).map { [$0.key, $0.value] })
    func depth(brackets: [String]) {
        func nested(_ depth: Int) -> String {
            String(repeating: brackets[0], count: depth) + "1"
                + String(repeating: brackets[1], count: depth)
        }
        #expect(fault(in: nested(511)) == nil)
        #expect(fault(in: nested(512)) == nil)
        #expect(fault(in: nested(513))?.kind == .tooDeep)
        #expect(fault(in: nested(10_000))?.kind == .tooDeep)
    }

    @Test("containers of both kinds close in the order in which they opened", arguments: 60...70)
    func alternating(depth: Int) {
        var opening = ""
        var closing = ""
        for level in 0..<depth {
            opening += level % 3 == 0 ? "{\"k\":" : "[0,"
            closing = (level % 3 == 0 ? ",\"l\":[]}" : ",{}]") + closing
        }
        #expect(fault(in: opening + "null" + closing) == nil)
        #expect(fault(in: opening + "null" + closing.dropLast() + "?")?.kind == .unexpectedByte)
    }

    @Test(
        "an integer has 64 bits, no point and no exponent",
        arguments: [
            ("0", 0), ("-1", -1), ("9223372036854775807", Int64.max),
            ("-9223372036854775808", Int64.min), ("9007199254740993", 9_007_199_254_740_993),
            ("9223372036854775808", nil), ("-9223372036854775809", nil), ("1.0", nil),
            ("1e2", nil), ("1e308", nil), ("1.5", nil), ("99999999999999999999", nil),
        ])
    func integers(text: String, expected: Int64?) {
        Array(text.utf8).withUnsafeBytes { bytes in
            var scanner = JSONScanner(bytes)
            #expect((try? scanner.integer()) == expected)
        }
    }

    @Test("cut anywhere, a text is truncated and nothing is read behind its end")
    func cuts() {
        let text = Array(#" {"a":[1.5e3,true,null,"x\u00e9\n"],"b":{"c":false}}"#.utf8)
        for length in 0..<text.count {
            let cut = Array(text.prefix(length))
            #expect(fault(in: cut)?.kind == .truncated, "\(length)")
        }
    }

    @Test("object and array iteration yields keys and elements in order")
    func iteration() throws {
        try Array(#"{"one": 1, "list": [10, 20], "t": true, "none": null}"#.utf8)
            .withUnsafeBytes { bytes in
                var scanner = JSONScanner(bytes)
                var seen: [String] = []
                try scanner.beginObject()
                while let key = try scanner.nextKey() {
                    seen.append(scanner.value(of: key))
                    switch try scanner.valueKind() {
                    case .number: seen.append(String(try scanner.integer()))
                    case .bool: seen.append(String(try scanner.bool()))
                    case .null: try scanner.null()
                    case .array:
                        try scanner.beginArray()
                        while try scanner.nextElement() {
                            seen.append(String(try scanner.integer()))
                        }
                    case .object, .string: _ = try scanner.skipValue()
                    }
                }
                try scanner.end()
                #expect(seen == ["one", "1", "list", "10", "20", "t", "true", "none"])
                #expect(scanner.depth == 0)
            }
    }
}
