import AirshipCore
import Foundation
import TestSupport
import Testing

@Suite("answers from before on-device AI was off, in the features", .timeLimit(.minutes(10)))
struct ConsentTests {
    typealias Moment = SwitchingHost.Moment

    // MARK: Suppression

    @Test("a scene is held back only by an answer that counts when it is used, and then reported")
    func suppression() async {
        for moment in Moment.allCases {
            let fixture = Fixture(ScriptedModel(SuppressionTests.deny))
            let decision = await SceneSuppression.decide(
                on: SuppressionTests.message, configuration: SuppressionTests.configuration,
                host: SwitchingHost(fixture, switchesAt: moment))
            let counts = moment == .beforeAsking
            #expect(decision == (counts ? .suppress(.skip) : .prepare))
            let suppressed = await fixture.events.filter {
                if case .aiSuppressed = $0.kind { true } else { false }
            }
            #expect(suppressed.count == (counts ? 1 : 0))
        }
    }

    // MARK: Text input

    @Test("a field's answer counts only if it was asked for since, in the form as in the report")
    func textInput() async {
        for moment in Moment.allCases {
            let fixture = Fixture(ScriptedModel(ScriptedModel.answer(TextInputSessionTests.answer)))
            let session = TextInputSession(
                id: "form/field", kind: .text, isRequired: false,
                configuration: TextInputSessionTests.configuration,
                host: SwitchingHost(fixture, switchesAt: moment), time: HastyTime())
            await session.edited("text")
            await inTime { await session.settled() }
            let shown = await session.state.ai?["status"]
            #expect(shown == (moment == .afterAnswer ? "failed" : "complete"))
            let result = await session.submit()?["ai_inference"]?["result"]
            let counts = moment == .beforeAsking
            #expect(result == (counts ? "success" : "failed"))
            guard
                case .formInference(_, _, let status, let report)? = await fixture.events.last?.kind
            else {
                Issue.record("an inference is expected")
                return
            }
            #expect(status == (counts ? .success : .failure) && report.isEmpty == !counts)
            let after = await session.state.ai?["status"]
            #expect(after == (counts ? "complete" : "failed"))
        }
    }

    // MARK: Embedded display

    private static let infos: [AirshipEmbeddedInfo] = [
        .init("a", priority: 2), .init("b", priority: 3), .init("c", priority: 1),
    ]

    private func ranked() -> EmbeddedStage {
        var stage = EmbeddedStage(.ai(prompt: "p"))
        stage.become(Self.infos)
        return stage
    }

    @Test("what was ranked before is on screen still, but what comes next is asked about anew")
    func rankedBefore() {
        var stage = ranked()
        stage.rank("b", "a", "c")
        stage.switchOffAndOn()
        #expect((stage.shown, stage.asks.count) == ("b", 1))
        stage.dismiss("b")
        #expect(stage.asks == [["a", "b", "c"], ["a", "c"]])
        #expect(stage.shown == "-")
        stage.rank("a", "c")
        #expect((stage.shown, stage.display.order) == ("a", ["a", "c"]))
    }

    @Test("a ranking whose evaluation began before is none, and the same is asked at once")
    func beganBefore() {
        var stage = ranked()
        stage.switchOffAndOn()
        stage.rank("b", "a", "c")
        #expect((stage.shown, stage.display.order) == ("-", []))
        #expect(stage.asks == [["a", "b", "c"], ["a", "b", "c"]])
        stage.rank("a", "b", "c")
        #expect((stage.shown, stage.asks.count) == ("a", 2))
    }

    @Test("a ranking that was asked for before and whose evaluation began after counts")
    func beganAfter() {
        var stage = ranked()
        stage.rank("b", "a", "c")
        stage.become(Self.infos + [.init("d")])
        stage.switchOffAndOn()
        stage.end(["a": 9, "b": 8, "c": 7, "d": 6], under: stage.consent)
        #expect(stage.asks.count == 2)
        #expect(stage.display.order == ["a", "b", "c", "d"], "nothing is left of the older order")
        #expect(stage.shown == "b", "what is on screen stays")
    }

    @Test("while it is off nothing is asked again; once it is on, with the next change")
    func off() {
        var stage = ranked()
        stage.consent.become(false)
        stage.isModelAvailable = false
        stage.rank("b", "a", "c")
        #expect(stage.shown == "c", "the fallback, by priority")
        stage.dismiss("c")
        #expect((stage.shown, stage.asks.count) == ("a", 1))
        stage.consent.become(true)
        stage.isModelAvailable = true
        stage.become(stage.pending)
        #expect((stage.shown, stage.asks.count) == ("a", 2))
        stage.rank("b", "a")
        stage.dismiss("a")
        #expect((stage.shown, stage.asks.count) == ("b", 2))
    }

    @Test("what was asked while it was off is asked again once it is on")
    func askedWhileOff() {
        for isOnBeforeTheEnd in [true, false] {
            var stage = EmbeddedStage(.ai(prompt: "p"))
            stage.consent.become(false)
            stage.isModelAvailable = false
            stage.become(Self.infos)
            if !isOnBeforeTheEnd { stage.noOpinion() }
            #expect((stage.shown, stage.asks.count) == ("c", 1))
            stage.consent.become(true)
            stage.isModelAvailable = true
            if isOnBeforeTheEnd { stage.noOpinion() } else { stage.become(Self.infos) }
            #expect((stage.shown, stage.asks.count) == ("c", 2))
        }
    }

    @Test("a view displays what was asked about since, whenever in its ranking the user switched")
    func session() async {
        for moment in [Moment.beforeAsking, .afterAnswer] {
            let scores = [[("a", 9), ("b", 1)], [("a", 1), ("b", 9)]]
                .map { ScriptedModel.answer(EmbeddedSessionTests.scores($0)) }
            let model = ScriptedModel(scores[0], scores[1])
            let pending = PendingEmbedded()
            for id in ["a", "b"] { pending.add(.init(id, description: "d")) }
            let session = EmbeddedSession(
                embeddedID: "banner", selection: .ai(prompt: "p"), pending: pending,
                host: SwitchingHost(Fixture(model), switchesAt: moment))
            let running = Task { await session.run() }
            var displayed = await session.displayed().makeAsyncIterator()
            var shown = await displayed.next()
            while shown == .some(nil) { shown = await displayed.next() }
            #expect(shown??.instanceID == (moment == .beforeAsking ? "a" : "b"))
            #expect(model.requests.count == (moment == .beforeAsking ? 1 : 2))
            running.cancel()
        }
    }

    @Test("a rehearsal displays what a view would")
    func rehearsal() async {
        let scores = EmbeddedSessionTests.scores([("a", 1), ("b", 9)])
        let fixture = Fixture(ScriptedModel(ScriptedModel.answer(scores)))
        let rehearsal = AirshipAI.Rehearsal(host: SwitchingHost(fixture, switchesAt: .afterAnswer))
        let displayed = await rehearsal.displayed(
            of: [.init("a", description: "d"), .init("b")], selection: .ai(prompt: "p"))
        #expect(displayed?.instanceID == "b")
        #expect(await fixture.records.count == 2)
    }
}
