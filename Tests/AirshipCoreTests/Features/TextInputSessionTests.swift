import AirshipCore
import Foundation
import TestSupport
import Testing

@Suite("text input session", .timeLimit(.minutes(10))) struct TextInputSessionTests {
    static let configuration = TextInputConfiguration(
        prompt: "p",
        outputSchema: .object(
            properties: [
                "intent": .string(
                    choices: ["billing", "delivery"], extensions: ReportableValuesTests.flag),
                "note": .string(),
            ], required: ["intent"], extensions: ReportableValuesTests.flag),
        additionalContext: AirshipAI.Context(items: [.init(content: "layout")]),
        subjectHints: ["h": "v"])
    static let answer: AirshipJSON = ["intent": "billing", "note": "typed-marker"]

    private let time = ManualTime()

    private func session(
        _ fixture: Fixture, kind: TextInputKind = .text,
        _ configuration: TextInputConfiguration? = Self.configuration
    ) -> TextInputSession {
        TextInputSession(
            id: "form/field", kind: kind, isRequired: false, configuration: configuration,
            host: fixture.evaluator, time: time)
    }

    /// Types, and waits for the pause, which is the alarm of that number, and for the answer.
    private func type(_ text: String, into session: TextInputSession, alarm: Int) async {
        await session.edited(text)
        await time.alarms(alarm)
        time.advance(by: CoreLimits.textInputIdleDelay)
        await inTime { await session.settled() }
    }

    @Test("an answer reaches the layout whole and the form result in closed values, once")
    func success() async {
        let fixture = Fixture(ScriptedModel(ScriptedModel.answer(Self.answer)))
        fixture.evaluator.setDefaultContextProvider {
            AirshipAI.Context(items: [.init(content: "provider")])
        }
        let session = session(fixture)
        await session.edited(" my bill ")
        #expect(await session.state.validity == .pending)
        await time.alarms(1)
        time.advance(by: CoreLimits.textInputIdleDelay)
        await inTime { await session.settled() }
        #expect(
            await session.state
                == .init(validity: .valid, ai: ["status": "complete", "result": Self.answer]))
        let child = await session.submit()
        #expect(
            child == [
                "type": "text_input", "value": " my bill ",
                "ai_inference": ["result": "success", "output": ["intent": "billing"]],
            ])
        let record = await fixture.records.first
        #expect(record?.request.context.items.map(\.content) == ["provider", "layout"])
        #expect(record?.subjectID == "form/field")
        #expect(
            await fixture.events.map(\.kind) == [
                .catalog(
                    field: "form/field", report: ["intent": [.text("billing"), .text("delivery")]]),
                .formInference(
                    evaluation: record?.id, field: "form/field", status: .success,
                    report: ["intent": .text("billing")]),
            ])
        let events = await fixture.events.map { String(reflecting: $0) }.joined()
        #expect(!events.contains("marker") && !events.contains("my bill"))
        _ = await session.submit()
        #expect(await fixture.events.count == 3, "the catalogue once, an inference per submission")
    }

    @Test("nothing is asked before the text was left alone, and superseded text never is")
    func idleDelay() async {
        let model = ScriptedModel(ScriptedModel.answer(Self.answer))
        let fixture = Fixture(model)
        let session = session(fixture)
        await session.edited("on")
        await time.alarms(1)
        time.advance(by: CoreLimits.textInputIdleDelay - .milliseconds(1))
        await session.edited("one")
        await time.alarms(2)
        time.advance(by: CoreLimits.textInputIdleDelay - .milliseconds(1))
        #expect(model.requests.isEmpty)
        time.advance(by: .milliseconds(1))
        await inTime { await session.settled() }
        #expect(model.requests.count == 1)
        #expect(model.requests.first?.prompt().contains("one") == true)
        #expect(await fixture.records.count == 1)
    }

    @Test("text that changes while it is asked about cancels the question; that is one record")
    func superseded() async {
        let asked = Rendezvous<Void>()
        let model = ScriptedModel(
            { request in
                asked.settle(())
                return try await ScriptedModel.hang(request)
            }, ScriptedModel.answer(Self.answer))
        let fixture = Fixture(model)
        let session = session(fixture)
        await session.edited("one")
        await time.alarms(1)
        time.advance(by: CoreLimits.textInputIdleDelay)
        await asked.value(ifCancelled: ())
        await session.edited("two")
        await time.alarms(2)
        time.advance(by: CoreLimits.textInputIdleDelay)
        await inTime { await session.settled() }
        #expect(await session.state.ai?["status"] == "complete")
        #expect(
            await fixture.records.map(\.outcome)
                == [.failed(CancellationError()), .completed(Self.answer)])
    }

    @Test("a form that is closed takes back the question about its text")
    func closed() async {
        let (asked, told) = (Rendezvous<Void>(), Rendezvous<Void>())
        let fixture = Fixture(
            ScriptedModel({ request in
                defer { told.settle(()) }
                asked.settle(())
                return try await ScriptedModel.hang(request)
            }))
        var session: TextInputSession? = session(fixture)
        await session?.edited("text")
        await time.alarms(1)
        time.advance(by: CoreLimits.textInputIdleDelay)
        await asked.value(ifCancelled: ())
        session = nil
        await told.value(ifCancelled: ())
    }

    @Test("an unavailable model: valid at once, result failed, and one skipped record")
    func unavailable() async {
        let model = ScriptedModel(
            ScriptedModel.answer(Self.answer), availability: .unavailable(reason: .missingModel))
        let fixture = Fixture(model)
        let release = Rendezvous<Void>()
        fixture.evaluator.setDefaultContextProvider {
            await release.value
            return .empty
        }
        let session = session(fixture)
        await session.edited("text")
        #expect(await session.state == .init(validity: .valid, ai: ["status": "failed"]))
        let child = await session.submit()
        #expect(child?["ai_inference"] == ["result": "failed"])
        #expect(await fixture.records.isEmpty, "the form does not wait for the provider")
        release.settle(())
        await inTime { await session.settled() }
        #expect(model.requests.isEmpty)
        let records = await fixture.records
        #expect(records.map(\.skipCause) == [.modelUnavailable(.missingModel)])
        #expect(
            await fixture.events.last?.kind
                == .formInference(
                    evaluation: nil, field: "form/field", status: .failure, report: [:]))
    }

    @Test("DECISION: while the gate is off an answer from before is not shown, reported or kept")
    func gateOff() async {
        let model = ScriptedModel(ScriptedModel.answer(Self.answer))
        let fixture = Fixture(model)
        let session = session(fixture)
        await type("text", into: session, alarm: 1)
        #expect(await session.state.ai?["status"] == "complete")
        fixture.privacy.disableFeatures(.onDeviceAI)
        #expect(await session.state == .init(validity: .valid, ai: ["status": "failed"]))
        #expect(await session.submit()?["ai_inference"] == ["result": "failed"])
        #expect(
            await fixture.events.last?.kind
                == .formInference(
                    evaluation: nil, field: "form/field", status: .failure, report: [:]))
        fixture.privacy.enableFeatures(.onDeviceAI)
        #expect(await session.state.ai?["status"] == "failed", "it was forgotten")
        await type("text", into: session, alarm: 2)
        #expect(await session.state.ai?["status"] == "complete")
        #expect(model.requests.count == 2)
    }

    @Test("DECISION: while the gate is off a text that comes back is not answered from memory")
    func gateOffMemory() async {
        let model = ScriptedModel(ScriptedModel.answer(Self.answer))
        let fixture = Fixture(model)
        let session = session(fixture)
        await type("text", into: session, alarm: 1)
        fixture.privacy.disableFeatures(.onDeviceAI)
        await session.edited("other")
        await session.edited("text")
        #expect(await session.state == .init(validity: .valid, ai: ["status": "failed"]))
        await time.alarms(3)
        time.advance(by: CoreLimits.textInputIdleDelay)
        await inTime { await session.settled() }
        #expect(await fixture.records.map(\.skipCause) == [nil, .aiDisabled])
        #expect(model.requests.count == 1)
    }

    @Test("off and on again: an answer of before is forgotten, one of after counts")
    func gateOffAndOn() async {
        let model = ScriptedModel(ScriptedModel.answer(Self.answer))
        let fixture = Fixture(model)
        let session = session(fixture)
        await session.edited("text")
        await time.alarms(1)
        // Nobody was asked yet.
        fixture.switchOffAndOn()
        time.advance(by: CoreLimits.textInputIdleDelay)
        await inTime { await session.settled() }
        let complete = TextInputSession.State(
            validity: .valid, ai: ["status": "complete", "result": Self.answer])
        #expect(await session.state == complete)
        fixture.switchOffAndOn()
        #expect(await session.state == .init(validity: .valid, ai: ["status": "failed"]))
        await type("text", into: session, alarm: 2)
        #expect(await session.state == complete)
        #expect(model.requests.count == 2)
    }

    @Test("a field without configuration, or of a kind without inference, is never asked about")
    func notAsked() async {
        let model = ScriptedModel(ScriptedModel.answer(Self.answer))
        let fixture = Fixture(model)
        for session in [session(fixture, nil), session(fixture, kind: .email)] {
            await session.edited("text")
            #expect(await session.state == .init(validity: .valid, ai: nil))
            #expect(await session.submit() == ["type": "text_input", "value": "text"])
        }
        #expect(await fixture.records.isEmpty)
        #expect(await fixture.events.isEmpty)
    }

    @Test("predicates of a scene older than the app's resolver follow it, and every later one")
    func availabilityOfLaterModels() async {
        let fixture = Fixture()
        var current = AirshipAI.TextInputInference
            .currentAvailability(host: fixture.evaluator).makeAsyncIterator()
        #expect(await current.next() == false)
        fixture.evaluator.setModelResolver { _ in .custom(ScriptedModel()) }
        #expect(await current.next() == true)
        let live = LiveModel()
        live.become(.unavailable(reason: .missingModel))
        fixture.evaluator.setModelResolver { _ in .custom(live) }
        #expect(await current.next() == false)
        live.become(.available)
        #expect(await current.next() == true)
        fixture.evaluator.setModelResolver(nil)
        #expect(await current.next() == false)
        fixture.defaults.register { ScriptedModel() }
        #expect(await current.next() == true)
        // The model of before is nobody's any more.
        live.become(.unavailable(reason: .missingModel))
        fixture.privacy.disableFeatures(.onDeviceAI)
        #expect(await current.next() == false)
        fixture.privacy.enableFeatures(.onDeviceAI)
        #expect(await current.next() == true)
    }

    @Test("predicates see availability live: the flag, the model, no model")
    func availability() async {
        let fixture = Fixture(ScriptedModel(ScriptedModel.answer(Self.answer)))
        var current = AirshipAI.TextInputInference
            .currentAvailability(host: fixture.evaluator).makeAsyncIterator()
        #expect(await current.next() == true)
        fixture.privacy.disableFeatures(.onDeviceAI)
        #expect(await current.next() == false)
        fixture.privacy.enableFeatures(.onDeviceAI)
        #expect(await current.next() == true)
        var none = AirshipAI.TextInputInference
            .currentAvailability(host: Fixture().evaluator).makeAsyncIterator()
        #expect(await none.next() == false)
    }
}
