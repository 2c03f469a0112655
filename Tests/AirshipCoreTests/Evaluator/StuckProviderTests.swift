import AirshipCore
import Dispatch
import Foundation
import Testing

@Suite("context providers that do not return", .timeLimit(.minutes(1))) struct StuckProviderTests {
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

    @Test("a provider whose threads are all stuck is not waited for again")
    func stuck() async {
        let (release, entered) = (DispatchSemaphore(value: 0), Rendezvous<Void>())
        let evaluator = AirshipAI.Evaluator(
            privacy: AirshipPrivacyManager(storage: MemoryFeatureStorage()), time: time,
            lanes: CallLanes(threadMax: 1))
        evaluator.setModelResolver { _ in
            .custom(ScriptedModel(ScriptedModel.answer(.good)))
        }
        evaluator.setContextProvider(for: TestEvaluation.usage) { _ in
            entered.settle(())
            Self.block(on: release)
            return .empty
        }
        async let first = evaluator.evaluate(TestEvaluation()).result
        await time.alarms(1)
        await entered.value
        time.advance(by: CoreLimits.providerBudget)
        #expect(await first == .completed(.good))
        // Nobody moves the clock any more: this would never end, were it to wait.
        let second = await evaluator.evaluate(TestEvaluation()).result
        #expect(second == .completed(.good))
        release.signal()
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
        await session.settled()
        #expect(await session.state.validity == .valid)
        #expect(await fixture.records.map(\.attempts) == [1])
        never.settle(())
    }
}
