// The one line that connects an evaluator with a log.

import AirshipCore
import AirshipRecording
import Dispatch
import EvalogContent
import EvalogFacts
import EvalogLog
import EvalogRecording
import EvalogText
import Foundation
import TestSupport
import Testing

@Suite("recorder.attach(to:)", .timeLimit(.minutes(10))) struct AttachTests {
    @Test("1,000 concurrent evaluations give 1,000 facts, one each")
    func concurrent() async throws {
        let fixture = AirshipFixture()
        fixture.use(
            ClosureModel { request in
                for _ in 0..<(request.instructions.utf8.count % 5) { await Task.yield() }
                return ["word": .string(Planted.mark)]
            })
        let ids = await withTaskGroup(of: UUID.self) { group in
            for number in 0..<1_000 {
                group.addTask {
                    let question = WordQuestion(
                        subjectID: "s-\(number)",
                        words: String(repeating: "x", count: number % 97))
                    return await fixture.evaluator.evaluate(question).id
                }
            }
            return await group.reduce(into: Set<UUID>()) { $0.insert($1) }
        }
        let facts = try await fixture.finished().evaluations()
        #expect(ids.count == 1_000 && facts.count == 1_000)
        #expect(Set(facts.map(\.id.text)) == Set(ids.map { $0.uuidString.lowercased() }))
        #expect(facts.allSatisfy { $0.outcome == .completed && $0.attempts == 1 })
        #expect(try fixture.contents().count == 1_000)
    }

    @Test(
        "facts stand in the order in which their evaluations ended", arguments: [1, 2] as [UInt64])
    func completionOrder(seed: UInt64) async throws {
        let fixture = AirshipFixture(.off)
        let count = 50
        let asked = (0..<count).map { _ in Rendezvous<Void>() }
        let answers = (0..<count).map { _ in Rendezvous<Void>() }
        fixture.use(
            ClosureModel { request in
                let number = request.instructions.utf8.count
                asked[number].settle(())
                await answers[number].value
                return ["word": .string(Planted.mark)]
            })
        var generator = SeededGenerator(seed: seed)
        let order = (0..<count).shuffled(using: &generator)
        let tasks = (0..<count).map { number in
            Task {
                await fixture.evaluator.evaluate(
                    WordQuestion(
                        subjectID: "s-\(number)", words: String(repeating: "x", count: number)))
            }
        }
        for rendezvous in asked { await rendezvous.value(ifCancelled: ()) }
        for number in order {
            answers[number].settle(())
            _ = await tasks[number].inTime
        }
        let facts = try await fixture.finished().evaluations()
        #expect(facts.map(\.subject) == order.map { "s-\($0)" })
    }

    @Test("an evaluation stands before the event that names it, whatever runs beside")
    func order() async throws {
        let fixture = AirshipFixture()
        fixture.use(ClosureModel { _ in ["allow": false, "reason": "marker"] })
        let configuration = SuppressionConfiguration(condition: "c", missBehavior: .penalize)
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<50 {
                group.addTask {
                    _ = await SceneSuppression.decide(
                        on: SceneMessage(id: "message-\(number)", name: "n"),
                        configuration: configuration, host: fixture.evaluator)
                }
            }
        }
        let facts = try await fixture.finished().facts()
        #expect(facts.count == 101)
        #expect(fixture.recorder.status.orphanCount == 0)
        var seen: Set<UniqueID> = []
        for fact in facts {
            switch fact {
            case .evaluation(let evaluation): seen.insert(evaluation.id)
            case .aiSuppressed(let event):
                #expect(seen.contains(event.evaluation))
                #expect(event.missBehavior == .penalize)
                #expect(event.session?.text == AirshipFixture.session.uuidString.lowercased())
            case .gate(let gate): #expect(gate.isOnDeviceAIEnabled)
            default: Issue.record("only evaluations, suppressions and a gate fact are expected")
            }
        }
    }

    @Test("a submitted field leaves its catalog and its closed values, and nothing that was typed")
    func form() async throws {
        let fixture = AirshipFixture(.off)
        fixture.use(ClosureModel { _ in ["topic": ["intent": "billing"], "note": "typed-marker"] })
        let flag: [String: AirshipJSON] = ["x-ua-report-property": true]
        let topic = AirshipJSONSchema.object(
            properties: ["intent": .string(choices: ["billing", "delivery"], extensions: flag)],
            extensions: flag)
        let session = TextInputSession(
            id: "contact/message", kind: .text, isRequired: false,
            configuration: TextInputConfiguration(
                prompt: "p",
                outputSchema: .object(
                    properties: ["topic": topic, "note": .string()], extensions: flag)),
            host: fixture.evaluator, time: HastyTime())
        await session.edited("typed-marker")
        await inTime { await session.settled() }
        _ = await session.submit()
        let facts = try await fixture.finished().facts()
        guard facts.count == 4, case .evaluation(let evaluation) = facts[0],
            case .catalog(let catalog) = facts[1], case .gate(let gate) = facts[2],
            case .formInference(let form) = facts[3]
        else {
            Issue.record("an evaluation, a catalog, the gate and an inference are expected")
            return
        }
        #expect(gate.isOnDeviceAIEnabled && gate.time == form.time)
        #expect(
            catalog.report == [
                .init(name: "topic_intent", values: [.text("billing"), .text("delivery")])
            ])
        #expect(form.report == [.init(name: "topic_intent", value: .text("billing"))])
        #expect((form.evaluation, form.status) == (evaluation.id, .success))
        #expect(FolderSearch(fixture.directory.path).paths(holding: "typed-marker").isEmpty)
    }

    @Test("the app's observer sees what the recorder sees, and clearing it changes nothing")
    func observer() async throws {
        let fixture = AirshipFixture(.off)
        fixture.use(ClosureModel.word)
        let seen = Locked(0)
        fixture.evaluator.setEvaluationObserver { _ in seen.withLock { $0 += 1 } }
        _ = await fixture.evaluator.evaluate(WordQuestion())
        await fixture.evaluator.drained()
        fixture.evaluator.setEvaluationObserver(nil)
        _ = await fixture.evaluator.evaluate(WordQuestion())
        #expect(try await fixture.finished().evaluations().count == 2)
        #expect(seen.withLock { $0 } == 1)
    }

    @Test("attaching twice records once")
    func twice() async throws {
        let fixture = AirshipFixture(.off)
        fixture.use(ClosureModel.word)
        fixture.recorder.attach(to: fixture.evaluator)
        _ = await fixture.evaluator.evaluate(WordQuestion())
        #expect(try await fixture.finished().facts().count == 1)
    }
}
