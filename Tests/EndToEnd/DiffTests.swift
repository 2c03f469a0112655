// evalog replay --as-of and --diff: what changed, row by row, and the status that says so.

import EvalogText
import Foundation
import Testing

@Suite("evalog replay --diff") struct DiffTests {
    private func log(_ count: Int = 20) throws -> CommandFixture {
        let fixture = CommandFixture()
        try Files.write(Records.text(0..<count), to: fixture.path("records"))
        try fixture.evalog("import", "records")
        return fixture
    }

    private func add(_ numbers: Range<Int>, to fixture: CommandFixture) throws {
        try Files.write(Records.text(numbers), to: fixture.path("more"))
        try fixture.evalog("import", "more")
    }

    private func now() -> String {
        var bytes: [UInt8] = []
        Timestamp.append(Int64(Date().timeIntervalSince1970 * 1_000_000), to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("an export of the log does not differ from it, by whatever rules it was made")
    func upToDate() throws {
        let fixture = try log()
        for (number, rules) in [
            "", "--window day --timezone Europe/Oslo --by app", "--by none --gap 5m",
            "--usage scene_text_input --outcome failed --since 2026-11-29",
            "--max-groups 2 --window 10m",
        ].enumerated() {
            let words = rules.split(separator: " ").map(String.init)
            let export = try fixture.start(["export", "--to", "csv\(number)"] + words).finish()
            #expect(export.status == 0)
            let run = try fixture.evalog("replay", "--diff", "csv\(number)")
            #expect(run.status == 0 && run.output.isEmpty, "\(rules): \(run.text)\(run.errors)")
            #expect(run.errors == "evalog: no row differs\n")
        }
    }

    @Test("what came since an export is shown row by row, with status 1")
    func outdated() throws {
        let fixture = try log()
        try fixture.evalog("export", "--to", "csv", "--by", "none", "--window", "24h")
        try add(20..<25, to: fixture)
        let run = try fixture.evalog("replay", "--diff", "csv")
        #expect(run.status == 1)
        let row = try #require(run.lines.first { $0.contains("evaluations 20 → 25") })
        #expect(row.hasPrefix("~ 2026-11-29T00:00:00Z:"))
        #expect(row.contains("completed 8 → 10") && row.contains("failed 4 → 5"))
        #expect(!row.contains("failure_rate 0"))
        #expect(run.text.contains("~ lines:  value 20 → 25"))
        #expect(run.lines.last?.contains("differ:") == true)
        let json = try fixture.evalog("replay", "--diff", "csv", "--json")
        #expect(json.status == 1)
        let rows = try json.lines.map {
            try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        let evaluations = try #require(rows.first { $0["table"] as? String == "evaluations" })
        #expect((evaluations["before"] as? [String: Any])?["evaluations"] as? Int == 20)
        #expect((evaluations["after"] as? [String: Any])?["evaluations"] as? Int == 25)
        #expect(
            rows.contains { $0["before"] == nil }
                && json.lines.count == run.lines.count - 1
                    - Set(rows.map { $0["table"] as! String }).count
        )
    }

    @Test("two logs differ by what only one of them has; a copy does not")
    func twoLogs() throws {
        let fixture = try log()
        try fixture.shell("cp -r log copy")
        #expect(try fixture.evalog("replay", "--diff", "copy").status == 0)
        try add(20..<21, to: fixture)
        let newer = try fixture.evalog("replay", "--diff", "copy", "--by", "none")
        #expect(newer.status == 1 && newer.text.contains("~ lines:  value 20 → 21"))
        let older = try fixture.evalog("replay", "--log", "copy", "--diff", "log", "--by", "none")
        #expect(older.status == 1 && older.text.contains("~ lines:  value 21 → 20"))
    }

    @Test("as of a time the log is what it was then, and its times can be compared")
    func asOf() throws {
        let fixture = try log()
        let before = try fixture.evalog("replay", "--json").output
        let first = now()
        try add(20..<30, to: fixture)
        let second = now()
        try add(30..<31, to: fixture)
        #expect(try fixture.evalog("replay", "--json", "--as-of", first).output == before)
        let run = try fixture.evalog(
            "replay", "--as-of", second, "--diff-as-of", first, "--by", "none")
        #expect(run.status == 1 && run.text.contains("~ lines:  value 20 → 30"))
        let since = try fixture.evalog("replay", "--diff-as-of", second)
        #expect(since.status == 1 && since.text.contains("~ lines:  value 30 → 31"))
        #expect(try fixture.evalog("replay", "--diff-as-of", now()).status == 0)
    }

    @Test(
        "what cannot be compared ends with 2 and says why",
        arguments: [
            ("--diff absent", "neither a log nor an export"),
            ("--diff csv --window 1h", "--window cannot be chosen here"),
            ("--diff csv --diff-as-of 1h", "--diff-as-of does not go with an export"),
            ("--diff broken", "line 2 is not as evalog export writes it"),
            ("--diff ruleless", "does not say by which rules"), ("--diff half", "cannot open"),
            ("--as-of yesterday", "--as-of takes"), ("--diff-as-of 1h --log absent", "no log"),
        ])
    func refused(line: String, words: String) throws {
        let fixture = try log()
        try fixture.shell(
            """
            "$EVALOG" export --quiet --to csv && cp -r csv broken && cp -r csv ruleless && cp -r csv half
            printf 'x,"\\r\\n' > tail && head -n 1 csv/evaluations.csv | cat - tail > broken/evaluations.csv
            echo '{}' > ruleless/datapackage.json; rm half/outcomes.csv
            """)
        let run = try fixture.start(
            ["replay"] + line.split(separator: " ").map(String.init)
        ).finish()
        #expect(run.status == 2)
        #expect(run.errors.contains(words), "\(run.errors)")
    }
}
