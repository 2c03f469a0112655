// Lines as they come: written by us, by others, and by nobody sane.

import EvalogFacts
import EvalogText
import Testing

/// The members that every evaluation must have.
private let evaluation =
    #""v":1,"type":"evaluation","id":"0193f0a0-0000-7000-8000-000000000001","#
    + #""time":"2026-11-29T10:15:30.123456Z","usage":"embedded_selection""#
    + #","outcome":"completed","attempts":1"#

@Suite("FactDecoder") struct FactDecoderTests {
    /// Decodes and copies, so that nothing lent outlives the call.
    private func decode(_ line: String) -> Result<Fact?, FactError> {
        decode(Array(line.utf8))
    }

    private func decode(_ line: [UInt8]) -> Result<Fact?, FactError> {
        var decoder = FactDecoder()
        return line.withUnsafeBytes { bytes in
            do throws(FactError) {
                return .success(Fact(try decoder.decode(bytes)))
            } catch {
                return .failure(error)
            }
        }
    }

    private func fault(_ line: String) -> FactError.Kind? {
        if case .failure(let error) = decode(line) { error.kind } else { nil }
    }

    private func view<Value>(_ line: String, _ read: (FactView) -> Value) throws -> Value {
        var decoder = FactDecoder()
        return try Array(line.utf8).withUnsafeBytes { read(try decoder.decode($0)) }
    }

    private func encoded(_ fact: Fact?) -> String {
        var buffer: [UInt8] = []
        fact?.encode(into: &buffer)
        return String(decoding: buffer, as: UTF8.self)
    }

    static let canonical = [
        #"{"v":1,"type":"evaluation","id":"0193f0a0-0000-7000-8000-000000000001","time":"2026-11-29T10:15:30.123456Z","usage":"embedded_selection","subject":"home_banner","session":"6f1c2a7e-9b3d-4c55-8a1b-2c3d4e5f6071","model":"smollm2-135m","os":"iOS 26.1","device":"iPhone17,1","app":"4.2.0","outcome":"completed","duration_us":182345,"attempts":1}"#,
        #"{"v":1,"type":"evaluation","id":"0193f0a0-0000-7000-8000-000000000002","time":"1969-12-31T23:59:59.999999Z","usage":"a","outcome":"skipped","reason":"model_unavailable","detail":"not_enabled","duration_us":0,"attempts":0}"#,
        #"{"v":1,"type":"evaluation","id":"0193f0a0-0000-7000-8000-000000000003","time":"2262-04-12T00:00:00.000000Z","usage":"a","session":"~0123456789abcdef0123456789abcdef","outcome":"failed","error":"timeout","duration_invalid":true,"attempts":2,"decoded":false,"assumed":["time"]}"#,
        #"{"v":1,"type":"ai_suppressed","id":"6f1c2a7e-9b3d-4c55-8a1b-2c3d4e5f6071","time":"2026-11-29T10:15:30.123456Z","evaluation":"0193f0a0-0000-7000-8000-000000000001","subject":"message-1","session":"6f1c2a7e-9b3d-4c55-8a1b-2c3d4e5f6071","miss_behavior":"skip"}"#,
        #"{"v":1,"type":"form_inference","id":"6f1c2a7e-9b3d-4c55-8a1b-2c3d4e5f6071","time":"2026-11-29T10:15:30.123456Z","evaluation":"0193f0a0-0000-7000-8000-000000000001","subject":"form/field","status":"success","report":{"intent":"billing \"é\"","urgent":true}}"#,
        #"{"v":1,"type":"catalog","id":"6f1c2a7e-9b3d-4c55-8a1b-2c3d4e5f6071","time":"2026-11-29T10:15:30.123456Z","subject":"form/field","report":{"intent":["billing","delivery"],"urgent":[true,false],"none":[]}}"#,
        #"{"v":1,"type":"gate","id":"6f1c2a7e-9b3d-4c55-8a1b-2c3d4e5f6071","time":"2026-11-29T10:15:30.123456Z","on_device_ai":false}"#,
        #"{"v":1,"type":"log_gap","id":"6f1c2a7e-9b3d-4c55-8a1b-2c3d4e5f6071","time":"2026-11-29T10:15:30.123456Z","stream":"content","since":"2026-11-29T10:00:00.000000Z","refused":12,"cause":"no_space"}"#,
        #"{"v":1,"type":"test_result","id":"6f1c2a7e-9b3d-8c55-8a1b-2c3d4e5f6071","time":"2026-11-29T10:15:30.123456Z","evaluation":"0193f0a0-0000-7000-8000-000000000001","session":"6f1c2a7e-9b3d-4c55-8a1b-2c3d4e5f6071","suite":"Mail.v2","suite_digest":"0123456789abcdef","case":"0007","task":"sort_mail","repetition":2,"verdict":"fail","failure":"wrong_class"}"#,
    ]

