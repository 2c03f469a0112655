// How the dice decide what a model does, and what an app of another evaluator says.

import AirshipCore
import ChatModels
import EvalogRecording
import Foundation

extension Planter {
    mutating func turn(
        for schema: AirshipJSONSchema, ledger: Ledger, server: String?
    ) -> Turn {
        var turn = Turn(label: identifier(else: "canary-model"))
        turn.context = context()
        turn.attempts = 1 + roll(3)
        let answer = answer(to: schema)
        switch roll(200) {
        case 0..<60: turn.respond = { _ in answer }
        case 60..<75:
            let wrong = wrongAnswer()
            turn.respond = { _ in wrong }
        case 75..<95:
            let error = error()
            turn.respond = { _ in throw error }
        case 95..<105:
            turn.availability = .unavailable(
                reason: oneIn(2) ? .other(text(.skipReason)) : .notEnabled)
        case 105..<110: turn.respond = recording(answer, schema)
        case 110:
            turn.budget = 0.002
            turn.respond = { _ in
                try? await Task.sleep(for: .milliseconds(20))
                return answer
            }
        case 111..<114 where server != nil:
            if let server {
                let model = realServer(at: server)
                turn.respond = { try await model.respond($0) }
            }
        default:
            let model = cannedServer(answer, ledger: ledger)
            turn.respond = { try await model.respond($0) }
        }
        return turn
    }

    /// A model that plays a recording of one exchange.
    private mutating func recording(
        _ answer: AirshipJSON, _ schema: AirshipJSONSchema
    ) -> @Sendable (AirshipAI.Request) async throws -> AirshipJSON {
        let line: AirshipJSON = [
            "usage": "canary", "outcome": "completed", "output": oneIn(2) ? answer : wrongAnswer(),
            "error": .string(text(.errorText)),
        ]
        let text = (try? line.toString()) ?? ""
        let model = RecordedModel(
            RecordedExchange.read(ndjson: Data(text.utf8)), seed: UInt64(roll(1_000)),
            time: HurriedTime())
        return { try await model.respond($0) }
    }

    /// A form's schema: closed answers that its author opted in, and others that must not be
    /// reported, opted in or not: one has a sentence for a name.
    mutating func formSchema(_ form: Int) -> AirshipJSONSchema {
        let optedIn: [String: AirshipJSON] = ["x-ua-report-property": true]
        return .object(
            description: text(.schemaText),
            properties: .init([
                (
                    "topic",
                    .string(
                        description: text(.schemaText),
                        choices: (0..<8).map { "\(Self.optedInPrefix)-\(form)-\($0)" },
                        extensions: optedIn)
                ),
                ("urgent", .boolean(extensions: optedIn)),
                ("summary", .string(description: text(.schemaText), extensions: optedIn)),
                ("amount", .number(extensions: optedIn)),
                ("mood", .string(choices: [mark(.schemaKey), mark(.schemaKey)])),
                (mark(.schemaKey), .object()),
                (text(.schemaKey), .boolean(extensions: optedIn)),
            ]),
            required: ["topic", "urgent", "summary", "amount"], extensions: optedIn)
    }

    // MARK: Observations

    mutating func observation() -> ObservedEvaluation {
        var observed = ObservedEvaluation(
            usage: oneIn(3) ? text(.identifier) : "canary_bridge", ending: ending(),
            attempts: roll(3))
        observed.id = identifier(else: UUID().uuidString)
        observed.session = identifier(else: UUID().uuidString)
        observed.subject = identifier(else: "canary-subject-\(roll(50))")
        observed.model = identifier(else: "canary-model")
        observed.os = identifier(else: "iOS 26.2")
        observed.device = identifier(else: "iPhone18,2")
        observed.app = identifier(else: "4.3.0")
        observed.duration = .seconds(Double(roll(3_000)) / 1_000)
        observed.isDecoded = !oneIn(10)
        observed.request.instructions = text(.instructions)
        observed.request.schema = oneIn(4) ? text(.schemaText) : json(schema(depth: 0))
        observed.request.context = context().items.map {
            .init(content: $0.content, priority: $0.priority)
        }
        return observed
    }

    private mutating func ending() -> ObservedEvaluation.Ending {
        switch roll(6) {
        case 0: .cancelled
        case 1: .skipped(reason: text(.skipReason), detail: oneIn(2) ? text(.skipReason) : nil)
        case 2: .skipped(reason: "Model unavailable: \(text(.skipReason))")
        case 3: .failed(error: text(.errorText), class: identifier(else: "timeout"))
        case 4: .completed(output: text(.outputValue))
        default: .completed(output: try? wrongAnswer().toString())
        }
    }

    mutating func report(naming evaluation: String) -> FeatureReport {
        let field = identifier(else: "canary-form-\(roll(20))/field") ?? text(.identifier)
        let kind: FeatureReport.Kind =
            switch roll(3) {
            case 0:
                .suppressed(
                    evaluation: evaluation, message: identifier(else: "canary-message-1") ?? "m",
                    missBehavior: identifier(else: "skip") ?? "")
            case 1:
                .formInference(
                    evaluation: oneIn(2) ? evaluation : nil, field: field, isSuccess: oneIn(2),
                    values: ["topic": .text(text(.outputValue)), mark(.outputKey): .flag(true)])
            default:
                // Too long, with a control character, or a sentence for a name: none may be listed.
                .catalog(
                    field: text(.identifier),
                    values: [
                        "topic": [.text(text(.outputValue) + "\u{1}")],
                        "note": [.text(String(repeating: mark(.outputValue), count: 3))],
                        String(repeating: mark(.outputKey), count: 3): [.flag(true)],
                        text(.outputKey): [.flag(true)],
                    ])
            }
        var report = FeatureReport(kind)
        report.id = identifier(else: UUID().uuidString)
        report.session = identifier(else: UUID().uuidString)
        return report
    }

    private func json(_ schema: AirshipJSONSchema) -> String { (try? schema.toString()) ?? "{}" }
}
