import AirshipCore
import Testing

@Suite("models, resolution and the gate", .timeLimit(.minutes(10))) struct ModelResolutionTests {
    static let usage = AirshipAI.AnyUsage(TestEvaluation.usage)

    @Test("a model that only responds is available, once, with 3 attempts in 30 seconds")
    func defaults() async {
        struct Plain: AirshipAI.ModelProtocol {
            func respond(_ request: AirshipAI.Request) async throws -> AirshipJSON { nil }
        }
        let plain = Plain()
        var updates: [AirshipAI.Availability] = []
        for await update in plain.availabilityUpdates { updates.append(update) }
        #expect(updates == [.available])
        #expect(plain.availability == .available)
        #expect(plain.maxAttempts == 3)
        #expect(plain.responseTimeout == 30)
        #expect(plain.label == nil)
    }

    @Test("with nothing configured there is no model")
    func nothing() {
        let fixture = Fixture()
        #expect(fixture.evaluator.model(for: Self.usage) == nil)
        #expect(fixture.evaluator.defaultModel == nil)
        #expect(fixture.evaluator.gatedModel(for: Self.usage) == nil)
        #expect(
            fixture.evaluator.availability(for: Self.usage)
                == .unavailable(reason: .missingModel))
    }

    @Test("the default model serves every usage, and clearing a resolver goes back to it")
    func resolver() {
        let (standard, custom) = (ScriptedModel(label: "standard"), ScriptedModel(label: "custom"))
        let fixture = Fixture(standard)
        let other = AirshipAI.AnyUsage(AirshipAI.Usage<Int>(rawValue: "other"))
        #expect(fixture.evaluator.model(for: other)?.label == "standard")
        fixture.evaluator.setModelResolver { usage in
            usage == TestEvaluation.usage ? .custom(custom) : .defaultModel
        }
        #expect(fixture.evaluator.model(for: Self.usage)?.label == "custom")
        #expect(fixture.evaluator.model(for: other)?.label == "standard")
        fixture.evaluator.setModelResolver(nil)
        #expect(fixture.evaluator.model(for: Self.usage)?.label == "standard")
    }

    @Test("a resolver may ask for the default model and for models")
    func reentrantResolver() {
        let fixture = Fixture(ScriptedModel(label: "standard"))
        let evaluator = fixture.evaluator
        let custom = ScriptedModel(label: "custom")
        evaluator.setModelResolver { [weak evaluator] usage in
            evaluator?.setDefaultContextProvider(nil)
            return evaluator?.defaultModel?.label == "standard" ? .custom(custom) : .defaultModel
        }
        #expect(evaluator.model(for: Self.usage)?.label == "custom")
    }

    @Test("a registered factory runs once, when first needed; registering again replaces it")
    func factory() {
        let fixture = Fixture()
        let calls = Shared(0)
        fixture.defaults.register {
            calls.change { $0 += 1 }
            return ScriptedModel(label: "first")
        }
        #expect(calls.value == 0)
        let first = fixture.evaluator.defaultModel as? ScriptedModel
        #expect(first === fixture.evaluator.defaultModel as? ScriptedModel)
        #expect(calls.value == 1)
        fixture.defaults.register { ScriptedModel(label: "second") }
        #expect(fixture.evaluator.defaultModel?.label == "second")
        fixture.defaults.register { nil }
        #expect(fixture.evaluator.defaultModel == nil)
    }

    @Test("with the flag off there is neither a model nor a default model, and no resolver runs")
    func gateOff() {
        let fixture = Fixture(ScriptedModel())
        let asked = Shared(0)
        fixture.evaluator.setModelResolver { _ in
            asked.change { $0 += 1 }
            return .defaultModel
        }
        fixture.privacy.disableFeatures(.onDeviceAI)
        #expect(fixture.evaluator.model(for: Self.usage) == nil)
        #expect(fixture.evaluator.defaultModel == nil)
        #expect(asked.value == 0)
    }

    @Test("with the flag off a gated model exists, says so, and one reference follows the flag")
    func gated() throws {
        let model = ScriptedModel(attempts: 5, budget: 7, label: "m")
        let fixture = Fixture(model)
        fixture.privacy.disableFeatures(.onDeviceAI)
        let gated = try #require(fixture.evaluator.gatedModel(for: Self.usage))
        #expect(gated.availability == .unavailable(reason: .notEnabled))
        fixture.privacy.enableFeatures(.onDeviceAI)
        #expect(gated.availability == .available)
        model.availability = .unavailable(reason: .missingModel)
        #expect(gated.availability == .unavailable(reason: .missingModel))
        fixture.privacy.disableFeatures(.onDeviceAI)
        #expect(gated.availability == .unavailable(reason: .notEnabled))
        #expect((gated.maxAttempts, gated.responseTimeout) == (5, 7))
        #expect(gated.label == "m")
    }

    @Test("a gated model asks its model nothing while the flag is off")
    func gatedRespond() async throws {
        let model = ScriptedModel(ScriptedModel.answer(.good))
        let privacy = AirshipPrivacyManager(storage: MemoryFeatureStorage())
        let gated = GatedModel(model, gate: privacy)
        let request = AirshipAI.Request(
            instructions: "", schema: .object(), context: .empty, render: { _ in "" })
        privacy.disableFeatures(.onDeviceAI)
        await #expect(throws: AirshipCoreError.aiDisabled) { try await gated.respond(request) }
        #expect(model.requests.isEmpty)
        privacy.enableFeatures(.onDeviceAI)
        #expect(try await gated.respond(request) == .good)
    }

    @Test("gated updates merge the model's and the flag's changes without repeats")
    func gatedUpdates() async {
        let model = LiveModel()
        let privacy = AirshipPrivacyManager(storage: MemoryFeatureStorage())
        model.updates.yield(.available)
        var updates = GatedModel(model, gate: privacy).availabilityUpdates.makeAsyncIterator()
        #expect(await updates.next() == .available)
        model.become(.available)
        model.become(.unavailable(reason: .missingModel))
        #expect(await updates.next() == .unavailable(reason: .missingModel))
        privacy.disableFeatures(.onDeviceAI)
        #expect(await updates.next() == .unavailable(reason: .notEnabled))
        model.become(.available)
        privacy.enableFeatures(.onDeviceAI)
        #expect(await updates.next() == .available)
    }

    @Test("gated updates go on after the model's own stream has ended")
    func finishedUpdates() async {
        let privacy = AirshipPrivacyManager(storage: MemoryFeatureStorage())
        let gated = GatedModel(ScriptedModel(), gate: privacy)
        var updates = gated.availabilityUpdates.makeAsyncIterator()
        #expect(await updates.next() == .available)
        privacy.disableFeatures(.onDeviceAI)
        #expect(await updates.next() == .unavailable(reason: .notEnabled))
    }
}
