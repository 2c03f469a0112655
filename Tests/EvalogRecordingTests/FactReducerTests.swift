// Observations → facts: nothing free-form gets through, and nothing that identifies gets lost.

import EvalogFacts
import EvalogRecording
import EvalogText
import Testing

@Suite("FactReducer") struct FactReducerTests {
    private let key = [UInt8](repeating: 7, count: 32)
    private let none = UniqueID(high: 0, low: 0)

    private func reduce(_ observation: ObservedEvaluation, time: Int64 = 5) -> EvaluationFact {
        var reducer = FactReducer(key: key)
        return reducer.fact(of: observation, id: none, assumedTime: time)
    }

    private func observation(_ ending: ObservedEvaluation.Ending = .cancelled) -> ObservedEvaluation
    {
        ObservedEvaluation(usage: "embedded_selection", ending: ending, attempts: 1)
    }

    @Test("free text in any field becomes other or a digest, and is counted")
    func misfits() throws {
        var odd = observation()
        odd.usage = "My Usage"
        odd.subject = "anna@example.org"
        odd.session = "session 1"
        odd.model = "https://host/model?key=1"
        odd.os = "the OS"
        odd.device = "Anna's iPhone"
        odd.app = "my app"
        var reducer = FactReducer(key: key)
        let fact = reducer.fact(of: odd, id: none, assumedTime: 0)
        #expect(
            [fact.usage, fact.model, fact.os, fact.device, fact.app]
                == Array(repeating: "other", count: 5))
        #expect(try #require(fact.subject).hasPrefix("~"))
        #expect(try #require(fact.session).isDigest)
        #expect(reducer.replacedCount == 7)
    }

    @Test(
        "without a subject, equal questions of one usage share one; without a session there is none"
    )
    func assumedSubject() throws {
        var first = observation()
        first.session = "902de532-ce43-4778-895a-09c3efa7364b"
        first.request.instructions = "Rank."
        var second = first
        second.request.instructions = "Choose."
        #expect(reduce(first).subject == reduce(first).subject)
        #expect(reduce(first).subject != reduce(second).subject)
        #expect(try #require(reduce(first).subject).utf8.count == 33)
        first.session = nil
        #expect(reduce(first).subject == nil)
    }

    @Test(
        "what was drawn for a tag of a question tells none from another",
        arguments: [
            ("<input_3fa94c01> to </input_3fa94c01>", "<input_0> to </input_0>", false),
            (
                "<input_3fa94c01> to </input_3fa94c01>", "<input_9b3d4c55> to </input_9b3d4c55>",
                true
            ),
            (
                "</user-6F1C2A7E-9b3d-4c55-0a1b-2c3d4e5f6071>",
                "</user-00000000-0000-0000-0000-000000000000>", true
            ),
            ("<face>", "<cafe>", false), ("<a_12345>", "<a_54321>", false),
            ("<input_3fa94c01>", "<other_3fa94c01>", false),
            ("input_3fa94c01", "input_9b3d4c55", false),
            ("< <input_3fa94c01", "< <input_9b3d4c55", false), ("a < b <", "a < c <", false),
        ])
    func drawnTags(first: String, second: String, areOne: Bool) {
        func subject(_ instructions: String) -> String? {
            var observation = observation()
            observation.session = "902de532-ce43-4778-895a-09c3efa7364b"
            observation.request.instructions = instructions
            return reduce(observation).subject
        }
        #expect((subject(first) == subject(second)) == areOne)
    }

    @Test(
        "attempts that no fact can have become the nearest, which is counted",
        arguments: [
            (-1, 0, 1), (0, 0, 0), (1_000_000, 1_000_000, 0), (1_000_001, 1_000_000, 1),
            (.max, 1_000_000, 1), (.min, 0, 1),
        ])
    func attempts(told: Int, kept: Int32, count: Int) {
        var reducer = FactReducer(key: key)
        let odd = ObservedEvaluation(usage: "u", ending: .cancelled, attempts: told)
        #expect(reducer.fact(of: odd, id: none, assumedTime: 0).attempts == kept)
        #expect(reducer.replacedCount == count)
    }

    @Test("a missing time is the import's and is marked, a given one is not")
    func assumedTime() {
        #expect(reduce(observation(), time: 9).time == 9)
        #expect(reduce(observation()).isTimeAssumed)
        var timed = observation()
        timed.time = -3
        #expect(reduce(timed).time == -3)
        #expect(!reduce(timed).isTimeAssumed)
    }

    @Test(
        "the evaluator's sentences and the list's names give the reason",
        arguments: [
            ("AI disabled by privacy manager", SkipReason.aiDisabled, SkipDetail?.none),
            ("No model configured", .noModel, nil),
            ("No context to personalize on", .noContext, nil),
            ("Model unavailable", .modelUnavailable, nil),
            ("model_unavailable: not_enabled", .modelUnavailable, .notEnabled),
            ("model_unavailable: because", .modelUnavailable, .other), ("because", .other, nil),
            ("", .other, nil),
        ])
    func reasons(text: String, reason: SkipReason, detail: SkipDetail?) {
        let fact = reduce(observation(.skipped(reason: text, detail: nil)))
        #expect(fact.outcome == .skipped)
        #expect(fact.reason == reason)
        #expect(fact.detail == detail)
    }

    @Test("an error's words are not searched for a class; only a name of the list counts")
    func errors() {
        #expect(reduce(observation(.failed(error: "timeout", class: nil))).error == .timeout)
        #expect(reduce(observation(.failed(error: "a timeout", class: nil))).error == .other)
        #expect(
            reduce(observation(.failed(error: "a timeout", class: "transport"))).error == .transport
        )
    }

    @Test("derived ids differ by source, line, occurrence and key, and by nothing else")
    func derivedIDs() {
        let id = { (key: UInt8, source: String, line: String, occurrence: Int) in
            let bytes = Array(line.utf8)
            return bytes.withUnsafeBytes {
                FactReducer(key: [UInt8](repeating: key, count: 32))
                    .derivedID(source: source, line: $0, occurrence: occurrence)
            }
        }
        let base = id(1, "a", "{}", 0)
        #expect(base == id(1, "a", "{}", 0))
        let others = [
            id(2, "a", "{}", 0), id(1, "b", "{}", 0), id(1, "a", "{ }", 0), id(1, "a", "{}", 1),
        ]
        #expect(Set(others + [base]).count == 5)
        #expect(Array(base.text.utf8)[14] == UInt8(ascii: "8"))
    }

    @Test("an id that is no UUID is digested into the same id each time")
    func foreignID() {
        var named = observation()
        named.id = "row 17"
        #expect(reduce(named).id == reduce(named).id)
        #expect(reduce(named).id != none)
        named.id = "01A2205B-DC7D-7524-979F-7A8CDA157FC8"
        #expect(reduce(named).id.text == "01a2205b-dc7d-7524-979f-7a8cda157fc8")
    }
}

