import AirshipCore
import Foundation
import Testing

@Suite("context providers", .timeLimit(.minutes(10))) struct ContextProviderTests {
    /// The context that the model saw.
    private func context(
        _ fixture: Fixture, _ additional: AirshipAI.Context = .empty
    ) async -> [String]? {
        _ = await fixture.evaluate(additionalContext: additional)
        return await fixture.records.last?.request.context.items.map(\.content)
    }

    private static func items(_ contents: String...) -> AirshipAI.Context {
        AirshipAI.Context(items: contents.map { .init(content: $0) })
    }

    private let fixture = Fixture(ScriptedModel(ScriptedModel.answer(.good)))

    @Test("without a provider the model receives an empty context")
    func none() async {
        #expect(await context(fixture) == [])
    }

    @Test("the provider's items come first, whatever the priorities")
    func order() async {
        fixture.evaluator.setContextProvider(for: TestEvaluation.usage) { _ in
            AirshipAI.Context(items: [.init(content: "provider", priority: 9)])
        }
        let extra = AirshipAI.Context(items: [.init(content: "extra", priority: -9)])
        #expect(await context(fixture, extra) == ["provider", "extra"])
    }

    @Test("a specific provider is used alone, also when it returns nothing; cleared, the default")
    func specific() async {
        fixture.evaluator.setDefaultContextProvider { Self.items("default") }
        #expect(await context(fixture) == ["default"])
        fixture.evaluator.setContextProvider(for: TestEvaluation.usage) { _ in Self.items("own") }
        #expect(await context(fixture) == ["own"])
        fixture.evaluator.setContextProvider(for: TestEvaluation.usage) { _ in .empty }
        #expect(await context(fixture) == [])
        fixture.evaluator.setContextProvider(for: TestEvaluation.usage, nil)
        #expect(await context(fixture) == ["default"])
        fixture.evaluator.setDefaultContextProvider(nil)
        #expect(await context(fixture) == [])
    }

    @Test("a provider under the same raw value with another subject gives an empty context")
    func otherSubject() async {
        fixture.evaluator.setDefaultContextProvider { Self.items("default") }
        let usage = AirshipAI.Usage<Int>(rawValue: TestEvaluation.usage.rawValue)
        fixture.evaluator.setContextProvider(for: usage) { _ in Self.items("mismatch") }
        #expect(await context(fixture) == [])
    }

    @Test("a provider runs once per evaluation, not once per attempt")
    func once() async {
        let fixture = Fixture(ScriptedModel(ScriptedModel.fail()))
        let calls = Shared(0)
        fixture.evaluator.setDefaultContextProvider {
            calls.change { $0 += 1 }
            return .empty
        }
        _ = await fixture.evaluate()
        #expect(calls.value == 1)
    }

    @Test("a replaced or cleared provider, resolver, observer and sink is released")
    func released() async {
        final class Owner: Sendable {
            func context() -> AirshipAI.Context { .empty }
        }
        weak var owner: Owner?
        weak var collector: Collector?
        do {
            let strong = Owner()
            let sink = Collector()
            owner = strong
            collector = sink
            let evaluator = fixture.evaluator
            evaluator.setContextProvider(for: TestEvaluation.usage) { _ in strong.context() }
            evaluator.setDefaultContextProvider { strong.context() }
            evaluator.setModelResolver { _ in
                _ = strong
                return .defaultModel
            }
            evaluator.setEvaluationObserver { _ in _ = strong }
            evaluator.attach(sink)
            evaluator.detach(sink)
        }
        #expect(owner != nil)
        // The sink's first delivery holds it until it is done.
        await fixture.evaluator.drained()
        #expect(collector == nil)
        fixture.evaluator.setContextProvider(for: TestEvaluation.usage) { _ in .empty }
        fixture.evaluator.setDefaultContextProvider(nil)
        fixture.evaluator.setModelResolver(nil)
        fixture.evaluator.setEvaluationObserver(nil)
        #expect(owner == nil)
    }
}
