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

/// Hears that the gate went off.
private final class GateWatch: AirshipAI.Sink {
    let off = Rendezvous<Void>()

    func receive(_ observation: AirshipAI.Observation) {
        guard case .event(let event) = observation else { return }
        if case .gate(onDeviceAI: false) = event.kind { off.settle(()) }
    }
}

@Suite("recorder.attach(to:)", .timeLimit(.minutes(2))) struct AttachTests {
    private static let word = ClosureModel(label: "scripted-1") { _ in
        ["word": .string(Planted.mark)]
    }

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
        for rendezvous in asked { await rendezvous.value }
        for number in order {
            answers[number].settle(())
            _ = await tasks[number].value
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
        await session.settled()
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

    @Test("with the gate off nothing of content is written, and its changes are facts")
    func gate() async throws {
        let fixture = AirshipFixture()
        fixture.use(Self.word)
        fixture.privacy.disableFeatures(.onDeviceAI)
        _ = await fixture.evaluator.evaluate(WordQuestion(words: Planted.mark))
        await fixture.evaluator.drained()
        fixture.recorder.flush()
        #expect(FolderSearch(fixture.directory.path).paths(holding: Planted.mark).isEmpty)
        fixture.privacy.enableFeatures(.onDeviceAI)
        _ = await fixture.evaluator.evaluate(WordQuestion(words: Planted.mark))
        let facts = try await fixture.finished().facts()
        guard facts.count == 4, case .gate(let off) = facts[0],
            case .evaluation(let skipped) = facts[1], case .gate(let on) = facts[2],
            case .evaluation(let asked) = facts[3]
        else {
            Issue.record("a skip between two changes of the gate, then an answer are expected")
            return
        }
        #expect((off.isOnDeviceAIEnabled, on.isOnDeviceAIEnabled) == (false, true))
        #expect((skipped.reason, skipped.attempts) == (.aiDisabled, 0))
        #expect(try fixture.contents().map(\.id) == [asked.id])
    }

    @Test("what waits when the user switches off is not written, though the app's observer hangs")
    func gateWhileContentWaits() async throws {
        let fixture = AirshipFixture()
        fixture.use(Self.word)
        let (entered, release) = (Rendezvous<Void>(), DispatchSemaphore(value: 0))
        let gateWatch = GateWatch()
        // Behind the recorder, so told after it.
        fixture.evaluator.attach(gateWatch)
        fixture.evaluator.setEvaluationObserver { _ in
            entered.settle(())
            release.wait()
        }
        fixture.recorder.suspend()
        _ = await fixture.evaluator.evaluate(WordQuestion(words: Planted.mark))
        await entered.value
        fixture.privacy.disableFeatures(.onDeviceAI)
        await gateWatch.off.value
        fixture.recorder.resume()
        #expect(fixture.recorder.flush())
        #expect(FolderSearch(fixture.directory.path).paths(holding: Planted.mark).isEmpty)
        #expect(fixture.recorder.status.withheldCount == 1)
        release.signal()
        #expect(try await fixture.finished().evaluations().map(\.outcome) == [.completed])
    }

    @Test("a form that is submitted while the gate is off, and always was, says so in the log")
    func neverOn() async throws {
        let privacy = AirshipPrivacyManager(
            defaultFeatures: .all.subtracting(.onDeviceAI), storage: MemoryFeatureStorage())
        let evaluator = AirshipAI.Evaluator(privacy: privacy)
        let scratch = ScratchFolder()
        let recorder = EvaluationRecorder(directory: scratch.path("log"), content: .off)
        recorder.attach(to: evaluator)
        let session = TextInputSession(
            id: "contact/message", kind: .text, isRequired: false,
            configuration: TextInputConfiguration(prompt: "p", outputSchema: .object()),
            host: evaluator, time: HastyTime())
        await session.edited("typed")
        _ = await session.submit()
        await evaluator.drained()
        recorder.close()
        // The question about the text may end before or after.
        let facts = try facts(in: LogDirectory(path: scratch.path("log"))).filter {
            if case .evaluation = $0 { false } else { true }
        }
        guard facts.count == 2, case .gate(let gate) = facts[0],
            case .formInference(let form) = facts[1]
        else {
            Issue.record("the gate and an inference are expected")
            return
        }
        #expect(form.status == .failure)
        #expect(!gate.isOnDeviceAIEnabled && gate.time <= form.time)
    }

    @Test("a recorder attached while the gate is off keeps no content of anyone's")
    func attachedLate() async throws {
        let privacy = AirshipPrivacyManager(storage: MemoryFeatureStorage())
        let evaluator = AirshipAI.Evaluator(privacy: privacy)
        let scratch = ScratchFolder()
        let recorder = EvaluationRecorder(directory: scratch.path("log"), content: .all(days: 7))
        let (asked, answer) = (Rendezvous<Void>(), Rendezvous<Void>())
        evaluator.setModelResolver { _ in
            .custom(
                ClosureModel { _ in
                    asked.settle(())
                    await answer.value
                    throw CancellationError()
                })
        }
        async let evaluated = evaluator.evaluate(WordQuestion(words: Planted.mark))
        await asked.value
        privacy.disableFeatures(.onDeviceAI)
        recorder.attach(to: evaluator)
        answer.settle(())
        _ = await evaluated
        await evaluator.drained()
        // Of an evaluator that does not know of the gate.
        recorder.record(
            ObservedEvaluation(
                usage: "other", ending: .completed(output: Planted.mark), attempts: 1))
        recorder.close()
        let facts = try evaluations(in: LogDirectory(path: scratch.path("log")))
        #expect(facts.map(\.reason) == [.aiDisabled, nil])
        #expect(recorder.status.withheldCount == 1)
        #expect(FolderSearch(scratch.path("log")).paths(holding: Planted.mark).isEmpty)
    }

    @Test("the app's observer sees what the recorder sees, and clearing it changes nothing")
    func observer() async throws {
        let fixture = AirshipFixture(.off)
        fixture.use(Self.word)
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
        fixture.use(Self.word)
        fixture.recorder.attach(to: fixture.evaluator)
        _ = await fixture.evaluator.evaluate(WordQuestion())
        #expect(try await fixture.finished().facts().count == 1)
    }

    @Test("a closed recorder is detached: it is not even told of what comes later")
    func closed() async throws {
        let fixture = AirshipFixture(.off)
        fixture.use(Self.word)
        _ = await fixture.evaluator.evaluate(WordQuestion())
        _ = await fixture.finished()
        _ = await fixture.evaluator.evaluate(WordQuestion())
        await fixture.evaluator.drained()
        #expect(fixture.recorder.status.refusedCounts.isEmpty)
        fixture.recorder.attach(to: fixture.evaluator)
        _ = await fixture.evaluator.evaluate(WordQuestion())
        await fixture.evaluator.drained()
        #expect(fixture.recorder.status.refusedCounts.isEmpty)
        #expect(try fixture.facts().count == 1)
    }

    @Test("what has returned to its caller is in the log after a flush, a suspension and the end")
    func returned() async throws {
        let fixture = AirshipFixture()
        fixture.use(Self.word)
        // Neither an observer that hangs nor one that flushes holds the log up.
        let release = DispatchSemaphore(value: 0)
        fixture.evaluator.setEvaluationObserver { [recorder = fixture.recorder] _ in
            recorder.flush()
            release.wait()
        }
        let count = 100
        defer { for _ in 1...(3 * count) { release.signal() } }
        for _ in 1...count { _ = await fixture.evaluator.evaluate(WordQuestion()) }
        #expect(fixture.recorder.flush())
        #expect(try fixture.evaluations().count == count)
        for _ in 1...count { _ = await fixture.evaluator.evaluate(WordQuestion()) }
        #expect(fixture.recorder.suspend())
        #expect(try fixture.evaluations().count == 2 * count)
        fixture.recorder.resume()
        for _ in 1...count { _ = await fixture.evaluator.evaluate(WordQuestion()) }
        #expect(fixture.recorder.close())
        #expect(try fixture.evaluations().count == 3 * count)
        #expect(try fixture.contents().count == 3 * count)
        #expect(fixture.recorder.status.refusedCounts.isEmpty)
    }

    @Test("so it is when the manager went away meanwhile")
    func returnedAndGone() async throws {
        let scratch = ScratchFolder()
        let recorder = EvaluationRecorder(directory: scratch.path("log"), content: .off)
        let count = 100
        do {
            let evaluator = AirshipAI.Evaluator(
                privacy: AirshipPrivacyManager(storage: MemoryFeatureStorage()))
            evaluator.setModelResolver { _ in .custom(Self.word) }
            recorder.attach(to: evaluator)
            for _ in 1...count { _ = await evaluator.evaluate(WordQuestion()) }
        }
        #expect(recorder.close())
        #expect(try evaluations(in: LogDirectory(path: scratch.path("log"))).count == count)
    }

    /// Flushes and closes a recorder from within what it is told.
    private final class Closer: AirshipAI.Sink {
        let recorder: EvaluationRecorder
        let results = Locked<[Bool]>([])

        init(_ recorder: EvaluationRecorder) { self.recorder = recorder }

        func receive(_ observation: AirshipAI.Observation) {
            guard case .evaluation = observation else { return }
            let isFlushed = recorder.flush()
            let isClosed = recorder.close()
            results.withLock { $0 += [isFlushed, isClosed] }
        }
    }

    @Test("a receiver may flush and close, and does not wait for itself")
    func closedByReceiver() async throws {
        let fixture = AirshipFixture(.off)
        fixture.use(Self.word)
        let closer = Closer(fixture.recorder)
        fixture.evaluator.attach(closer)
        _ = await fixture.evaluator.evaluate(WordQuestion())
        await fixture.evaluator.drained()
        #expect(closer.results.withLock { $0 } == [true, true])
        #expect(try fixture.evaluations().count == 1)
    }

    @Test("a recorder goes on with the next evaluation after each suspension")
    func suspended() async throws {
        let fixture = AirshipFixture(.off)
        fixture.use(Self.word)
        for _ in 0..<3 {
            _ = await fixture.evaluator.evaluate(WordQuestion())
            await fixture.evaluator.drained()
            #expect(fixture.recorder.suspend())
            fixture.recorder.resume()
        }
        #expect(try fixture.evaluations().count == 3)
        #expect(try fixture.directory.list(.facts).segments.count == 3)
        #expect(try verifyLog(fixture.directory, .facts).writers.allSatisfy { $0.lost.count == 0 })
    }

    @Test("recorder and manager let go of each other", .timeLimit(.minutes(1)))
    func release() async {
        let scratch = ScratchFolder()
        weak var recorder: EvaluationRecorder?
        weak var manager: AirshipAI.Evaluator?
        do {
            let evaluator = AirshipAI.Evaluator(
                privacy: AirshipPrivacyManager(storage: MemoryFeatureStorage()))
            let made = EvaluationRecorder(directory: scratch.path("log"), content: .off)
            made.attach(to: evaluator)
            await evaluator.drained()
            (recorder, manager) = (made, evaluator)
        }
        #expect(manager == nil)
        // What was registered goes on the manager's own queue, a moment later.
        while recorder != nil { await Task.yield() }
    }
}
