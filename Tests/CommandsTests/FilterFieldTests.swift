// Filters on the fields of facts: every field has one, and it chooses what it says.

import EvalogFacts
import EvalogText
import Foundation
import TestSupport
import Testing

@testable import Commands

@Suite("Filters of lines") struct FilterFieldTests {
    private static let id = "0193f0a0-0000-7000-8000-00000000000a"
    private static let other = "00000000-0000-4000-8000-00000000000b"
    private static let session = "0b54f0ee-9c5d-4d0a-8f52-00000000000c"

    /// One line of each kind, and an evaluation of each outcome.
    private static let lines: [String: String] = [
        "completed": evaluation(
            #""subject":"banner","session":"\#(session)","model":"tiny","os":"iOS 26.1","device":"iPhone17,1","#
                + #""app":"4.2.0","outcome":"completed","duration_us":1500000,"attempts":3,"decoded":false"#
        ),
        "skipped": evaluation(
            #""outcome":"skipped","reason":"model_unavailable","detail":"not_enabled","duration_us":0,"attempts":0"#
        ),
        "failed": evaluation(
            #""outcome":"failed","error":"timeout","duration_invalid":true,"attempts":1,"assumed":["time"]"#
        ),
        "suppression": event(
            "ai_suppressed", #""evaluation":"\#(id)","subject":"banner","miss_behavior":"skip""#),
        "inference": event(
            "form_inference",
            #""evaluation":"\#(id)","subject":"f/g","status":"success","report":{"intent":"billing","urgent":true}"#
        ),
        "catalog": event("catalog", #""subject":"f/g","report":{"intent":["billing","delivery"]}"#),
        "gate": event("gate", #""on_device_ai":false"#),
        "gap": event(
            "log_gap",
            #""stream":"content","since":"2026-11-29T10:00:00Z","refused":12,"cause":"no_space""#),
        "test": event(
            "test_result",
            #""evaluation":"\#(id)","suite":"mail","suite_digest":"0123456789abcdef","case":"7","task":"sort","repetition":2,"verdict":"fail","failure":"wrong_class""#
        ),
    ]

    private static func evaluation(_ members: String) -> String {
        #"{"v":1,"type":"evaluation","id":"\#(id)","time":"2026-11-29T10:00:00Z","usage":"mood",\#(members)}"#
    }

    private static func event(_ type: String, _ members: String) -> String {
        #"{"v":1,"type":"\#(type)","id":"\#(other)","time":"2026-11-29T11:00:00Z",\#(members)}"#
    }

    /// The names of the lines that pass.
    private func passing(_ words: [String]) throws -> Set<String> {
        let filter = try LineFilter(try Arguments(words, for: .tail), now: 0)
        var decoder = FactDecoder()
        return try Set(
            Self.lines.filter { _, line in
                try Array(line.utf8).withUnsafeBytes { bytes in
                    filter.passes(try #require(Fact(try decoder.decode(bytes))))
                }
            }.keys)
    }

    private static let evaluations: Set = ["completed", "skipped", "failed"]

    @Test(
        "each chooses the facts that have the value",
        arguments: [
            (["--type", "gate"], ["gate"]),
            (["--type", "gate", "--type", "catalog"], ["gate", "catalog"]),
            (["--id", id.uppercased()], evaluations), (["--usage", "mood"], evaluations),
            (["--usage", "other"], []), (["--subject", "banner"], ["completed", "suppression"]),
            (["--subject", ""], ["skipped", "failed"]), (["--session", session], ["completed"]),
            (["--session", session.uppercased()], ["completed"]),
            (["--model", "tiny"], ["completed"]),
            (["--model", ""], ["skipped", "failed"]), (["--os", "iOS 26.1"], ["completed"]),
            (["--device", "iPhone17,1"], ["completed"]), (["--app", "4.2.0"], ["completed"]),
            (["--outcome", "failed", "--outcome", "skipped"], ["skipped", "failed"]),
            (["--reason", "model_unavailable"], ["skipped"]),
            (["--detail", "not_enabled"], ["skipped"]),
            (["--error", "timeout"], ["failed"]), (["--min-duration", "1500ms"], ["completed"]),
            (["--min-duration", "1501ms"], []),
            (["--min-attempts", "1"], ["completed", "failed"]),
            (["--decoded", "false"], ["completed"]), (["--duration-invalid", "true"], ["failed"]),
            (["--assumed", "time"], ["failed"]),
            (["--evaluation", id], ["suppression", "inference", "test"]),
            (["--suite-digest", "0123456789abcdef"], ["test"]),
            (["--suite-digest", "0123456789abcdee"], []),
            (["--suite", "mail"], ["test"]), (["--case", "7"], ["test"]),
            (["--case", "8"], []), (["--task", "sort"], ["test"]),
            (["--verdict", "fail"], ["test"]), (["--failure", "wrong_class"], ["test"]),
            (["--failure", "different"], []), (["--min-repetition", "2"], ["test"]),
            (["--min-repetition", "3"], []),
            (["--miss-behavior", "skip"], ["suppression"]),
            (["--status", "success"], ["inference"]),
            (["--report", "intent=billing"], ["inference", "catalog"]),
            (["--report", "intent=delivery"], ["catalog"]),
            (["--report", "urgent"], ["inference"]),
            (["--report", "urgent=true"], ["inference"]), (["--on-device-ai", "false"], ["gate"]),
            (["--on-device-ai", "true"], []), (["--stream", "content"], ["gap"]),
            (["--cause", "no_space"], ["gap"]), (["--min-refused", "12"], ["gap"]),
            (["--min-refused", "13"], []),
            (["--evaluation", id, "--type", "form_inference"], ["inference"]),
            (
                ["--since", "2026-11-29T10:30:00Z"],
                ["suppression", "inference", "catalog", "gate", "gap", "test"]
            ),
            (["--until", "2026-11-29T10:30:00Z"], evaluations),
        ] as [([String], Set<String>)])
    func chooses(words: [String], expected: Set<String>) throws {
        #expect(try passing(words) == expected)
    }

    @Test("every field of the schema of facts has a filter, its version and further times aside")
    func complete() throws {
        let path = "\(RepositoryRoot.path)/schemas/fact-v1.schema.json"
        let schema = try #require(
            try JSONSerialization.jsonObject(with: try Data(contentsOf: URL(filePath: path)))
                as? [String: Any])
        func properties(_ value: Any) -> Set<String> {
            guard let object = value as? [String: Any] else {
                return (value as? [Any] ?? []).reduce(into: []) { $0.formUnion(properties($1)) }
            }
            // A report's own members are none of a fact.
            let own = Set((object["properties"] as? [String: Any] ?? [:]).keys)
            return object.reduce(into: own) { $0.formUnion(properties($1.value)) }
        }
        let expected = properties(schema).subtracting(["v", "time", "since", "erased", "unread"])
        #expect(Set(FilterField.all.map(\.key)) == expected)
    }

    @Test(
        "a value that no fact can have is refused",
        arguments: [
            ["--type", "gates"], ["--id", "1"], ["--session", "anna"], ["--subject", "two words"],
            ["--outcome", "Failed"], ["--min-duration", "2"], ["--min-attempts", "-1"],
            ["--min-refused", "many"], ["--decoded", "yes"], ["--type", ""],
            ["--since", "2026-11-30", "--until", "2026-11-29"],
        ])
    func refused(words: [String]) throws {
        let arguments = try Arguments(words, for: .tail)
        #expect(throws: CommandFailure.self) { try LineFilter(arguments, now: 0) }
    }

    @Test("what the journal of reveals digests has one form")
    func descriptions() throws {
        let words = [
            "--since", "1h", "--session", Self.session.uppercased(), "--outcome", "failed",
        ]
        let filter = try LineFilter(try Arguments(words, for: .tail), now: 0)
        #expect(
            filter.descriptions == ["--session=\(Self.session)", "--outcome=failed", "--since=1h"])
    }
}
