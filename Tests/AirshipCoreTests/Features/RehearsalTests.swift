import AirshipCore
import Foundation
import TestSupport
import Testing

@Suite("rehearsals for an app's own tests", .timeLimit(.minutes(10))) struct RehearsalTests {
    @Test("a scene is asked about as on a device: provider, model, record and event")
    func scene() async throws {
        let model = ScriptedModel(ScriptedModel.answer(["allow": false, "reason": "r"]))
        let fixture = Fixture(model)
        fixture.evaluator.setContextProvider(for: AirshipAI.InAppMessageSuppression.usage) {
            AirshipAI.Context(items: [.init(content: "hint " + ($0.hints["h"] ?? ""))])
        }
        let rehearsal = AirshipAI.Rehearsal(host: fixture.evaluator)
        let scene = AirshipAI.InAppMessageSuppression.Subject(
            name: "Spring", priority: 3, hints: ["h": "v"])
        #expect(await rehearsal.showsScene(scene, condition: "is new", messageID: "m") == false)
        let request = try #require(model.requests.first)
        #expect(request.instructions.contains("is new"))
        #expect(request.prompt().contains("Spring") && request.prompt().contains("hint v"))
        let record = try #require(await fixture.records.first)
        #expect(record.subjectID == "m")
        #expect(
            await fixture.events.map(\.kind)
                == [.aiSuppressed(evaluation: record.id, message: "m", missBehavior: .skip)])
    }

    @Test("a scene is shown when nobody can be asked, and without a condition nobody is")
    func sceneShown() async {
        let fixture = Fixture()
        let rehearsal = AirshipAI.Rehearsal(host: fixture.evaluator)
        let scene = AirshipAI.InAppMessageSuppression.Subject(name: "Spring")
        #expect(await rehearsal.showsScene(scene, condition: "is new"))
        #expect(await rehearsal.showsScene(scene, condition: " "))
        #expect(await fixture.records.map(\.skipCause) == [.noModel])
    }

    @Test("typed text is read with a layout's configuration; a wrong one is told by its key")
    func inference() async throws {
        let fixture = Fixture(ScriptedModel(ScriptedModel.answer("billing")))
        let rehearsal = AirshipAI.Rehearsal(host: fixture.evaluator)
        let answer = try await rehearsal.inference(
            of: "my bill",
            configuration: #"{"prompt":"Sort.","output_schema":{"type":"string"}}"#)
        #expect(answer == "billing")
        #expect(await fixture.records.map(\.subjectID) == ["rehearsal/field"])
        await #expect(throws: AirshipCoreError.invalidConfiguration(key: "prompt")) {
            try await rehearsal.inference(of: "", configuration: "{}")
        }
    }

    @Test("typed text is trimmed, and nobody is asked about a blank one, as in a form")
    func blankInference() async throws {
        let model = ScriptedModel(ScriptedModel.answer("billing"))
        let fixture = Fixture(model)
        let subjects = Shared<[String]>([])
        fixture.evaluator.setContextProvider(for: AirshipAI.TextInputInference.usage) { subject in
            subjects.change { $0.append(subject.text) }
            return .empty
        }
        let rehearsal = AirshipAI.Rehearsal(host: fixture.evaluator)
        let configuration = #"{"prompt":"Sort.","output_schema":{"type":"string"}}"#
        for blank in ["", "  ", "\n\t "] {
            #expect(try await rehearsal.inference(of: blank, configuration: configuration) == nil)
        }
        #expect(await fixture.records.isEmpty)
        _ = try await rehearsal.inference(of: "  my bill\n", configuration: configuration)
        #expect(subjects.value == ["my bill"])
        let session = TextInputSession(
            id: "form/field", kind: .text, isRequired: false,
            configuration: try TextInputConfiguration(json: configuration),
            host: fixture.evaluator, time: HastyTime())
        await session.edited("  my bill\n")
        await inTime { await session.settled() }
        #expect(subjects.value == ["my bill", "my bill"])
        let prompts = model.requests.map { $0.prompt().split(separator: "\n")[1] }
        #expect(prompts == ["my bill", "my bill"])
    }

    @Test("a ranking decides what is displayed, its fallback where the model fails")
    func embedded() async {
        let scores = EmbeddedSessionTests.scores([("a", 9), ("b", 1)])
        let fixture = Fixture(
            ScriptedModel(ScriptedModel.answer(scores), ScriptedModel.fail(), attempts: 1))
        let rehearsal = AirshipAI.Rehearsal(host: fixture.evaluator)
        let pending: [AirshipEmbeddedInfo] = [
            .init("a", priority: 2, description: "d"), .init("b", priority: 1),
        ]
        let selection = AirshipEmbeddedSelection.ai(prompt: "p")
        #expect(await rehearsal.displayed(of: pending, selection: selection)?.instanceID == "a")
        #expect(await rehearsal.displayed(of: pending, selection: selection)?.instanceID == "b")
        #expect(await rehearsal.displayed(of: [], selection: selection) == nil)
        #expect(
            await rehearsal.displayed(of: pending, selection: .instance("c"))?.instanceID == nil)
        #expect(await fixture.records.count == 2)
    }
}