@Suite("Fact lines of others") struct FactLineTests {
    @Test("a subject and a session of the wrong shape become the digests that a record would get")
    func digests() throws {
        let line = Array(
            """
            {"v":1,"type":"evaluation","id":"01a2205b-dc7d-7524-979f-7a8cda157fc8","time":"2026-11-28T04:13:40.861615Z",\
            "usage":"u","subject":"anna@example.org","session":"session 1","outcome":"cancelled","attempts":1}
            """.utf8)
        var reducer = FactReducer(key: [UInt8](repeating: 7, count: 32))
        var decoder = FactDecoder()
        let fact = try line.withUnsafeBytes { bytes in
            let view = try decoder.decode(bytes)
            return reducer.fact(of: view)
        }
        guard case .evaluation(let evaluation)? = fact else {
            Issue.record("not an evaluation")
            return
        }
        var observation = ObservedEvaluation(usage: "u", ending: .cancelled, attempts: 1)
        observation.subject = "anna@example.org"
        observation.session = "session 1"
        let same = reducer.fact(of: observation, id: UniqueID(high: 0, low: 0), assumedTime: 0)
        #expect(evaluation.subject == same.subject)
        #expect(evaluation.session == same.session)
        #expect(evaluation.subject?.hasPrefix("~") == true)
    }
}
