// Lines of cases for tests.

import TestSets

enum CaseLines {
    static let schema =
        #"{"type":"object","properties":{"team":{"type":"string","enum":["sales","support"]},"total":{"type":"string"},"due":{"type":"string"},"count":{"type":"integer"},"summary":{"type":"string"}},"required":["team"]}"#

    /// A case with some members in place of ours, or more of them; null takes one away.
    static func line(_ id: String = "1", _ members: [String: String?] = [:]) -> String {
        var all: [String: String?] = [
            "id": "\"\(id)\"", "task": "\"sort_mail\"", "instructions": "\"Pick the team.\"",
            "schema": schema, "input": "\"Where is my parcel?\"", "rule": "\"class\"",
            "expected": #"{"team":"support"}"#,
        ]
        all.merge(members) { $1 }
        let written = all.sorted { $0.key < $1.key }.compactMap { name, value in
            value.map { "\"\(name)\":\($0)" }
        }
        return "{\(written.joined(separator: ","))}"
    }

    static func suite(_ lines: [String], name: String = "mail") throws(TestSuiteError) -> TestSuite
    {
        try TestSuite(name: name, ndjson: Array(lines.joined(separator: "\n").utf8))
    }

    static func testCase(_ members: [String: String?]) throws -> TestCase {
        try suite([line("1", members)]).cases[0]
    }
}
