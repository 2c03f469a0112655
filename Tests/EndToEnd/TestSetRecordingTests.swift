// evalog testset run --recorded: which answer is played follows from case and repetition alone.

import Foundation
import TestSupport
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("evalog testset with recordings", .timeLimit(.minutes(10)))
struct TestSetRecordingTests {
    private static let schema =
        #"{"type":"object","properties":{"team":{"type":"string","enum":["a","b"]}},"required":["team"]}"#

    private static func testCase(
        _ id: String, task: String = "sort", input: String? = nil, schema: String = schema,
        expected: String = #"{"team":"a"}"#
    ) -> String {
        #"{"id":"\#(id)","task":"\#(task)","instructions":"Pick.","schema":\#(schema),"#
            + #""input":"\#(input ?? id)","rule":"exact","expected":\#(expected)}"# + "\n"
    }

    private static func answer(
        _ output: String, to subject: String?, usage: String = "sort", seconds: Double = 0
    ) -> String {
        let member = subject.map { #""subject":"\#($0)","# } ?? ""
        return #"{"usage":"\#(usage)",\#(member)"model":"m","outcome":"completed","#
            + #""output":\#(output),"duration":\#(seconds),"attempts":1}"# + "\n"
    }

    private func fixture(_ cases: String, _ answers: String) throws -> CommandFixture {
        let fixture = CommandFixture()
        try Files.write(cases, to: fixture.path("cases"))
        try Files.write(answers, to: fixture.path("answers"))
        return fixture
    }

    private func words(_ more: String) -> [String] {
        ["testset", "run", "cases", "--recorded", "answers"]
            + more.split(separator: " ").map(String.init)
    }

    /// Verdicts by case and repetition, such as `c0 1`.
    private func verdicts(_ fixture: CommandFixture) throws -> [String: String] {
        var verdicts: [String: String] = [:]
        for line in try fixture.factLines() where line.contains("\"test_result\"") {
            let fact = try #require(
                JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            let name = "\(fact["case"] ?? "") \(fact["repetition"] ?? "")"
            #expect(verdicts[name] == nil)
            verdicts[name] = fact["verdict"] as? String
        }
        return verdicts
    }

    /// Of each case and repetition an answer of its own: which are right looks random.
    private static let patterns = (0..<6).map { number in
        (1...3).map { repetition in (number * 5 + repetition * 7) % 3 > 0 }
    }

    private static let expected = Dictionary(
        uniqueKeysWithValues: patterns.enumerated().flatMap { number, right in
            right.enumerated().map { ("c\(number) \($0 + 1)", $1 ? "pass" : "fail") }
        })

    @Test(
        "the n-th asking about a case plays its n-th answer, wherever a run is killed",
        arguments: [1, 3], [true, false])
    func order(parallel: Int, isByCase: Bool) throws {
        let cases = (0..<6).map { Self.testCase("c\($0)") }.joined()
        // By case: all answers to a case after each other. By task: all cases, then all of them again.
        func line(_ number: Int, _ turn: Int) -> String {
            Self.answer(
                Self.patterns[number][turn] ? #"{"team":"a"}"# : #"{"team":"b"}"#,
                to: isByCase ? "c\(number)" : nil, seconds: 0.2 * Double(parallel))
        }
        let answers =
            isByCase
            ? (0..<6).flatMap { number in (0..<3).map { line(number, $0) } }
            : (0..<3).flatMap { turn in (0..<6).map { line($0, turn) } }
        for enough in [1, 7] {
            let fixture = try fixture(cases, answers.joined())
            let words = words("--repeat 3 --parallel \(parallel) -q")
            let running = try fixture.start(words)
            #expect(try fixture.results(of: running, reach: enough))
            running.send(SIGKILL)
            #expect(running.finish().status == -SIGKILL)
            let judged = try verdicts(fixture)
            #expect(!judged.isEmpty && judged.count < 18)
            let second = try fixture.start(words).finish()
            #expect(second.status == 0, "\(second.errors)")
            #expect(try verdicts(fixture) == Self.expected)
        }
    }

    @Test("more repetitions than answers begin again with the first")
    func more() throws {
        let fixture = try fixture(
            Self.testCase("c"),
            Self.answer(#"{"team":"a"}"#, to: "c") + Self.answer(#"{"team":"b"}"#, to: "c"))
        #expect(try fixture.start(words("--repeat 5 -q")).finish().status == 0)
        #expect(
            try verdicts(fixture) == [
                "c 1": "pass", "c 2": "fail", "c 3": "pass", "c 4": "fail", "c 5": "pass",
            ])
    }

    @Test("equal questions with different schemas have their own answers")
    func schemas() throws {
        let other =
            #"{"type":"object","properties":{"sum":{"type":"integer"}},"required":["sum"]}"#
        let fixture = try fixture(
            Self.testCase("c0", input: "same")
                + Self.testCase("c1", input: "same", schema: other, expected: #"{"sum":7}"#)
                + Self.testCase("c2", input: "same", expected: #"{"team":"b"}"#),
            Self.answer(#"{"team":"a"}"#, to: "c0") + Self.answer(#"{"sum":7}"#, to: "c1")
                + Self.answer(#"{"team":"b"}"#, to: "c2"))
        #expect(try fixture.start(words("-q")).finish().status == 0)
        #expect(try verdicts(fixture) == ["c0 1": "pass", "c1 1": "pass", "c2 1": "pass"])
    }

    @Test("a recorded answer that its schema does not allow fails, and is not made to fit")
    func unfitting() throws {
        let fixture = try fixture(
            Self.testCase("c0") + Self.testCase("c1"),
            Self.answer(#"{"team":"z"}"#, to: "c0") + Self.answer(#"{"other":1}"#, to: "c1"))
        #expect(try fixture.start(words("-q")).finish().status == 0)
        #expect(try verdicts(fixture) == ["c0 1": "fail", "c1 1": "fail"])
    }

    @Test("what is recorded as a failure is the case's, and holds up nobody")
    func failures() throws {
        let classes = ["timeout", "server_error", "transport", "auth", "refused"]
        let fixture = try fixture(
            (0..<6).map { Self.testCase("c\($0)") }.joined(),
            classes.enumerated().map { number, name in
                #"{"usage":"sort","subject":"c\#(number)","outcome":"failed","error_class":"\#(name)"}"#
                    + "\n"
            }.joined() + Self.answer(#"{"team":"a"}"#, to: "c5"))
        let finished = try fixture.start(words("-q")).finish()
        #expect(finished.status == 0, "\(finished.errors)")
        #expect(
            try verdicts(fixture) == [
                "c0 1": "error", "c1 1": "error", "c2 1": "error", "c3 1": "error",
                "c4 1": "fail", "c5 1": "pass",
            ])
    }

    @Test("cases without a recording are named, and nothing is written")
    func missing() throws {
        let fixture = try fixture(
            (0..<14).map { Self.testCase("c\($0)") }.joined(),
            Self.answer(#"{"team":"a"}"#, to: "c3"))
        let refused = try fixture.start(words("")).finish()
        #expect(refused.status == 2 && refused.output.isEmpty)
        #expect(
            refused.errors.contains(
                "answers has no answer to 13 cases: c0 c1 c2 c4 c5 c6 c7 c8 c9 c10 and 3 more"),
            "\(refused.errors)")
        #expect(Files.names(in: fixture.folder).sorted() == ["answers", "cases"])
    }

    @Test("a task of which nothing is recorded is told by its cases")
    func missingTask() throws {
        let fixture = try fixture(
            Self.testCase("c0") + Self.testCase("c1", task: "sum"),
            Self.answer(#"{"team":"a"}"#, to: nil))
        let refused = try fixture.start(words("")).finish()
        #expect(refused.status == 2)
        #expect(refused.errors.contains("answers has no answer to 1 case: c1"))
    }
}
