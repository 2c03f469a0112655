import AirshipCore
import Dispatch
import TestSupport
import Testing

@Suite("the app's observer", .timeLimit(.minutes(10))) struct ObserverTests {
    @Test("a slow observer does not delay a result")
    func slowObserver() async {
        let fixture = Fixture(ScriptedModel(ScriptedModel.answer(.good)))
        let release = DispatchSemaphore(value: 0)
        fixture.evaluator.setEvaluationObserver { _ in release.wait() }
        #expect(await fixture.evaluate() == .completed(.good))
        release.signal()
    }

    @Test("DECISION: an observer that never returns keeps nothing from its successor, or who waits")
    func stuckObserver() async {
        let time = ManualTime()
        let fixture = Fixture(ScriptedModel(ScriptedModel.answer(.good)), time: time)
        let (entered, release) = (Rendezvous<Void>(), DispatchSemaphore(value: 0))
        fixture.evaluator.setEvaluationObserver { _ in
            entered.settle(())
            release.wait()
        }
        _ = await fixture.evaluate()
        await entered.value(ifCancelled: ())
        let seen = Shared(0)
        fixture.evaluator.setEvaluationObserver { _ in seen.change { $0 += 1 } }
        _ = await fixture.evaluate()
        let alarmCount = 2
        async let drained: Void = fixture.evaluator.drained()
        await time.alarms(alarmCount + 1)
        time.advance(by: CoreLimits.observerBudget)
        await drained
        #expect(seen.value == 1, "beside the other, which has not returned")
        // Nobody moves the clock any more: it is waited for once.
        _ = await fixture.evaluate()
        await fixture.evaluator.drained()
        #expect(seen.value == 2)
        fixture.evaluator.setEvaluationObserver(nil)
        await fixture.evaluator.drained()
        release.signal()
    }

    /// Evaluates once with an observer that then is called and does not return.
    private func stick(_ fixture: Fixture, until release: DispatchSemaphore) async {
        let entered = Rendezvous<Void>()
        fixture.evaluator.setEvaluationObserver { _ in
            entered.settle(())
            release.wait()
        }
        _ = await fixture.evaluate()
        await entered.value(ifCancelled: ())
    }

    @Test(
        "who waits for an observer that is replaced meanwhile waits ten seconds more at most",
        arguments: [0, 1, 2, 5, 10, 20, 50, 100])
    func replacedMeanwhile(yields: Int) async {
        let (time, release) = (ManualTime(), DispatchSemaphore(value: 0))
        defer { release.signal() }
        let fixture = Fixture(ScriptedModel(ScriptedModel.answer(.good)), time: time)
        await stick(fixture, until: release)
        let waiting = Task { await fixture.evaluator.drained() }
        // Before it waits, or after.
        for _ in 0..<yields { await Task.yield() }
        fixture.evaluator.setEvaluationObserver(nil)
        await time.alarms(2)
        time.advance(by: CoreLimits.observerBudget - .milliseconds(1))
        #expect(time.pendingCount == 1, "not before")
        time.advance(by: .milliseconds(1))
        #expect(await waiting.inTime != nil)
    }

    @Test("several observers that were replaced and never return are waited for at the same time")
    func severalStuck() async {
        let (time, release) = (ManualTime(), DispatchSemaphore(value: 0))
        let count = 3
        defer { for _ in 1...count { release.signal() } }
        let fixture = Fixture(ScriptedModel(ScriptedModel.answer(.good)), time: time)
        for _ in 1...count { await stick(fixture, until: release) }
        fixture.evaluator.setEvaluationObserver(nil)
        let waiting = Task { await fixture.evaluator.drained() }
        await time.alarms(2 * count)
        time.advance(by: CoreLimits.observerBudget)
        #expect(await waiting.inTime != nil)
    }

    @Test("who waits for an observer that never returns can be cancelled")
    func cancelled() async {
        let release = DispatchSemaphore(value: 0)
        defer { release.signal() }
        let fixture = Fixture(ScriptedModel(ScriptedModel.answer(.good)))
        await stick(fixture, until: release)
        let waiting = Task { await fixture.evaluator.drained() }
        waiting.cancel()
        #expect(await waiting.inTime != nil)
    }

    @Test("an observer that is replaced is waited for until it was told of what began before")
    func replacedAndTold() async {
        let (inside, release) = (Rendezvous<Void>(), Rendezvous<Void>())
        let fixture = Fixture(
            ScriptedModel({ _ in
                inside.settle(())
                await release.value
                return .good
            }))
        let seen = Shared(0)
        fixture.evaluator.setEvaluationObserver { _ in seen.change { $0 += 1 } }
        async let running = fixture.evaluate()
        await inside.value(ifCancelled: ())
        // Several, so that the first is not the last that was replaced.
        for _ in 1...3 { fixture.evaluator.setEvaluationObserver { _ in } }
        release.settle(())
        #expect(await running == .completed(.good))
        await fixture.evaluator.drained()
        #expect(seen.value == 1)
    }

    @Test("an observer may use the manager")
    func reentrantObserver() async {
        let fixture = Fixture(ScriptedModel(ScriptedModel.answer(.good)))
        let evaluator = fixture.evaluator
        let seen = Rendezvous<Void>()
        evaluator.setEvaluationObserver { [weak evaluator] _ in
            evaluator?.setEvaluationObserver(nil)
            evaluator?.report(.gate(onDeviceAI: true))
            seen.settle(())
        }
        _ = await fixture.evaluate()
        await seen.value(ifCancelled: ())
    }

    @Test("an evaluation reports to the observer of its start; none reports nothing and completes")
    func observerOfTheStart() async {
        let inside = Rendezvous<Void>()
        let release = Rendezvous<Void>()
        let fixture = Fixture(
            ScriptedModel(
                { _ in
                    inside.settle(())
                    await release.value
                    return .good
                }, ScriptedModel.answer(.good)))
        let (first, second) = (Shared(0), Shared(0))
        fixture.evaluator.setEvaluationObserver { _ in first.change { $0 += 1 } }
        async let running = fixture.evaluate()
        await inside.value(ifCancelled: ())
        fixture.evaluator.setEvaluationObserver { _ in second.change { $0 += 1 } }
        release.settle(())
        _ = await running
        await fixture.evaluator.drained()
        #expect((first.value, second.value) == (1, 0))
        _ = await fixture.evaluate()
        fixture.evaluator.setEvaluationObserver(nil)
        #expect(await fixture.evaluate() == .completed(.good))
        await fixture.evaluator.drained()
        #expect((first.value, second.value) == (1, 1))
    }
}
