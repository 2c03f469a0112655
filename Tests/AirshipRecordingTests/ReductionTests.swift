// Every way in which an evaluation can end, as a fact; and every text that must not be in one.

import AirshipCore
import AirshipRecording
import EvalogContent
import EvalogFacts
import EvalogLog
import EvalogRecording
import EvalogText
import Foundation
import TestSupport
import Testing

@Suite("records as facts", .timeLimit(.minutes(10))) struct ReductionTests {
    private typealias Record = AirshipAI.EvaluationRecord

    private func record(
        _ outcome: Record.Outcome, cause: AirshipAI.SkipCause? = nil, isDecoded: Bool = true,
        duration: Double = 0.25, startedAt: Date = Date(timeIntervalSince1970: 1_000.000_001)
    ) -> Record {
        Record(
            id: UUID(), startedAt: startedAt, sessionID: UUID(), subjectID: "s",
            usage: AirshipAI.AnyUsage(WordQuestion().usage),
            request: AirshipAI.Request(
                instructions: "i", schema: WordQuestion().schema,
                context: AirshipAI.Context(items: [.init(content: "c", priority: 2)]),
                render: { _ in "" }),
            model: "m", outcome: outcome, skipCause: cause, isDecoded: isDecoded,
            duration: duration, attempts: 1)
    }

    @Test("an evaluator makes no more attempts than a fact can tell of")
    func attemptMax() {
        #expect(Int64(CoreLimits.attemptMax) == FactLimits.attemptsMax)
    }

    /// What a record becomes.
    private func reduce(
        _ record: Record, _ content: ContentRetention = .all(days: 1)
    ) throws -> (fact: EvaluationFact, content: ContentRecord?) {
        let fixture = AirshipFixture(content)
        fixture.recorder.receive(.evaluation(record))
        fixture.recorder.close()
        return (try #require(try fixture.evaluations().first), try fixture.contents().first)
    }

    private struct Classified: AirshipAI.ClassifiedError {
        let errorClass: AirshipAI.ErrorClass
    }

    @Test("both lists of error classes have the same names")
    func classNames() {
        #expect(
            Set(AirshipAI.ErrorClass.allCases.map(\.rawValue))
                == Set(EvalogFacts.ErrorClass.allCases.map { "\($0.name)" }))
        #expect(
            Set(AirshipAI.MissBehavior.allCases.map(\.rawValue)).union(["other"])
                == Set(EvalogFacts.MissBehavior.allCases.map { "\($0.name)" }))
    }

    @Test("a classified error becomes its class", arguments: AirshipAI.ErrorClass.allCases)
    func classes(errorClass: AirshipAI.ErrorClass) throws {
        let fact = try reduce(record(.failed(Classified(errorClass: errorClass)))).fact
        #expect(fact.outcome == .failed)
        #expect((fact.error?.name).map { "\($0)" } == errorClass.rawValue)
    }

    @Test("an error that says nothing of itself is the model's, and its words are content")
    func unclassified() throws {
        struct Odd: Error, CustomStringConvertible { let description = "odd words" }
        let (fact, content) = try reduce(record(.failed(Odd())), .failures(days: 1))
        #expect(fact.error == .modelError)
        #expect(content?.answer == .error("odd words"))
        #expect(content?.context == [.init(content: "c", priority: 2)])
        #expect(content?.instructions == "i")
    }

    static let skipCauses: [(AirshipAI.SkipCause, SkipReason, SkipDetail?)] = [
        (.aiDisabled, .aiDisabled, nil), (.noModel, .noModel, nil), (.noContext, .noContext, nil),
        (.modelUnavailable(.deviceNotEligible), .modelUnavailable, .deviceNotEligible),
        (.modelUnavailable(.missingModel), .modelUnavailable, .missingModel),
        (.modelUnavailable(.notEnabled), .modelUnavailable, .notEnabled),
        (.modelUnavailable(.other("words: of it")), .modelUnavailable, .other),
    ]

    @Test("a skip has its reason and detail", arguments: skipCauses)
    func skips(cause: AirshipAI.SkipCause, reason: SkipReason, detail: SkipDetail?) throws {
        let (fact, content) = try reduce(record(.skipped(reason: cause.reason), cause: cause))
        #expect(fact.outcome == .skipped)
        #expect(fact.reason == reason)
        #expect(fact.detail == detail)
        #expect((content == nil) == (cause == .aiDisabled))
        if detail == .other {
            #expect(content?.answer == .reason("model_unavailable: words: of it"))
        }
    }

    @Test("a cancelled evaluation is no failure, and keeps no content of failures")
    func cancelled() throws {
        let (fact, content) = try reduce(record(.failed(CancellationError())), .failures(days: 1))
        #expect(fact.outcome == .cancelled)
        #expect(fact.error == nil)
        #expect(content == nil)
    }

    @Test("an answer that could not be decoded is completed, marked, and a failure for content")
    func undecoded() throws {
        let (fact, content) = try reduce(
            record(.completed(["word": 1]), isDecoded: false), .failures(days: 1))
        #expect((fact.outcome, fact.isDecoded) == (.completed, false))
        #expect(content?.answer == .output(try RawJSON(Array(#"{"word":1}"#.utf8))))
        #expect(content?.schema != nil)
        #expect(try reduce(record(.completed(["word": "x"])), .failures(days: 1)).content == nil)
    }

    @Test(
        "no duration and no date traps",
        arguments: [Double.nan, -1, .infinity, 1e300, 86_401, -.infinity])
    func absurd(number: Double) throws {
        let date = Date(timeIntervalSince1970: number)
        let fact = try reduce(record(.completed([:]), duration: number, startedAt: date)).fact
        #expect(fact.isDurationInvalid)
        #expect(Timestamp.range.contains(fact.time))
    }

    @Test("an answer with a number that JSON has no form for is recorded without it")
    func unprintable() throws {
        let (fact, content) = try reduce(record(.completed(["word": .number(.nan)])))
        #expect(fact.outcome == .completed)
        #expect(content?.answer == nil)
    }

    /// An error that says everything that it should not.
    private struct Talkative: Error, CustomNSError, CustomStringConvertible {
        static let errorDomain = Planted.mark
        struct Inner: Error { let body = "\(Planted.mark) inner" }
        let description = "\(Planted.mark) outer"
        let underlying: any Error = Inner()
        var errorUserInfo: [String: Any] {
            [NSLocalizedDescriptionKey: "\(Planted.mark) user info"]
        }
    }

    @Test("markers in every text of an evaluation never get into a fact, whatever its end")
    func markers() async throws {
        let fixture = AirshipFixture()
        fixture.evaluator.setDefaultContextProvider {
            AirshipAI.Context(items: [.init(content: "\(Planted.mark) context")])
        }
        let answers: [@Sendable () throws -> AirshipJSON] = [
            { ["word": .string("\(Planted.mark) output")] },
            { ["word": 1, Planted.mark: .string(Planted.mark)] },
            { throw Talkative() },
            {
                throw DecodingError.dataCorrupted(
                    .init(codingPath: [], debugDescription: Planted.mark))
            },
        ]
        for answer in answers {
            fixture.use(
                ClosureModel(label: "https://host/\(Planted.mark)?key=\(Planted.mark)") { _ in
                    try answer()
                })
            let question = WordQuestion(
                subject: "\(Planted.mark) subject", subjectID: "\(Planted.mark) with spaces",
                words: "\(Planted.mark) instructions")
            _ = await fixture.evaluator.evaluate(question)
        }
        fixture.use(
            ClosureModel(availability: .unavailable(reason: .other(Planted.mark))) { _ in .null })
        _ = await fixture.evaluator.evaluate(WordQuestion(words: "\(Planted.mark) instructions"))
        let facts = try await fixture.finished().evaluations()
        #expect(facts.count == 5)
        #expect(
            facts.map(\.error) == [nil, .schemaMismatch, .modelError, .badResponse, nil])
        #expect(facts.allSatisfy { $0.model == nil || $0.model == "other" })
        let found = FolderSearch(fixture.directory.path).paths(holding: Planted.mark)
        #expect(!found.isEmpty && found.allSatisfy { $0.hasPrefix("content/") }, "\(found)")
    }
}
