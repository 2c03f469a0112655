import AirshipCore
import Foundation
import TestSupport
import Testing

@Suite("embedded session, observer and size", .timeLimit(.minutes(10)))
struct EmbeddedSessionTests {
    private let pending = PendingEmbedded()

    private func session(
        _ fixture: Fixture, _ selection: AirshipEmbeddedSelection
    ) -> EmbeddedSession {
        EmbeddedSession(
            embeddedID: "banner", selection: selection, pending: pending, host: fixture.evaluator)
    }

    static func scores(_ scores: [(String, Int)]) -> AirshipJSON {
        [
            "reason": "r",
            "scores": .array(
                scores.map { ["id": .string($0), "score": .number(Double($1))] }),
        ]
    }

    @Test("a ranking is asked with id, words, candidates and pooled context, and its best is shown")
    func ranking() async throws {
        let release = Rendezvous<Void>()
        let model = ScriptedModel({ _ in
            await release.value
            return Self.scores([("a", 2), ("b", 9)])
        })
        let fixture = Fixture(model)
        fixture.evaluator.setContextProvider(for: AirshipAI.EmbeddedSelection.usage) { subject in
            AirshipAI.Context(items: [.init(content: subject.hints["h"] ?? "")])
        }
        pending.add(.init("a", context: [.init(content: "pooled")]))
        pending.add(.init("b", description: "boots"))
        let session = session(fixture, .ai(prompt: "author-words", subjectHints: ["h": "hint"]))
        let running = Task { await session.run() }
        var displayed = await session.displayed().makeAsyncIterator()
        #expect(await displayed.next() == .some(nil))
        release.settle(())
        #expect(await displayed.next()??.instanceID == "b")
        let request = try #require(model.requests.first)
        #expect(request.instructions.contains("author-words"))
        #expect(request.prompt().contains("boots"))
        #expect(request.context.items.map(\.content) == ["hint", "pooled"])
        let records = await fixture.records
        #expect(records.map(\.subjectID) == ["banner"])
        #expect(await fixture.events.isEmpty, "selection reports nothing")
        session.dismiss(instanceID: "b")
        #expect(await displayed.next()??.instanceID == "a")
        running.cancel()
    }

    @Test("DECISION: once the gate is off, what comes next is no model's choice of before")
    func gateOff() async {
        let model = ScriptedModel(
            ScriptedModel.answer(Self.scores([("a", 9), ("b", 8), ("c", 7)])))
        let fixture = Fixture(model)
        pending.add(.init("a", priority: 3, description: "d"))
        pending.add(.init("b", priority: 2))
        pending.add(.init("c", priority: 1))
        let session = session(fixture, .ai(prompt: "p"))
        let running = Task { await session.run() }
        var displayed = await session.displayed().makeAsyncIterator()
        var first = await displayed.next()
        if first == .some(nil) { first = await displayed.next() }
        #expect(first??.instanceID == "a")
        fixture.privacy.disableFeatures(.onDeviceAI)
        session.dismiss(instanceID: "a")
        #expect(await displayed.next()??.instanceID == "c", "by priority, not by score")
        running.cancel()
    }

    @Test("a view that goes off screen during its ranking has displayed nothing, and asks again")
    func offScreen() async {
        let (asked, never) = (Shared(0), Rendezvous<Void>())
        let model = ScriptedModel(
            { _ in
                asked.change { $0 += 1 }
                await never.value
                throw CancellationError()
            }, ScriptedModel.answer(Self.scores([("a", 9), ("b", 1)])))
        let fixture = Fixture(model)
        pending.add(.init("a", priority: 5, description: "d"))
        pending.add(.init("b", priority: 4))
        let session = session(fixture, .ai(prompt: "p"))
        let first = Task { await session.run() }
        await model.asked(1)
        first.cancel()
        _ = await first.inTime
        // The record of the cancelled evaluation comes after all that the session did about it.
        await waitUntil { await !fixture.records.isEmpty }
        await session.select(.ai(prompt: "p"))
        #expect(pending.lastDisplayed(for: "banner") == nil)
        var displayed = await session.displayed().makeAsyncIterator()
        let second = Task { await session.run() }
        var shown = await displayed.next()
        while shown == .some(nil) { shown = await displayed.next() }
        #expect(shown??.instanceID == "a")
        #expect(model.requests.count == 2)
        #expect(pending.lastDisplayed(for: "banner") == "a")
        second.cancel()
        never.settle(())
    }

