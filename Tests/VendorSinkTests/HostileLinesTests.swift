// Facts as somebody would write them who wants something to get out.

import EvalogText
import Testing
import VendorSink

@Suite("Facts of a hostile hand") struct HostileLinesTests {
    /// A line, what it would smuggle out, what it is counted as, and whether the event leaves without.
    struct Attempt: Sendable, CustomTestStringConvertible {
        let name: String
        let line: String
        let smuggled: String
        let counted: [String: Int]
        var leaves = false
        var testDescription: String { name }
    }

    private static func event(_ type: String, _ members: [String: String]) -> String {
        var all = [
            "id": "\"\(Lines.uuid(7))\"", "time": "\"\(Lines.time(100))\"",
            "evaluation": "\"\(Lines.uuid(8))\"", "session": "\"\(Lines.uuid(9))\"",
        ]
        if type == "ai_suppressed" {
            all["subject"] = "\"welcome\""
            all["miss_behavior"] = "\"skip\""
        } else {
            all["subject"] = "\"support/text\""
            all["status"] = "\"success\""
        }
        all.merge(members) { $1 }
        let text = all.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }
        return #"{"v":1,"type":"\#(type)",\#(text.joined(separator: ","))}"#
    }

    private static func suppressed(_ members: [String: String]) -> String {
        event("ai_suppressed", members)
    }

    private static func inferred(_ members: [String: String]) -> String {
        event("form_inference", members)
    }

    private static let subjects: [(String, String)] = [
        ("an email", #""ada@example.com""#),
        ("an address with a key", #""https://x.example/?key=sk-LEAK""#),
        ("words", #""Ada was here LEAK""#), ("words without spaces", "\"Ada\u{A0}LEAK\""),
        ("a digest", #""~0123456789abcdef0123456789abcdef""#),
        ("a control character", #""a\u0007LEAK""#),
        ("a line break", #""a\nLEAK""#), ("a direction mark", "\"a\u{202E}LEAK\""),
        ("a quote", #""a\"LEAK""#), ("a formula", #""=LEAK()""#), ("nothing", #""""#),
        ("a path", #""LEAK/../x""#), ("a long text", "\"\(String(repeating: "LEAK", count: 33))\""),
        ("no text", "7"), ("letters of another script", "\"Ада\""),
    ]

    /// What is not seen where it is shown, or moves what is.
    private static let hiddenMarks: [Unicode.Scalar] = [
        "\u{80}", "\u{9F}", "\u{AD}", "\u{61C}", "\u{200B}", "\u{200E}", "\u{200F}", "\u{2028}",
        "\u{2029}", "\u{202A}", "\u{202E}", "\u{2060}", "\u{2066}", "\u{2069}", "\u{FEFF}",
        "\u{E0041}",
    ]

    static let attempts: [Attempt] =
        subjects.map { name, subject in
            Attempt(
                name: "\(name) as message", line: suppressed(["subject": subject]),
                smuggled: "LEAK",
                counted: [name == "no text" ? "unreadable_lines" : "message_id": 1])
        }
        + subjects.map { name, subject in
            Attempt(
                name: "\(name) as form", line: inferred(["subject": subject]), smuggled: "LEAK",
                counted: [name == "no text" ? "unreadable_lines" : "form_field": 1])
        }
        + [
            Attempt(
                name: "words in the miss behavior",
                line: suppressed(["miss_behavior": #""LEAK words""#]), smuggled: "LEAK",
                counted: ["miss_behavior": 1]),
            Attempt(
                name: "words in the status", line: inferred(["status": #""LEAK words""#]),
                smuggled: "LEAK", counted: ["unreadable_lines": 1]),
            Attempt(
                name: "words in the session", line: suppressed(["session": #""LEAK words""#]),
                smuggled: "LEAK", counted: ["session_id": 1]),
            Attempt(
                name: "a digest as session",
                line: suppressed(["session": #""~0123456789abcdef0123456789abcdef""#]),
                smuggled: "0123456789abcdef", counted: ["session_id": 1]),
            Attempt(
                name: "a session made of a time",
                line: suppressed(["session": #""01932b1e-7a00-7abc-8def-0123456789ab""#]),
                smuggled: "01932b1e", counted: ["session_id": 1]),
            Attempt(
                name: "the evaluation as session",
                line: suppressed(["session": "\"\(Lines.uuid(8))\""]), smuggled: Lines.uuid(8),
                counted: ["session_id": 1]),
            Attempt(
                name: "the evaluation's id", line: suppressed(["id": "\"\(Lines.uuid(8))\""]),
                smuggled: Lines.uuid(8), counted: ["event_id": 1]),
            Attempt(
                name: "an id made of a time",
                line: suppressed(["id": #""01932b1e-7a00-7abc-8def-0123456789ab""#]),
                smuggled: "01932b1e", counted: ["event_id": 1]),
            Attempt(
                name: "a derived id",
                line: inferred(["id": #""01932b1e-7a00-8abc-8def-0123456789ab""#]),
                smuggled: "01932b1e", counted: ["event_id": 1]),
            Attempt(
                name: "an id with a machine's address",
                line: inferred(["id": #""01932b1e-7a00-1abc-8def-0123456789ab""#]),
                smuggled: "01932b1e", counted: ["event_id": 1]),
            Attempt(
                name: "a digest in the form of an id",
                line: suppressed(["id": #""5d41402a-bc4b-2a76-3971-9d911017c592""#]),
                smuggled: "5d41402a", counted: ["event_id": 1]),
            Attempt(
                name: "a digest that looks like a random id but for two bits",
                line: suppressed(["session": #""5d41402a-bc4b-4a76-3971-9d911017c592""#]),
                smuggled: "5d41402a", counted: ["session_id": 1]),
            Attempt(
                name: "the id that stands for none",
                line: suppressed(["id": #""00000000-0000-0000-0000-000000000000""#]),
                smuggled: "00000000-0000-0000", counted: ["event_id": 1]),
            Attempt(
                name: "a time before 1970", line: suppressed(["time": #""1969-12-31T23:59:59Z""#]),
                smuggled: "1969", counted: ["time": 1]),
            Attempt(
                name: "further keys",
                line: suppressed([
                    "reason": #""LEAK""#, "context": #"{"LEAK":["LEAK"]}"#, "model": #""LEAK""#,
                ]), smuggled: "LEAK", counted: ["unknown_keys": 3], leaves: true),
            Attempt(
                name: "keys of a suppression in an inference",
                line: inferred(["miss_behavior": #""LEAK""#, "LEAK": "1"]), smuggled: "LEAK",
                counted: ["unknown_keys": 2], leaves: true),
            Attempt(
                name: "a value that no catalog lists",
                line: inferred(["report": #"{"topic":"LEAK"}"#]), smuggled: "LEAK",
                counted: ["unlisted_value": 1], leaves: true),
            Attempt(
                name: "a property that no catalog lists",
                line: inferred(["report": #"{"leak":"billing"}"#]), smuggled: "leak",
                counted: ["unlisted_value": 1], leaves: true),
            Attempt(
                name: "a property of words",
                line: inferred(["report": #"{"LEAK words":"billing"}"#]),
                smuggled: "LEAK", counted: ["malformed_report": 1], leaves: true),
            Attempt(
                name: "a report that is deep", line: inferred(["report": #"{"topic":{"LEAK":1}}"#]),
                smuggled: "LEAK", counted: ["malformed_report": 1], leaves: true),
            Attempt(
                name: "a report with a number", line: inferred(["report": #"{"topic":1234567}"#]),
                smuggled: "1234567", counted: ["malformed_report": 1], leaves: true),
            Attempt(
                name: "a report with a list",
                line: inferred(["report": #"{"topic":["billing","LEAK"]}"#]), smuggled: "LEAK",
                counted: ["malformed_report": 1], leaves: true),
            Attempt(
                name: "a control character in a value",
                line: inferred(["report": #"{"topic":"billing\u0000LEAK"}"#]), smuggled: "LEAK",
                counted: ["malformed_report": 1], leaves: true),
        ]
        + hiddenMarks.map { mark in
            Attempt(
                name: "U+\(String(mark.value, radix: 16, uppercase: true)) in a value",
                line: inferred(["report": "{\"topic\":\"billing\(mark)LEAK\"}"]), smuggled: "LEAK",
                counted: ["malformed_report": 1], leaves: true)
        }
        + [
            Attempt(
                name: "a property twice",
                line: inferred(["report": #"{"topic":"billing","topic":"LEAK"}"#]),
                smuggled: "LEAK", counted: ["unreadable_lines": 1]),
            Attempt(
                name: "a value of a failure",
                line: inferred(["status": #""failure""#, "report": #"{"topic":"billing"}"#]),
                smuggled: "billing", counted: ["value_of_failure": 1], leaves: true),
            Attempt(
                name: "no JSON", line: #"{"v":1,"type":"ai_suppressed",LEAK"#, smuggled: "LEAK",
                counted: ["unreadable_lines": 1]),
            Attempt(
                name: "a key twice",
                line: suppressed([:]).replacing(
                    #""v":1"#, with: #""v":1,"subject":"LEAK""#), smuggled: "LEAK",
                counted: ["unreadable_lines": 1]),
        ]

    private static let catalog = Lines.catalog(1, #"{"topic":["billing","other"]}"#)

    @Test("do not get out, and are counted", arguments: attempts)
    func attempt(_ attempt: Attempt) {
        // What is unreadable may have told that it is off, from then on.
        let screened = Lines.screen(
            Lines.blocks([Self.catalog, Lines.suppression(2), attempt.line], since: 100))
        let lines = EventLines(screened.events)
        let window = ReportWindow(start: 0, end: 1_000_000)
        let summary = VendorSummary(screened.events.map { (window, $0) })
        let files = [
            lines.bytes, summary.bytes,
            Manifest(
                .events(limits: BatchLimits(), batches: lines.batches),
                ClosedSets(of: screened, in: summary),
                files: [.events: lines.bytes, .summary: summary.bytes]
            ).bytes,
        ].map { String(decoding: $0, as: UTF8.self) }
        for file in files { #expect(!file.contains(attempt.smuggled)) }
        #expect(
            !String(decoding: screened.draft.bytes, as: UTF8.self).contains(attempt.smuggled)
                || attempt.smuggled == "billing")
        #expect(Lines.withheld(screened) == attempt.counted)
        #expect(screened.events.count == (attempt.leaves ? 2 : 1))
    }

    @Test("a catalog of another form lists nothing, and is counted")
    func catalogs() {
        let event = Lines.inference(2, at: 1, report: #"{"topic":"LEAK"}"#)
        let tooMany = (0...64).map { "\"v\($0)\"" }.joined(separator: ",")
        for report in [
            #"{"topic":"LEAK"}"#, #"{"topic":["LEAK",7]}"#, #"{"topic":[["LEAK"]]}"#,
            #"{"topic":["LEAK",\#(tooMany)]}"#, #"{"Topic":["LEAK"],"topic":["LEAK"]}"#,
        ] {
            let screened = Lines.screen([Lines.catalog(1, report), event])
            #expect(Lines.events(screened)[0].hasSuffix(#"{"result":"success"}}"#), "\(report)")
            #expect(
                Lines.withheld(screened) == ["malformed_report": 1, "unlisted_value": 1],
                "\(report)")
        }
        for field in ["~0123456789abcdef0123456789abcdef", "support", "a b/c", "support/text/more"]
        {
            let screened = Lines.screen([
                Lines.catalog(1, field: field, #"{"topic":["LEAK"]}"#), event,
            ])
            #expect(
                Lines.withheld(screened) == ["no_catalog": 1, "catalog_field": 1], "\(field)")
        }
    }

    private static let skipped =
        #""usage":"mood","outcome":"skipped","attempts":0,"reason":"no_model","detail":"not_enabled"#
        + #"","error":"timeout","assumed":["time"]"#

    @Test(
        "text where a name of a closed list belongs is counted, each one once",
        arguments: [
            ("no_model", "LEAK words", ["malformed_value": 1]),
            ("not_enabled", "LEAK", ["malformed_value": 1]),
            ("timeout", "LEAK\\nwords", ["malformed_value": 1]),
            (#"["time"]"#, #"["LEAK","time","LEAK words"]"#, ["malformed_value": 2]),
            (#"["time"]"#, #"[{"LEAK":1}]"#, ["unreadable_lines": 1]),
            ("skipped", "LEAK", ["unreadable_lines": 1]), ("no_model", "other", [:]),
            ("evaluation", "LEAK", ["unknown_types": 1]), ("evaluation", "", ["unknown_types": 1]),
        ])
    func closedLists(name: String, text: String, counted: [String: Int]) {
        let line =
            #"{"v":1,"type":"evaluation","id":"\#(Lines.uuid(2))","time":"\#(Lines.time(0))","#
            + Self.skipped + "}"
        #expect(Lines.withheld(Lines.screen([line])) == [:])
        let screened = Lines.screen([line.replacing(name, with: text)])
        #expect(screened.events.isEmpty)
        #expect(Lines.withheld(screened) == counted)
    }

    @Test("text as the cause of a gap, or beside the word that a line was erased, is counted")
    func gapsAndTombstones() {
        let gap = Lines.refusal(1, at: 0, since: 0)
        #expect(Lines.withheld(Lines.screen([gap])) == [:])
        #expect(
            Lines.withheld(Lines.screen([gap.replacing("buffer_full", with: "LEAK")]))
                == ["malformed_value": 1])
        #expect(Lines.withheld(Lines.screen([#"{"erased":true}"#])) == [:])
        #expect(
            Lines.withheld(
                Lines.screen([
                    #"{"v":1,"erased":true,"LEAK":"LEAK","subject":"LEAK","type":"LEAK"}"#
                ]))
                == ["unknown_keys": 3])
    }

    @Test("facts that are never reported are counted as well")
    func evaluations() {
        let screened = Lines.screen([
            Lines.evaluation(1, usage: "scene_text_input").replacing(
                #""outcome""#, with: #""model":"https://LEAK/?key=sk","context":"LEAK","outcome""#),
            Lines.evaluation(2, usage: "LEAK words").replacing(
                #""outcome""#, with: #""subject":"ada@example.com","outcome""#),
            Lines.gate(3, at: 0, isOn: true).replacing(#""on_"#, with: #""LEAK":1,"on_"#),
            #"{"v":1,"type":"log_gap","id":"\#(Lines.uuid(4))","time":"\#(Lines.time(0))","stream":"#
                + #""facts","since":"\#(Lines.time(0))","refused":1,"cause":"no_space","LEAK":1}"#,
        ])
        #expect(screened.events.isEmpty)
        #expect(Lines.withheld(screened) == ["unknown_keys": 3, "malformed_value": 3])
    }
}
