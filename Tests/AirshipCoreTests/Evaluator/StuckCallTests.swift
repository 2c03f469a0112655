import AirshipCore
import Dispatch
import Foundation
import TestSupport
import Testing

@Suite("calls that do not return", .timeLimit(.minutes(10))) struct StuckCallTests {
    private let time = ManualTime()
    private let release = DispatchSemaphore(value: 0)

    private func evaluator(_ lanes: CallLanes) -> AirshipAI.Evaluator {
        AirshipAI.Evaluator(
            privacy: AirshipPrivacyManager(storage: MemoryFeatureStorage()), time: time,
            lanes: lanes)
    }

    /// Blocks its thread the first so many times, then answers.
    private func blocking(_ count: Int, label: String? = nil) -> ScriptedModel {
        let calls = Shared(0)
        let release = release
        return ScriptedModel(
            { _ in
                calls.change { $0 += 1 }
                if calls.value <= count { Self.block(on: release) }
                return .good
            }, budget: 5, label: label)
    }

    private static func block(on release: DispatchSemaphore) { release.wait() }

    @Test("when every thread of a model is taken, a call waits, and at its deadline is none")
    func noThreadLeft() async {
        let lanes = CallLanes(threadMax: 1, idleSeconds: 0.01)
        let model = blocking(1)
        let evaluator = evaluator(lanes)
        let collector = Collector()
        evaluator.attach(collector)
        evaluator.setModelResolver { _ in .custom(model) }
        async let first = evaluator.evaluate(TestEvaluation()).result
        await model.asked(1)
        async let second = evaluator.evaluate(TestEvaluation()).result
        await time.alarms(2)
        time.advance(by: .seconds(5))
        #expect(await first == .failed(AirshipCoreError.timedOut(seconds: 5)))
        #expect(await second == .failed(AirshipCoreError.modelBusy))
        await evaluator.drained()
        #expect(collector.records.map(\.attempts).sorted() == [0, 1])
        #expect(lanes.threads(for: model).threadCount == 1)
        release.signal()
        await waitUntil { lanes.threads(for: model).threadCount == 0 }
        #expect(model.requests.count == 1, "a call whose deadline has passed is not begun")
    }

    @Test("a stuck model is refused at once and asked again when a call of it has returned")
    func refused() async throws {
        let model = blocking(2)
        let evaluator = evaluator(CallLanes(threadMax: 2))
        let collector = Collector()
        evaluator.attach(collector)
        evaluator.setModelResolver { _ in .custom(model) }
        async let results = [
            evaluator.evaluate(TestEvaluation()).result,
            evaluator.evaluate(TestEvaluation()).result,
        ]
        await time.alarms(1)
        await model.asked(1)
        time.advance(by: .seconds(5))
        await time.alarms(2)
        await model.asked(2)
        time.advance(by: .seconds(5))
        let timeout = AirshipCoreError.timedOut(seconds: 5)
        #expect(await results == [.failed(timeout), .failed(timeout)])
        // Nobody moves the clock any more: this would never end, were it to wait.
        let refusal = await evaluator.evaluate(TestEvaluation()).result
        #expect(refusal == .failed(AirshipCoreError.modelBusy))
        await evaluator.drained()
        let record = try #require(collector.records.last)
        #expect((record.attempts, record.duration) == (0, 0))
        #expect(AirshipAI.ErrorClass(classifying: AirshipCoreError.modelBusy) == .unavailable)
        release.signal()
        var result = refusal
        await waitUntil {
            result = await evaluator.evaluate(TestEvaluation()).result
            return result != refusal
        }
        #expect(result == .completed(.good))
        release.signal()
    }

    @Test("a stuck model takes no thread from another type, nor from another label of its type")
    func others() async {
        let stuck = blocking(1, label: "stuck")
        let lanes = CallLanes(threadMax: 1)
        let first = evaluator(lanes)
        first.setModelResolver { _ in .custom(stuck) }
        async let result = first.evaluate(TestEvaluation()).result
        await stuck.asked(1)
        let others: [any AirshipAI.ModelProtocol] = [
            ScriptedModel(ScriptedModel.answer(.good), label: "other"), PlainModel(),
        ]
        for other in others {
            let second = evaluator(lanes)
            second.setModelResolver { _ in .custom(other) }
            let answer = await second.evaluate(TestEvaluation()).result
            #expect(answer == .completed(.good))
        }
        release.signal()
        #expect(await result == .completed(.good))
    }

    private struct PlainModel: AirshipAI.ModelProtocol {
        func respond(_ request: AirshipAI.Request) -> AirshipJSON { .good }
    }

    @Test("models that come when there are enough lanes share one")
    func common() {
        let lanes = CallLanes(laneMax: 2)
        let threads = ["a", "b", "c", "d", "a"].map { label in
            lanes.threads(for: ScriptedModel(ScriptedModel.hang, label: label))
        }
        #expect(threads[0] !== threads[1])
        #expect(threads[2] !== threads[1] && threads[2] === threads[3])
        #expect(threads[4] === threads[0])
    }

    @Test("strays that only sleep take no thread, so any number of them stops nobody")
    func sleepers() async {
        let never = Rendezvous<Void>()
        let model = ScriptedModel(
            { _ in
                await Task.detached { await never.value }.value
                return .good
            }, ScriptedModel.answer(.good), budget: 5)
        let evaluator = evaluator(CallLanes(threadMax: 1))
        evaluator.setModelResolver { _ in .custom(model) }
        async let first = evaluator.evaluate(TestEvaluation()).result
        await time.alarms(1)
        await model.asked(1)
        time.advance(by: .seconds(5))
        #expect(await first == .failed(AirshipCoreError.timedOut(seconds: 5)))
        // The stray is about to sleep; until it does it has the only thread.
        var second = await evaluator.evaluate(TestEvaluation()).result
        while second == .failed(AirshipCoreError.modelBusy) {
            await Task.yield()
            second = await evaluator.evaluate(TestEvaluation()).result
        }
        #expect(second == .completed(.good))
        never.settle(())
    }
}
