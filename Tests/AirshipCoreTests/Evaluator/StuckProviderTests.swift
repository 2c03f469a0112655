import AirshipCore
import Dispatch
import Foundation
import TestSupport
import Testing

@Suite("context providers that do not return", .timeLimit(.minutes(10))) struct StuckProviderTests {
    private let time = ManualTime()
    private let never = Rendezvous<Void>()

    private static func block(on release: DispatchSemaphore) { release.wait() }

    /// Its provider ignores cancellation.
    private func fixture(_ model: ScriptedModel) -> Fixture {
        let fixture = Fixture(model, time: time)
        fixture.evaluator.setDefaultContextProvider { [never] in
            await Task.detached { await never.value }.value
            return AirshipAI.Context(items: [.init(content: "late")])
        }
        return fixture
    }

    @Test("providers that block their threads hold none that other evaluations need")
    func blocking() async {
        let release = DispatchSemaphore(value: 0)
        let model = ScriptedModel(ScriptedModel.answer(.good))
        let blocked = Fixture(model)
        blocked.evaluator.setDefaultContextProvider {
            Self.block(on: release)
            return .empty
        }
        // More than any machine shares among tasks, were they to run there.
        let count = CoreLimits.callThreadMax
        await withTaskGroup(of: AirshipAI.Result<Verdict>.self) { group in
            for _ in 1...count { group.addTask { await blocked.evaluate() } }
            let result = await Fixture(model).evaluate()
            #expect(result == .completed(.good))
            for _ in 1...count { release.signal() }
        }
        #expect(await blocked.records.count == count)
    }

    @Test("a provider that never returns is left, and the model asked without its context")
    func left() async {
        let model = ScriptedModel(ScriptedModel.answer(.good))
        let fixture = fixture(model)
        async let result = fixture.evaluate(
            additionalContext: AirshipAI.Context(items: [.init(content: "own")]))
        await time.alarms(1)
        time.advance(by: CoreLimits.providerBudget)
        #expect(await result == .completed(.good))
        never.settle(())
        let records = await fixture.records
        #expect(records.map { $0.request.context.items.map(\.content) } == [["own"]])
        #expect(records.map(\.duration) == [0], "its time is none of the model's")
        #expect(time.pendingCount == 0)
    }

    @Test("where context is required, a provider that never returns is as if there were none")
    func required() async {
        let model = ScriptedModel(ScriptedModel.answer(.good))
        let fixture = fixture(model)
        async let result = fixture.evaluate(TestEvaluation(requiresContext: true))
        await time.alarms(1)
        time.advance(by: CoreLimits.providerBudget)
        #expect(await result == .skipped(reason: "No context to personalize on"))
        #expect(await fixture.records.map(\.skipCause) == [.noContext])
        #expect(model.requests.isEmpty)
        never.settle(())
    }

    @Test(
        "DECISION: a provider is waited for at most ten seconds, once, until it has returned",
        arguments: [true, false])
    func stuck(isBlocking: Bool) async {
        let (release, entered) = (DispatchSemaphore(value: 0), Rendezvous<Void>())
        let fixture = Fixture(ScriptedModel(ScriptedModel.answer(.good)), time: time)
        let calls = Shared(0)
        fixture.evaluator.setContextProvider(for: TestEvaluation.usage) { [never] _ in
            calls.change { $0 += 1 }
            guard calls.value == 1 else { return AirshipAI.Context(items: [.init(content: "new")]) }
            entered.settle(())
            if isBlocking {
                Self.block(on: release)
            } else {
                await Task.detached { await never.value }.value
            }
            return AirshipAI.Context(items: [.init(content: "late")])
        }
        #expect(CoreLimits.providerBudget == .seconds(10))
        async let first = fixture.evaluate()
        await time.alarms(1)
        await entered.value(ifCancelled: ())
        time.advance(by: CoreLimits.providerBudget)
        #expect(await first == .completed(.good))
        // Nobody moves the clock any more: this would never end, were it to wait.
        for _ in 1...3 {
            let own = AirshipAI.Context(items: [.init(content: "own")])
            #expect(await fixture.evaluate(additionalContext: own) == .completed(.good))
        }
        #expect(calls.value == 1)
        release.signal()
        never.settle(())
        var offered: [String] = []
        await waitUntil {
            _ = await fixture.evaluate()
            offered = await fixture.records.last?.request.context.items.map(\.content) ?? []
            return !offered.isEmpty
        }
        #expect(offered == ["new"], "what comes late is dropped, and the provider asked again")
        let contexts = await fixture.records.prefix(4).map {
            $0.request.context.items.map(\.content)
        }
        #expect(contexts == [[], ["own"], ["own"], ["own"]], "the records tell what was offered")
    }

    @Test("a provider registered in the place of a stuck one is asked at once")
    func replaced() async {
        let fixture = fixture(ScriptedModel(ScriptedModel.answer(.good)))
        async let first = fixture.evaluate()
        await time.alarms(1)
        time.advance(by: CoreLimits.providerBudget)
        #expect(await first == .completed(.good))
        fixture.evaluator.setDefaultContextProvider {
            AirshipAI.Context(items: [.init(content: "new")])
        }
        _ = await fixture.evaluate()
        #expect(
            await fixture.records.map { $0.request.context.items.map(\.content) } == [[], ["new"]])
        never.settle(())
    }

    @Test("the threads of a provider that was replaced or cleared do not wait for its next call")
    func retired() async {
        // They would wait longer than this test may take.
        let lanes = CallLanes(idleSeconds: 86_400)
        let (counts, free) = (Shared<[Int]>([]), CallThreads(threadMax: 1, idleSeconds: 86_400))
        let work = Task(executorPreference: free) { counts.change { $0.append(free.threadCount) } }
        _ = await work.inTime
        #expect(counts.value == [1] && free.threadCount == 1)
        free.retire()
        await waitUntil { free.threadCount == 0 }
        // A call that comes later all the same has a thread, which ends with it.
        _ = await Task(executorPreference: free) {}.inTime
        await waitUntil { free.threadCount == 0 }

        let threads = lanes.makeThreads()
        var provider: RegisteredProvider? = RegisteredProvider(on: threads) { _ in .empty }
        _ = await provider?.context(for: 0, SystemTime())
        #expect(threads.threadCount == 1)
        provider = nil
        await waitUntil { threads.threadCount == 0 }
    }

    @Test("a provider whose caller went away is stuck only once its time is over")
    func cancelled() async {
        let entered = Rendezvous<Void>()
        let fixture = Fixture(ScriptedModel(ScriptedModel.answer(.good)), time: time)
        let calls = Shared(0)
        fixture.evaluator.setDefaultContextProvider { [never] in
            calls.change { $0 += 1 }
            if calls.value == 1 {
                entered.settle(())
                await Task.detached { await never.value }.value
            }
            return .empty
        }
        let first = Task { await fixture.evaluate() }
        await entered.value(ifCancelled: ())
        first.cancel()
        #expect(await first.inTime == .failed(CancellationError()))
        #expect(await fixture.evaluate() == .completed(.good))
        #expect(calls.value == 2, "it may return any moment")
        time.advance(by: CoreLimits.providerBudget)
        #expect(await fixture.evaluate() == .completed(.good))
        #expect(calls.value == 2)
        never.settle(())
        await waitUntil {
            _ = await fixture.evaluate()
            return calls.value > 2
        }
    }

    @Test("a form field whose provider never returns ends valid, with one record")
    func field() async {
        let model = ScriptedModel(ScriptedModel.answer(TextInputSessionTests.answer))
        let fixture = fixture(model)
        let session = TextInputSession(
            id: "form/field", kind: .text, isRequired: false,
            configuration: TextInputSessionTests.configuration, host: fixture.evaluator, time: time)
        await session.edited("text")
        await time.alarms(1)
        time.advance(by: CoreLimits.textInputIdleDelay)
        await time.alarms(2)
        time.advance(by: CoreLimits.providerBudget)
        await inTime { await session.settled() }
        #expect(await session.state.validity == .valid)
        #expect(await fixture.records.map(\.attempts) == [1])
        never.settle(())
    }
}
