import AirshipCore
import Foundation
import TestSupport
import Testing

@Suite("evaluations that reach no model", .timeLimit(.minutes(10))) struct SkipTests {
    static let aiDisabled = AirshipAI.Result<Verdict>
        .skipped(reason: "AI disabled by privacy manager")

    /// Registers a provider and a resolver, and tells how often they ran.
    private func watch(_ fixture: Fixture) -> Shared<(providers: Int, resolvers: Int)> {
        let ran = Shared((providers: 0, resolvers: 0))
        fixture.evaluator.setContextProvider(for: TestEvaluation.usage) { _ in
            ran.change { $0.providers += 1 }
            return AirshipAI.Context(items: [.init(content: "c")])
        }
        fixture.evaluator.setModelResolver { _ in
            ran.change { $0.resolvers += 1 }
            return .defaultModel
        }
        return ran
    }

    @Test("DECISION: with the gate off one skipped record is reported, as the documentation says")
    func gateOff() async throws {
        let model = ScriptedModel(ScriptedModel.answer(.good))
        let fixture = Fixture(model)
        let ran = watch(fixture)
        fixture.privacy.disableFeatures(.onDeviceAI)
        #expect(await fixture.evaluate() == Self.aiDisabled)
        let records = await fixture.records
        let record = try #require(records.first)
        #expect(records.count == 1)
        #expect(record.outcome == .skipped(reason: "AI disabled by privacy manager"))
        #expect(record.skipCause == .aiDisabled)
        #expect((record.attempts, record.duration) == (0, 0))
        #expect(record.request.context.items.isEmpty)
        #expect(record.request.instructions == TestEvaluation.words.instructions)
        #expect(model.requests.isEmpty)
        #expect(ran.value == (0, 0))
    }

    @Test(
        "whoever switched off while a model was asked gets nothing of it, though it is on again",
        arguments: [true, false])
    func offAndOn(fails: Bool) async {
        let privacy = Shared<AirshipPrivacyManager?>(nil)
        let model = ScriptedModel(
            { _ in
                privacy.value?.disableFeatures(.onDeviceAI)
                privacy.value?.enableFeatures(.onDeviceAI)
                if fails { throw ModelFailure() }
                return .good
            })
        let fixture = Fixture(model)
        privacy.change { $0 = fixture.privacy }
        #expect(await fixture.evaluate() == Self.aiDisabled)
        #expect(model.requests.count == 1, "no attempt follows either")
        #expect(await fixture.records.map(\.skipCause) == [.aiDisabled])
    }

    @Test("so it is when that was while context was made: no model is asked")
    func offAndOnBefore() async {
        let model = ScriptedModel(ScriptedModel.answer(.good))
        let fixture = Fixture(model)
        let privacy = fixture.privacy
        fixture.evaluator.setContextProvider(for: TestEvaluation.usage) { _ in
            privacy.disableFeatures(.onDeviceAI)
            privacy.enableFeatures(.onDeviceAI)
            return .empty
        }
        #expect(await fixture.evaluate() == Self.aiDisabled)
        #expect(model.requests.isEmpty)
        fixture.evaluator.setContextProvider(for: TestEvaluation.usage, nil)
        #expect(await fixture.evaluate() == .completed(.good), "the next question is a new one")
    }

    @Test("with the gate off no feature runs the app's resolver")
    func resolver() async {
        let fixture = Fixture(ScriptedModel(ScriptedModel.answer(.good)))
        let ran = watch(fixture)
        fixture.privacy.disableFeatures(.onDeviceAI)
        let usage = AirshipAI.AnyUsage(AirshipAI.EmbeddedSelection.usage)
        #expect(fixture.evaluator.availability(for: usage) == .unavailable(reason: .notEnabled))
        var hints = fixture.evaluator.availabilityHints(for: usage).makeAsyncIterator()
        #expect(await hints.next() != nil)
        let pending: [AirshipEmbeddedInfo] = [.init("a", description: "d"), .init("b")]
        let displayed = await AirshipAI.Rehearsal(host: fixture.evaluator)
            .displayed(of: pending, selection: .ai(prompt: "p"))
        #expect(displayed != nil)
        #expect(await fixture.records.map(\.skipCause) == [.aiDisabled])
        let session = TextInputSession(
            id: "f", kind: .text, isRequired: false,
            configuration: TextInputSessionTests.configuration, host: fixture.evaluator,
            time: HastyTime())
        await session.edited("text")
        await inTime { await session.settled() }
        #expect(ran.value == (0, 0))
        fixture.privacy.enableFeatures(.onDeviceAI)
        #expect(await hints.next() != nil)
        #expect(fixture.evaluator.availability(for: usage) == .available)
    }

    @Test("without a model there is one record with that reason, and no provider runs")
    func noModel() async throws {
        let fixture = Fixture()
        let ran = watch(fixture)
        #expect(await fixture.evaluate() == .skipped(reason: "No model configured"))
        let record = try #require(await fixture.records.first)
        #expect(record.skipCause == .noModel)
        #expect(record.attempts == 0)
        #expect(record.request.prompt() == TestEvaluation.words.prompt)
        #expect(ran.value == (0, 1))
    }

    @Test("required context that is missing, or has no text, skips without a call")
    func noContext() async throws {
        let model = ScriptedModel(ScriptedModel.answer(.good))
        let fixture = Fixture(model)
        let evaluation = TestEvaluation(requiresContext: true)
        let expected = AirshipAI.Result<Verdict>.skipped(reason: "No context to personalize on")
        #expect(await fixture.evaluate(evaluation) == expected)
        fixture.evaluator.setDefaultContextProvider {
            AirshipAI.Context(items: [.init(content: "")])
        }
        #expect(await fixture.evaluate(evaluation) == expected)
        #expect(await fixture.records.map(\.skipCause) == [.noContext, .noContext])
        #expect(model.requests.isEmpty)
    }

    @Test("required context is met by the evaluation's own alone")
    func ownContext() async {
        let fixture = Fixture(ScriptedModel(ScriptedModel.answer(.good)))
        let result = await fixture.evaluate(
            TestEvaluation(requiresContext: true),
            additionalContext: AirshipAI.Context(items: [.init(content: "x")]))
        #expect(result == .completed(.good))
    }

    @Test("an unavailable model is skipped after the provider ran, and the record shows both")
    func unavailable() async throws {
        let model = ScriptedModel(
            ScriptedModel.answer(.good), availability: .unavailable(reason: .deviceNotEligible))
        let fixture = Fixture(model)
        let ran = watch(fixture)
        #expect(await fixture.evaluate() == .skipped(reason: "Model unavailable"))
        let record = try #require(await fixture.records.first)
        #expect(record.skipCause == .modelUnavailable(.deviceNotEligible))
        #expect((record.attempts, record.duration) == (0, 0))
        #expect(record.request.context.items.count == 1)
        #expect(model.requests.isEmpty)
        #expect(ran.value == (1, 1))
    }

    @Test("the flag going off in the provider ends it as skipped, with one record and no call")
    func offInProvider() async {
        let model = ScriptedModel(ScriptedModel.answer(.good))
        let fixture = Fixture(model)
        let privacy = fixture.privacy
        fixture.evaluator.setDefaultContextProvider {
            privacy.disableFeatures(.onDeviceAI)
            return .empty
        }
        #expect(await fixture.evaluate() == Self.aiDisabled)
        #expect(await fixture.records.map(\.skipCause) == [.aiDisabled])
        #expect(model.requests.isEmpty)
    }

    @Test(
        "DECISION: what ends with the gate off is skipped, whatever its last attempt did",
        arguments: LastAttempt.allCases)
    func offDuringAttempt(_ last: LastAttempt) async {
        let privacy = AirshipPrivacyManager(storage: MemoryFeatureStorage())
        let time = ManualTime()
        let model = ScriptedModel(
            { request in
                privacy.disableFeatures(.onDeviceAI)
                return try await last.end(request, time)
            }, budget: 5)
        let evaluator = AirshipAI.Evaluator(privacy: privacy, time: time)
        let collector = Collector()
        evaluator.attach(collector)
        evaluator.setModelResolver { _ in .custom(model) }
        #expect(await evaluator.evaluate(TestEvaluation()).result == Self.aiDisabled)
        await evaluator.drained()
        #expect(collector.records.map(\.attempts) == [1])
        #expect(collector.records.map(\.skipCause) == [.aiDisabled])
        #expect(model.requests.count == 1)
    }

    enum LastAttempt: CaseIterable, Sendable {
        case answers, answersOffSchema, fails, isCancelled, timesOut

        func end(_ request: AirshipAI.Request, _ time: ManualTime) async throws -> AirshipJSON {
            switch self {
            case .answers: return .good
            case .answersOffSchema: return .offSchema
            case .fails: throw ModelFailure()
            case .isCancelled: throw CancellationError()
            case .timesOut:
                await time.alarms(1)
                time.advance(by: .seconds(5))
                return try await ScriptedModel.hang(request)
            }
        }
    }

    @Test("the gate switching off and on is reported, each change once")
    func gateEvents() async {
        let fixture = Fixture()
        fixture.privacy.disableFeatures([.onDeviceAI, .push])
        fixture.privacy.disableFeatures(.onDeviceAI)
        fixture.privacy.enableFeatures(.push)
        fixture.privacy.enableFeatures(.onDeviceAI)
        #expect(
            await fixture.events.map(\.kind) == [.gate(onDeviceAI: false), .gate(onDeviceAI: true)])
    }
}
