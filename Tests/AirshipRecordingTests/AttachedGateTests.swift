// What the log of an attached recorder says, and does not say, once the user has switched off.

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

@Suite("an attached recorder and the gate", .timeLimit(.minutes(10))) struct AttachedGateTests {
    @Test("with the gate off nothing of content is written, and its changes are facts")
    func gate() async throws {
        let fixture = AirshipFixture()
        fixture.use(ClosureModel.word)
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
        fixture.use(ClosureModel.word)
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
        await entered.value(ifCancelled: ())
        fixture.privacy.disableFeatures(.onDeviceAI)
        await gateWatch.off.value(ifCancelled: ())
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
        await asked.value(ifCancelled: ())
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
}