    @Test("a line that we write comes back byte for byte", arguments: canonical)
    func identity(line: String) throws {
        #expect(encoded(try decode(line).get()) == line)
        #expect(try view(line) { $0.misfitCount + $0.unknownKeyCount } == 0)
    }

    @Test("order, white space, escapes and unknown keys do not change what is read")
    func tolerant() throws {
        let line =
            "\t{ \"attempts\" : 1 , \"x\":{\"y\":[1,{\"z\":null}]},\"outco\\u006de\":\"completed\","
            + "\"usage\":\"embedded\\u005fselection\",\"id\":\"0193F0A0-0000-7000-8000-000000000001\","
            + "\"subject\":\"caf\\u00e9\\/\\ud83d\\ude00\",\"model\":null,\"report\":7,"
            + "\"time\":\"2026-11-29T11:15:30.123456+01:00\",\"type\":\"evaluation\"}\r\n"
        let fact = try decode(line).get()
        #expect(
            encoded(fact)
                == #"{"v":1,"type":"evaluation","id":"0193f0a0-0000-7000-8000-000000000001","time":"2026-11-29T10:15:30.123456Z","usage":"embedded_selection","subject":"café/😀","outcome":"completed","attempts":1}"#
        )
        #expect(try view(line) { $0.unknownKeyCount } == 2)
        let timeText = try view(line) { Array(line.utf8)[$0.timeRange] }
        #expect(timeText == Array("\"2026-11-29T11:15:30.123456+01:00\"".utf8)[...])
    }

    @Test(
        "a line that is no fact is refused for what is wrong with it",
        arguments: [
            ("", .notJSON(.truncated)), ("plain text", .notJSON(.unexpectedByte)),
            ("[]", .notAnObject), ("{\(evaluation)", .notJSON(.truncated)),
            ("{\(evaluation)}}", .notJSON(.trailingBytes)),
            ("{\(evaluation),\"subject\":\"\\ud800\"}", .notJSON(.loneSurrogate)),
            ("{\(evaluation),\"x\":\"a\u{0}\"}", .notJSON(.controlCharacter)),
            ("{\(evaluation),\"attempts\":1}", .duplicateKey(.attempts)),
            ("{\(evaluation),\"attempt\\u0073\":null}", .duplicateKey(.attempts)),
            ("{\(evaluation),\"duration_us\":1e308}", .badValue(.duration)),
            ("{\(evaluation),\"duration_us\":-1}", .badValue(.duration)),
            ("{\(evaluation),\"duration_us\":1.5}", .badValue(.duration)),
            ("{\(evaluation),\"duration_us\":9223372036854775808}", .badValue(.duration)),
            ("{\(evaluation),\"duration_us\":86400000001}", .badValue(.duration)),
            ("{\(evaluation),\"duration_us\":\"3\"}", .badValue(.duration)),
            ("{\(evaluation),\"session\":5}", .badValue(.session)),
            ("{\(evaluation),\"decoded\":\"no\"}", .badValue(.decoded)),
            ("{\(evaluation),\"assumed\":[1]}", .badValue(.assumed)),
            ("{}", .missing(.type)), ("{\"type\":5}", .badValue(.type)),
            ("{\"v\":2,\"type\":\"evaluation\"}", .unsupportedVersion),
            ("{\"v\":\"1\",\"type\":\"evaluation\"}", .badValue(.version)),
            ("{\"type\":\"gate\"}", .missing(.id)),
            ("{\"type\":\"gate\",\"id\":\"1\"}", .badValue(.id)),
        ] as [(String, FactError.Kind)])
    func refused(line: String, kind: FactError.Kind) {
        #expect(fault(line) == kind)
    }

    @Test(
        "attempts are whole numbers from 0 to a million",
        arguments: ["1e308", "-1", "1.5", "9223372036854775808", "\"3\"", "1000001", "3.0", "1e2"])
    func attempts(value: String) {
        let line = "{\(evaluation)}".replacing("\"attempts\":1", with: "\"attempts\":\(value)")
        #expect(fault(line) == .badValue(.attempts))
    }

    @Test(
        "each member that a kind must have is missed when it is absent or null",
        arguments: [
            ("evaluation", ["id", "time", "usage", "outcome", "attempts"]),
            ("ai_suppressed", ["id", "time", "evaluation"]),
            ("form_inference", ["id", "time", "evaluation", "status"]),
            ("catalog", ["id", "time", "report"]), ("gate", ["id", "time", "on_device_ai"]),
            ("log_gap", ["id", "time", "stream", "since", "refused"]),
            (
                "test_result",
                ["id", "time", "evaluation", "suite", "case", "task", "repetition", "verdict"]
            ),
        ])
    func required(kind: String, keys: [String]) throws {
        let values = [
            "id": "\"0193f0a0-0000-7000-8000-000000000001\"",
            "time": "\"2026-11-29T10:15:30Z\"", "usage": "\"a\"", "outcome": "\"failed\"",
            "attempts": "0", "evaluation": "\"0193f0a0-0000-7000-8000-000000000001\"",
            "status": "\"failure\"", "report": "{}", "on_device_ai": "true",
            "stream": "\"facts\"", "since": "\"2026-11-29T10:15:30Z\"", "refused": "0",
            "suite": "\"s\"", "case": "\"c\"", "task": "\"t\"", "repetition": "1",
            "verdict": "\"pass\"",
        ]
        func line(_ value: (String) -> String?) -> String {
            let members = keys.compactMap { key in value(key).map { "\"\(key)\":\($0)" } }
            return "{\"type\":\"\(kind)\",\(members.joined(separator: ","))}"
        }
        #expect(fault(line { values[$0] }) == nil)
        for key in keys {
            let field = try #require(
                FactField.allCases.first { "\($0.name)" == key })
            #expect(fault(line { $0 == key ? nil : values[$0] }) == .missing(field))
            #expect(fault(line { $0 == key ? "null" : values[$0] }) == .missing(field))
            #expect(fault(line { $0 == key ? "[]" : values[$0] }) == .badValue(field))
        }
    }

    @Test("texts of the wrong shape become other or absent, and are counted")
    func misfits() throws {
        let line =
            #"{"type":"evaluation","id":"0193f0a0-0000-7000-8000-000000000001","time":"2026-11-29T10:15:30Z","usage":"Free Text","subject":"anna@example.org","session":"anna","model":"https://host/m?key=1","os":"TempleOS 5","device":"Anna's phone","app":"4.2 beta","outcome":"failed","error":"disk melted","attempts":0}"#
        #expect(
            encoded(try decode(line).get())
                == #"{"v":1,"type":"evaluation","id":"0193f0a0-0000-7000-8000-000000000001","time":"2026-11-29T10:15:30.000000Z","usage":"other","model":"other","os":"other","device":"other","app":"other","outcome":"failed","error":"other","attempts":0}"#
        )
        #expect(try view(line) { $0.misfitCount } == 7)
    }

    @Test(
        "a report of anything but closed values is absent and counted",
        arguments: [
            #"{"intent":5}"#, #"{"intent":null}"#, #"{"intent":{"a":"b"}}"#, #"{"In tent":"a"}"#,
            #"{"intent":["a"]}"#, "{\"intent\":\"\(String(repeating: "x", count: 65))\"}",
            "{" + (0...32).map { "\"f\($0)\":true" }.joined(separator: ",") + "}",
        ])
    func reportMisfits(report: String) throws {
        let line = Self.canonical[4].replacing(/"report":.*/, with: "\"report\":\(report)}")
        #expect(try view(line) { ($0.misfitCount, $0.report.isEmpty) } == (1, true))
        #expect(fault(line.replacing(report, with: "[]")) == .badValue(.report))
    }

    @Test("a field that stands twice in a report makes the line unreadable")
    func reportDuplicates() {
        let line = Self.canonical[4].replacing(
            /"report":.*/, with: #""report":{"intent":"a","int\u0065nt":"b"}}"#)
        #expect(fault(line) == .duplicateKey(.report))
    }

    @Test("report values are walked in the order of the line, escapes undone")
    func reportValues() throws {
        let line = Self.canonical[4].replacing(
            /"report":.*/, with: #""report":{"b":"\u0078","a":true,"\u0063":""}}"#)
        let values = try view(line) { view in
            var values: [String] = []
            FactView.forEachValue(ofReport: view.report) { field, value in
                values.append(
                    String(decoding: field, as: UTF8.self) + "="
                        + String(decoding: value.text, as: UTF8.self))
            }
            return values
        }
        #expect(values == ["b=x", "a=true", "c="])
    }

    @Test("an unknown type needs nothing else, and gives its id and time if it has them")
    func unknownType() throws {
        #expect(try decode(#"{"type":"later"}"#).get() == nil)
        #expect(try decode(#"{"type":"later","id":7,"time":{},"attempts":"x"}"#).get() == nil)
        let line = Self.canonical[6].replacing("gate", with: "later")
        #expect(try view(line) { $0.kind } == .unknown)
        #expect(try view(line) { $0.time } == 1_795_947_330_123_456)
    }

    @Test("an invalid duration is no duration, whatever else the line says")
    func invalidDuration() throws {
        let line = "{\(evaluation),\"duration_us\":5,\"duration_invalid\":true}"
        #expect(try view(line) { $0.duration } == nil)
        #expect(try view(line) { $0.isDurationInvalid })
        #expect(
            try view("{\(evaluation),\"duration_us\":5,\"duration_invalid\":false}") { $0.duration }
                == 5)
    }

    @Test("10,000 levels and a line of 20 MB are errors")
    func extremes() {
        let deep = String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000)
        #expect(fault("{\(evaluation),\"x\":\(deep)}") == .notJSON(.tooDeep))
        for count in [10_000_000, 20_000_000] {
            let long = [UInt8](repeating: UInt8(ascii: " "), count: count)
            #expect(decode(long) == .failure(FactError(.tooLong, at: 1 << 20)))
        }
    }

    @Test("invalid UTF-8 is refused where it stands")
    func invalidUTF8() {
        var line = Array(Self.canonical[0].utf8)
        line[20] = 0xFF
        #expect(decode(line) == .failure(FactError(.notJSON(.invalidUTF8), at: 20)))
    }

    @Test("long texts with few escapes are all read", arguments: [1, 100, 300, 5_000, 100_000])
    func longEscapes(length: Int) throws {
        let text = "\\u0041" + String(repeating: "a", count: length)
        let keys = ["subject", "model", "os", "device", "app", "session"]
        let members = keys.map { "\"\($0)\":\"\(text)\"" }.joined(separator: ",")
        let line = "{\(evaluation),\(members)}".replacing("embedded_selection", with: text)
        let misfits = try view(line) { view in
            #expect(view.subject.count == (length < 128 ? length + 1 : 0))
            return view.misfitCount
        }
        #expect(misfits == (length == 1 ? 4 : length == 100 ? 6 : 7))
    }

    @Test("what one decoder lent stays as it is while a copy of it reads on")
    func copies() throws {
        let lines = ["a", "b"].map { letter in
            let code = letter == "a" ? "\\u0061" : "\\u0062"
            return Array("{\(evaluation),\"subject\":\"\(code)\"}".utf8)
        }
        try lines[0].withUnsafeBytes { first in
            try lines[1].withUnsafeBytes { second in
                var decoder = FactDecoder()
                let lent = try decoder.decode(first)
                var copy = decoder
                _ = try copy.decode(second)
                #expect(lent.subject.elementsEqual("a".utf8))
            }
        }
    }
}
