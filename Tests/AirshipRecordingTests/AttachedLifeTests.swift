// Flushing, suspending, closing and letting go of a recorder that is attached.

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

@Suite("an attached recorder's life", .timeLimit(.minutes(10))) struct AttachedLifeTests {
    @Test("a closed recorder is detached: it is not even told of what comes later")
    func closed() async throws {
        let fixture = AirshipFixture(.off)
        fixture.use(ClosureModel.word)
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
        fixture.use(ClosureModel.word)
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
            evaluator.setModelResolver { _ in .custom(ClosureModel.word) }
            recorder.attach(to: evaluator)
            for _ in 1...count { _ = await evaluator.evaluate(WordQuestion()) }
        }
        #expect(recorder.close())
        #expect(try evaluations(in: LogDirectory(path: scratch.path("log"))).count == count)
    }

    /// Flushes a recorder, and may close it, from within what it is told.
    private final class Ender: AirshipAI.Sink {
        let recorder: EvaluationRecorder
        let closes: Bool
        let results = Locked<[Bool]>([])
        /// What had been recorded when a flush was over.
        let counts = Locked<[Int]>([])

        init(of recorder: EvaluationRecorder, closes: Bool) {
            self.recorder = recorder
            self.closes = closes
        }

        func receive(_ observation: AirshipAI.Observation) {
            guard case .evaluation = observation else { return }
            let isFlushed = recorder.flush()
            counts.withLock { $0.append(recorder.status.recordedCount) }
            let isClosed = closes ? recorder.close() : true
            results.withLock { $0 += [isFlushed, isClosed] }
        }
    }

    @Test("a receiver behind the recorder may flush and close, and does not wait for itself")
    func endedBehind() async throws {
        let fixture = AirshipFixture(.off)
        fixture.use(ClosureModel.word)
        let ender = Ender(of: fixture.recorder, closes: true)
        fixture.evaluator.attach(ender)
        _ = await fixture.evaluator.evaluate(WordQuestion())
        await fixture.evaluator.drained()
        #expect(ender.results.withLock { $0 } == [true, true])
        #expect(ender.counts.withLock { $0 } == [1])
        #expect(try fixture.evaluations().count == 1)
    }

    @Test(
        "from a receiver before the recorder both leave out what it is told of, which is counted",
        arguments: [true, false])
    func endedBefore(closes: Bool) async throws {
        let scratch = ScratchFolder()
        let recorder = EvaluationRecorder(directory: scratch.path("log"), content: .off)
        let evaluator = AirshipAI.Evaluator(
            privacy: AirshipPrivacyManager(storage: MemoryFeatureStorage()))
        evaluator.setModelResolver { _ in .custom(ClosureModel.word) }
        let ender = Ender(of: recorder, closes: closes)
        evaluator.attach(ender)
        recorder.attach(to: evaluator)
        _ = await evaluator.evaluate(WordQuestion())
        await evaluator.drained()
        #expect(ender.results.withLock { $0 } == [true, true])
        #expect(ender.counts.withLock { $0 } == [0])
        #expect(recorder.status.refusedCounts == (closes ? ["closed": 1] : [:]))
        if closes { return }
        // From without, all that has returned is taken in.
        #expect(recorder.flush())
        #expect(try evaluations(in: LogDirectory(path: scratch.path("log"))).count == 1)
        recorder.close()
    }

    @Test("a recorder goes on with the next evaluation after each suspension")
    func suspended() async throws {
        let fixture = AirshipFixture(.off)
        fixture.use(ClosureModel.word)
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

    @Test("recorder and manager let go of each other", .timeLimit(.minutes(10)))
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
        // A thread may still be on its way out of the last call; what was registered goes on the manager's own
        // queue, a moment later.
        await waitUntil { manager == nil && recorder == nil }
    }
}
