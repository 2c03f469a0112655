import AirshipCore
import Foundation
import Testing

extension AirshipEmbeddedInfo {
    /// An instance of "banner" that a model can judge by its description.
    init(
        _ id: String, priority: Int = 0, description: String? = "described",
        extras: AirshipJSON? = nil, context: [AirshipAI.Context.Item] = []
    ) {
        self.init(
            instanceID: id, embeddedID: "banner", extras: extras, priority: priority,
            contentDescription: description, additionalContext: context)
    }
}

@Suite("embedded ranking") struct EmbeddedEvaluationTests {
    static func evaluation(
        _ pending: AirshipEmbeddedInfo..., prompt: String = "author-words"
    ) -> EmbeddedEvaluation? {
        EmbeddedEvaluation(
            embeddedID: "banner", pending: pending,
            config: .init(prompt: prompt, subjectHints: ["h": "hint-marker"]))
    }

    // MARK: The question

    @Test("the ids of the schema are the candidates' instance ids")
    func schema() throws {
        let schema = try #require(Self.evaluation(.init("a"), .init("b"))).schema
        try schema.validate(["scores": [["id": "a", "score": 3]], "reason": "r"])
        #expect(throws: AirshipCoreError.offSchema(path: "$.scores[0].id", rule: .choice)) {
            try schema.validate(["scores": [["id": "c", "score": 3]], "reason": "r"])
        }
        #expect(throws: AirshipCoreError.self) { try schema.validate(["scores": []]) }
    }

    @Test("candidates are listed as JSON, extras nested, descriptions with their own candidate")
    func prompt() throws {
        let evaluation = try #require(
            Self.evaluation(
                .init("a", description: "shoes"),
                .init("b", description: nil, extras: ["id": "forged", "a/b": 1])))
        #expect(
            evaluation.prompt(context: .empty) == """
                Candidates:
                [{"description":"shoes","id":"a"},{"extras":{"a/b":1,"id":"forged"},"id":"b"}]
                """)
        let context = AirshipAI.Context(items: [.init(content: "p"), .init(content: "q")])
        #expect(evaluation.prompt(context: context).hasSuffix("\n\nAbout the user:\n- p\n- q"))
        #expect(evaluation.instructions().contains("<prompt>\nauthor-words\n</prompt>"))
        #expect(!evaluation.instructions().contains("hint-marker"))
        #expect(evaluation.subject.hints == ["h": "hint-marker"])
    }

    @Test("extras that cannot be written cost their candidate no more than themselves")
    func unwritableExtras() throws {
        let deep = (1..<CoreLimits.jsonDepthMax).reduce(AirshipJSON.bool(true)) { json, _ in [json]
        }
        for extras: AirshipJSON in [deep, ["number": .number(.nan)]] {
            let evaluation = try #require(
                Self.evaluation(
                    .init("a", description: "shoes", extras: extras),
                    .init("b", description: nil, extras: ["c": 1])))
            #expect(
                evaluation.prompt(context: .empty) == """
                    Candidates:
                    [{"description":"shoes","id":"a"},{"extras":{"c":1},"id":"b"}]
                    """)
        }
    }

    @Test("nothing is asked about fewer than two, or about nothing that describes itself")
    func notAsked() {
        #expect(Self.evaluation() == nil)
        #expect(Self.evaluation(.init("a")) == nil)
        #expect(
            Self.evaluation(
                .init("a", description: nil), .init("b", description: "", extras: [:])) == nil)
    }

    @Test("one that describes itself is enough, and then all are sent")
    func oneDescribable() {
        let evaluation = Self.evaluation(
            .init("a", description: nil, extras: ["k": 1]),
            .init("b", description: nil))
        #expect(evaluation?.subject.pending.map(\.instanceID) == ["a", "b"])
    }

    @Test("pooled context has a line once, at its first place, with its most important priority")
    func pooled() {
        let evaluation = Self.evaluation(
            .init("a", context: [.init(content: "x", priority: 3), .init(content: "")]),
            .init(
                "b",
                context: [
                    .init(content: "y", priority: .nan), .init(content: "x", priority: -1),
                    .init(content: "y", priority: 5),
                ]))
        #expect(
            evaluation?.pooledContext.items
                == [.init(content: "x", priority: -1), .init(content: "y", priority: 5)])
        #expect(Self.evaluation(.init("a"), .init("b"))?.pooledContext == .empty)
    }

    // MARK: The answer

    @Test("invented ids do nothing, of repeated ids the first counts, scores are held to 1...10")
    func decode() throws {
        let evaluation = try #require(Self.evaluation(.init("a"), .init("b")))
        let scores = try evaluation.decode([
            "scores": [
                ["id": "a", "score": 9], ["id": "ghost", "score": 10], ["id": "a", "score": 1],
                ["id": "b", "score": 1e300], ["id": "c", "score": -4],
            ]
        ])
        #expect(scores == ["a": 9, "ghost": 10, "b": 10, "c": 1])
        #expect(evaluation.config.rank(evaluation.subject.pending, by: scores) == ["b", "a"])
        #expect(throws: AirshipCoreError.undecodableOutput) { try evaluation.decode(["scores": 1]) }
    }

    struct Ranking: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var strategy = AirshipEmbeddedSelection.Strategy.scoreThenPriority
        var threshold: Int?
        let pending: [AirshipEmbeddedInfo]
        let scores: [String: Int]
        let expected: [String]?
    }

    static let rankings = [
        Ranking(
            testDescription: "the better score first", pending: [.init("a"), .init("b")],
            scores: ["a": 3, "b": 9], expected: ["b", "a"]),
        Ranking(
            testDescription: "priority breaks equal scores",
            pending: [.init("a", priority: 10), .init("b", priority: 10), .init("c", priority: 1)],
            scores: ["a": 5, "b": 9, "c": 5], expected: ["b", "c", "a"]),
        Ranking(
            testDescription: "priority first, score breaks ties", strategy: .priorityThenScore,
            pending: [.init("a", priority: 10), .init("b", priority: 10), .init("c", priority: 1)],
            scores: ["a": 5, "b": 9, "c": 2], expected: ["c", "b", "a"]),
        Ranking(
            testDescription: "a complete tie keeps the order of arrival",
            pending: [.init("b"), .init("a"), .init("c")], scores: ["a": 5, "b": 5, "c": 5],
            expected: ["b", "a", "c"]),
        Ranking(
            testDescription: "those without a score follow by priority",
            pending: [.init("x", priority: 9), .init("y", priority: 1), .init("z", priority: 20)],
            scores: ["z": 2], expected: ["z", "y", "x"]),
        Ranking(
            testDescription: "without any usable score there is no opinion",
            pending: [.init("a"), .init("b")], scores: ["ghost": 9], expected: nil),
        Ranking(
            testDescription: "no candidates, no opinion", pending: [], scores: ["a": 9],
            expected: nil),
        Ranking(
            testDescription: "the best below the threshold is no opinion", threshold: 5,
            pending: [.init("a"), .init("b")], scores: ["a": 4, "b": 2], expected: nil),
        Ranking(
            testDescription: "the best at the threshold is one", threshold: 5,
            pending: [.init("a"), .init("b")], scores: ["a": 4, "b": 5], expected: ["b", "a"]),
        Ranking(
            testDescription: "the threshold is for the first in order, not for the best score",
            strategy: .priorityThenScore, threshold: 5,
            pending: [.init("a", priority: 9), .init("b", priority: 1)], scores: ["a": 9, "b": 4],
            expected: nil),
    ]

    @Test("scores make an order", arguments: rankings)
    func rank(_ ranking: Ranking) {
        let config = AirshipEmbeddedSelection.AIConfig(
            prompt: "", strategy: ranking.strategy, minScoreThreshold: ranking.threshold)
        #expect(config.rank(ranking.pending, by: ranking.scores) == ranking.expected)
    }
}
