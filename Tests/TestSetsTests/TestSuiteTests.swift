// Files of cases: what is read, and every slip of an author told with its line.

import AirshipCore
import EvalogFacts
import TestSets
import TestSupport
import Testing

@Suite("Files of cases") struct TestSuiteTests {
    private func problem(_ members: [String: String?]) -> String? {
        do throws(TestSuiteError) {
            _ = try CaseLines.suite(["", CaseLines.line("1", members)])
            return nil
        } catch {
            return error.words
        }
    }

    @Test("a case is read with all that it has")
    func whole() throws {
        let testCase = try CaseLines.testCase([
            "context": #"[{"content":"Customer since 2019","priority":-1},{"content":"b"}]"#
        ])
        #expect(testCase.id == "1" && testCase.task == "sort_mail")
        #expect(testCase.instructions == "Pick the team.")
        #expect(testCase.context.items.map(\.priority) == [-1, 0])
        guard case .class(let field) = testCase.rule else { throw Unexpected() }
        #expect(field.name == "team" && field.value == "support")
        let question = TestQuestion(testCase, suite: "mail")
        #expect(question.subjectID == "mail/1")
        #expect(
            question.prompt(context: testCase.context)
                == "Context:\n- Customer since 2019\n- b\n\nWhere is my parcel?")
        #expect(question.prompt(context: .empty) == "Where is my parcel?")
    }

    private struct Unexpected: Error {}

    @Test(
        "a slip is told with its line, and without what the case holds",
        arguments: [
            (["id": "\"a b\""], "id has to be"), (["id": nil], "id is missing"),
            (["id": "7"], "id is no text"), (["task": "\"Sort\""], "task has to be"),
            (["rule": "\"equals\""], "rule is none of exact, class, contains, schema"),
            (["rule": nil], "rule is missing"),
            (["schema": nil], "schema is missing"), (["schema": "{}"], "schema is none"),
            (["schema": #"{"type":"string"}"#], "schema has to describe an object"),
            (["context": "{}"], "context is no list"),
            (["context": #"[{"priority":1}]"#], "item 1 of context has no content"),
            (["context": #"[{"content":"a","priority":"b"}]"#], "is no number"),
            (["expected": #"{"team":"marketing"}"#], "field 1 of expected is outside the schema"),
            (["expected": #"{"team":null}"#], "the schema requires it"),
            (["expected": #"{"boss":"a"}"#], "field 1 of expected is not in the schema"),
            (["expected": "{}"], "a field or more"), (["expected": nil], "a field or more"),
            (["expected": #"{"team":"sales","count":1}"#], "one field"),
            (["rule": "\"schema\""], "no use for expected"),
            (["extra": "1"], "field 2 of the line is none of id, task, instructions"),
            (["types": #"{"team":"word"}"#], "has to be one of json, decimal, date"),
            (["types": #"{"due":"date"}"#], "types names a field that is not expected"),
            (["rule": "\"exact\"", "expected": #"{"count":"3"}"#], "outside the schema"),
            (
                [
                    "rule": "\"exact\"", "expected": #"{"due":"soon"}"#,
                    "types": #"{"due":"date"}"#,
                ], "field 1 of expected is no date"
            ),
            (
                ["rule": "\"contains\"", "expected": #"{"count":{"required":["3"]}}"#],
                "outside the schema: no text"
            ),
            (
                ["rule": "\"contains\"", "expected": #"{"summary":["a"]}"#],
                "required and forbidden"
            ),
            (
                ["rule": "\"contains\"", "expected": #"{"summary":{}}"#],
                "no fact of field 1 of expected"
            ),
            (
                ["rule": "\"contains\"", "expected": #"{"summary":{"required":[" "]}}"#],
                "is no text"
            ),
            (
                ["rule": "\"contains\"", "expected": #"{"summary":{"required":[[]]}}"#],
                "in no way"
            ),
        ] as [([String: String?], String)])
    func slips(members: [String: String?], words: String) throws {
        let told = try #require(problem(members))
        let hasID = members["id"] == nil
        #expect(
            told.hasPrefix(hasID ? "line 2 (1): " : "line 2: ") && told.contains(words), "\(told)")
        #expect(!told.contains("parcel") && !told.contains("marketing"))
    }

    @Test("no message holds a key or a value of the author's, wherever these stand")
    func silence() throws {
        let secret = "SECRETPARCEL"
        let text = "\"\(secret)\""
        let object = "{\"\(secret)\":\(text)}"
        let values = [
            text, object, "[\(text)]", "[\(object)]", "{\"team\":\(text)}",
            "{\"summary\":\(object)}",
            "{\"summary\":{\"required\":[\(object)]}}", "{\"summary\":{\"forbidden\":\(text)}}",
            nil,
        ]
        let keys = [
            "id", "task", "instructions", "schema", "context", "input", "expected", secret,
        ]
        var told: Set<String> = []
        for rule in TestRule.names + [secret] {
            for types in [nil, object, "{\"\(secret)\":\"date\"}", "{\"team\":\"date\"}"] {
                for (key, value) in keys.flatMap({ key in values.map { (key, $0) } }) {
                    var members: [String: String?] = ["rule": "\"\(rule)\"", "types": types]
                    members[key] = .some(value)
                    if let words = problem(members) { told.insert(words) }
                }
            }
        }
        #expect(told.count > 25)
        // What is an id may be told: it stands in facts.
        for words in told where !words.hasPrefix("line 2 (\(secret))") {
            #expect(!words.uppercased().contains(secret), "\(words)")
        }
    }

    @Test("all lines with slips are told, an id that comes again with the line that has it")
    func several() throws {
        #expect {
            _ = try CaseLines.suite([
                CaseLines.line("a"), "nothing", CaseLines.line("b"), "[]", CaseLines.line("a"),
                CaseLines.line("a"),
            ])
        } throws: { error in
            (error as? TestSuiteError)?.words
                == "line 2: no JSON; line 4: no JSON object; line 5: the id a stands in line 1"
                + " already; line 6: the id a stands in line 1 already"
        }
    }

    @Test("more than ten problems are counted")
    func many() throws {
        #expect {
            _ = try CaseLines.suite(Array(repeating: "x", count: 12))
        } throws: { error in
            (error as? TestSuiteError)?.words.hasSuffix("line 10: no JSON; and 2 more") == true
        }
    }

    @Test("a file without a case is none", arguments: ["", "\n \r\n\t\n"])
    func empty(text: String) throws {
        #expect {
            _ = try TestSuite(name: "mail", ndjson: Array(text.utf8))
        } throws: { error in
            (error as? TestSuiteError)?.words == "there is no case in it"
        }
    }

    @Test("a suite's name has to fit a fact")
    func suiteName() {
        #expect(throws: TestSuiteError.self) {
            _ = try CaseLines.suite([CaseLines.line()], name: "my mails")
        }
        #expect(throws: Never.self) { _ = try CaseLines.suite([CaseLines.line()], name: "mail.v2") }
    }

    @Test("names of the longest kind make a subject that fits")
    func longestNames() throws {
        let name = String(repeating: "x", count: FactLimits.testNameByteCountMax)
        let suite = try CaseLines.suite([CaseLines.line(name)], name: name)
        let subject = try #require(TestQuestion(suite.cases[0], suite: suite.name).subjectID)
        #expect(Shape.subject.fits(subject))
    }

    @Test(
        "20 to 50 cases of a task are usual; what is not is warned of",
        arguments: [1, 19, 20, 50, 51])
    func warnings(count: Int) throws {
        let suite = try CaseLines.suite((0..<count).map { CaseLines.line("c\($0)") })
        #expect(suite.tasks.map(\.caseCount) == [count])
        #expect(suite.warnings.isEmpty == (20...50).contains(count))
        if count < 20 { #expect(suite.warnings[0].contains("says little")) }
    }

    @Test("no mutation of a line traps", arguments: FuzzSeeds.first(5))
    func mutations(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let line = Array(
            CaseLines.line(
                "1",
                [
                    "rule": "\"exact\"",
                    "expected": #"{"total":"12.5e1","due":"2026-11-29"}"#,
                    "types": #"{"total":"decimal","due":"date"}"#,
                ]
            ).utf8)
        var readCount = 0
        for _ in 0..<2_000 {
            var mutated = line
            for _ in 0...Int.random(in: 0..<3, using: &random) {
                let place = Int.random(in: 0..<mutated.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: mutated[place] = UInt8.random(in: 0...255, using: &random)
                case 1: mutated.remove(at: place)
                default: mutated.insert(UInt8.random(in: 0x20...0x7E, using: &random), at: place)
                }
            }
            if (try? TestSuite(name: "mail", ndjson: mutated)) != nil { readCount += 1 }
        }
        #expect(readCount > 0)
    }
}