    @Test("an unavailable model: the fallback first of all, and one skipped record")
    func unavailable() async {
        let model = ScriptedModel(
            ScriptedModel.answer(nil), availability: .unavailable(reason: .deviceNotEligible))
        let fixture = Fixture(model)
        pending.add(.init("a", priority: 2))
        pending.add(.init("b", priority: 1))
        let session = session(fixture, .ai(prompt: "p"))
        let seen = Rendezvous<Void>()
        fixture.evaluator.setEvaluationObserver { _ in seen.settle(()) }
        let running = Task { await session.run() }
        var displayed = await session.displayed().makeAsyncIterator()
        #expect(await displayed.next()??.instanceID == "b")
        await seen.value(ifCancelled: ())
        #expect(await fixture.records.map(\.skipCause) == [.modelUnavailable(.deviceNotEligible)])
        #expect(model.requests.isEmpty)
        running.cancel()
    }

    @Test("several views of one id share what was displayed, by whatever strategy")
    func shared() async {
        let fixture = Fixture()
        pending.add(.init("best", priority: 1))
        pending.add(.init("worst", priority: 9))
        let pinned = session(fixture, .instance("worst"))
        let first = Task { await pinned.run() }
        var displayed = await pinned.displayed().makeAsyncIterator()
        #expect(await displayed.next()??.instanceID == "worst")
        let other = session(fixture, .priority)
        let second = Task { await other.run() }
        var otherDisplayed = await other.displayed().makeAsyncIterator()
        #expect(await otherDisplayed.next()??.instanceID == "worst")
        await other.select(.instance("best"))
        #expect(await otherDisplayed.next()??.instanceID == "best")
        first.cancel()
        second.cancel()
    }

    @Test("changes of another embedded id do not wake a view")
    func otherID() async {
        var updates = pending.updates { $0.embeddedID == "banner" }.makeAsyncIterator()
        #expect(await updates.next() == [])
        pending.add(AirshipEmbeddedInfo(instanceID: "x", embeddedID: "other"))
        pending.add(.init("a"))
        #expect(await updates.next()?.map(\.instanceID) == ["a"])
        pending.remove(instanceID: "x")
        pending.remove(instanceID: "ghost")
        pending.remove(instanceID: "a")
        #expect(await updates.next() == [])
    }

    @Test("an observer sees one id, all ids or a filter, first come first")
    func observer() async {
        let other = AirshipEmbeddedInfo(instanceID: "o", embeddedID: "other", priority: -5)
        pending.add(.init("b"))
        pending.add(other)
        pending.add(.init("a", priority: -9))
        pending.add(.init("b", priority: 4))
        func ids(_ filter: @escaping @Sendable (AirshipEmbeddedInfo) -> Bool) -> [String] {
            AirshipEmbeddedObserver(pending: pending, filter).embeddedInfos.map(\.instanceID)
        }
        #expect(ids { $0.embeddedID == "banner" } == ["b", "a"])
        #expect(ids { _ in true } == ["b", "o", "a"])
        #expect(ids { $0.priority < 0 } == ["o", "a"])
        let observer = AirshipEmbeddedObserver(pending: pending) { $0.embeddedID == "other" }
        var updates = observer.updates.makeAsyncIterator()
        #expect(await updates.next() == [other])
        pending.remove(instanceID: "o")
        #expect(await updates.next() == [])
    }

    @Test("the public observers watch the process")
    func publicObservers() {
        let id = UUID().uuidString
        let info = AirshipEmbeddedInfo(instanceID: id, embeddedID: "place-\(id)")
        PendingEmbedded.shared.add(info)
        #expect(AirshipEmbeddedObserver(embeddedID: "place-\(id)").embeddedInfos == [info])
        #expect(AirshipEmbeddedObserver().embeddedInfos.contains(info))
        #expect(AirshipEmbeddedObserver(predicate: { $0.instanceID == id }).embeddedInfos == [info])
        PendingEmbedded.shared.remove(instanceID: id)
    }

    @Test("percentages refer to the parent that the app gives, else to what is proposed")
    func size() {
        let given = AirshipEmbeddedSize(parentBounds: CGSize(width: 300, height: 80))
        #expect(given == AirshipEmbeddedSize(parentWidth: 300, parentHeight: 80))
        #expect(given.width(percent: 50, proposed: 200) == 150)
        #expect(given.height(percent: 25) == 20)
        #expect(given.width(percent: -3) == 0)
        let unknown = AirshipEmbeddedSize()
        #expect(unknown.width(percent: 50, proposed: 200) == 100)
        #expect(unknown.height(percent: 50, proposed: .infinity) == nil)
        #expect(unknown.height(percent: 50) == nil)
    }
}
