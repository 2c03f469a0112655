import AirshipCore
import Foundation
import TestSupport
import Testing

@Suite("what a print shows of values that hold confidential text") struct DescriptionTests {
    private struct WordyError: Error, CustomStringConvertible {
        let description = Planted.mark
    }

    private static let context = AirshipAI.Context(
        items: [.init(content: Planted.mark), .init(content: Planted.mark, priority: 2)])
    private static let request = AirshipAI.Request(
        instructions: Planted.mark, schema: .string(description: Planted.mark), context: context,
        render: { _ in Planted.mark })
    private static let info = AirshipEmbeddedInfo(
        instanceID: "a", embeddedID: "home", extras: ["k": .string(Planted.mark)],
        contentDescription: Planted.mark, additionalContext: context.items)

    private static let schema = AirshipJSONSchema.object(
        description: Planted.mark,
        properties: [
            Planted.mark: .array(items: .string(description: Planted.mark, choices: [Planted.mark]))
        ], required: [Planted.mark], extensions: ["x-a": .string(Planted.mark)])
    private static let kinds: [AirshipAI.FeatureEvent.Kind] = [
        .aiSuppressed(evaluation: UUID(), message: Planted.mark, missBehavior: .skip),
        .formInference(
            evaluation: UUID(), field: Planted.mark, status: .success,
            report: [Planted.mark: .text(Planted.mark)]),
        .catalog(field: Planted.mark, report: [Planted.mark: [.text(Planted.mark)]]),
    ]

    private static func record(
        _ outcome: AirshipAI.EvaluationRecord.Outcome
    ) -> AirshipAI.EvaluationRecord {
        AirshipAI.EvaluationRecord(
            id: UUID(), startedAt: Date(), sessionID: nil, subjectID: "home",
            usage: AirshipAI.AnyUsage(TestEvaluation.usage), request: request, model: "m",
            outcome: outcome, skipCause: nil, isDecoded: true, duration: 0.5, attempts: 2)
    }

    @Test("none of it is the text, whether printed, reflected or dumped, alone or in another")
    func nothing() {
        let answer: AirshipJSON = [Planted.mark: .string(Planted.mark)]
        let hints = [Planted.mark: Planted.mark]
        var values: [any Sendable] = [
            Self.context, Self.context.items[0], Self.request, Self.info,
            AirshipAI.Request.Passage(text: Planted.mark) { text, _ in text },
            Self.record(.completed(answer)), Self.record(.failed(WordyError())),
            Self.record(.completed(answer)).outcome,
            AirshipAI.Observation.evaluation(Self.record(.completed(answer))),
            AirshipAI.Result<AirshipJSON>.completed(answer),
            AirshipAI.Result<AirshipJSON>.failed(WordyError()),
            AirshipAI.TextInputInference.Subject(text: Planted.mark, hints: hints),
            AirshipAI.InAppMessageSuppression.Subject(
                name: Planted.mark, extras: answer, hints: hints),
            AirshipAI.EmbeddedSelection.Subject(
                embeddedID: "home", pending: [Self.info], hints: hints),
            AirshipEmbeddedSelection.ai(prompt: Planted.mark, subjectHints: hints),
            AirshipEmbeddedSelection.AIConfig(prompt: Planted.mark, subjectHints: hints),
            Self.schema, Self.schema.kind,
            AirshipJSONSchema.Kind.string(choices: [Planted.mark]),
            AirshipJSONSchema.Properties([(Planted.mark, Self.schema)]),
            AirshipAI.Availability.unavailable(reason: .other(Planted.mark)),
            AirshipAI.UnavailableReason.other(Planted.mark),
            AirshipAI.SkipCause.modelUnavailable(.other(Planted.mark)),
            AirshipAI.ReportValue.text(Planted.mark),
        ]
        values += Self.kinds
        values += Self.kinds.map { kind in
            AirshipAI.FeatureEvent(id: UUID(), time: Date(), sessionID: nil, kind: kind)
        }
        values += Self.kinds.map { kind in
            AirshipAI.Observation.event(
                AirshipAI.FeatureEvent(id: UUID(), time: Date(), sessionID: nil, kind: kind))
        }
        for (number, value) in values.enumerated() {
            let isSilent = !shown(value).contains(Planted.mark)
            #expect(isSilent, "value \(number)")
        }
    }

    @Test("what is shown tells values apart: ids, counts, outcomes and classes")
    func something() {
        let record = Self.record(.failed(AirshipCoreError.timedOut(seconds: 1)))
        #expect(
            "\(record)"
                == "EvaluationRecord(\(record.id), test_usage, failed(timeout), attempts: 2, "
                + "seconds: 0.5)")
        #expect("\(Self.record(.completed(nil)).outcome)" == "completed")
        #expect("\(Self.record(.failed(CancellationError())).outcome)" == "cancelled")
        #expect("\(AirshipAI.Result<Int>.failed(CancellationError()))" == "cancelled")
        #expect("\(Self.schema)" == "AirshipJSONSchema(object, properties: 1)")
        #expect(
            "\(AirshipAI.SkipCause.modelUnavailable(.missingModel))"
                == "modelUnavailable(missingModel)")
        #expect("\(AirshipAI.ReportValue.flag(true))" == "flag")
        #expect("\(Self.request)" == "Request(Context(items: 2))")
        #expect("\(Self.context.items)" == "[Item(priority: 0.0), Item(priority: 2.0)]")
        #expect("\(Self.info)" == "AirshipEmbeddedInfo(a, home, priority: 0)")
        #expect(
            "\(AirshipAI.Result<Int>.skipped(reason: "No model configured"))"
                == "skipped(No model configured)")
    }

    @Test("what is registered, and the manager itself, show none either")
    func manager() async {
        // The lanes keep what a model calls itself, which may be a server's address with its key.
        let fixture = Fixture(
            ScriptedModel(ScriptedModel.answer(.good), label: "https://host/?key=\(Planted.mark)"))
        fixture.evaluator.setDefaultContextProvider { Self.context }
        _ = await fixture.evaluate()
        for value in [fixture.evaluator, AirshipAI.Rehearsal(host: fixture.evaluator)] as [Any] {
            let isSilent = !shown(value).contains(Planted.mark)
            #expect(isSilent)
        }
    }
}
