// An app that does everything at random, one evaluation after the other, into logs of its own choice.

import AirshipCore
import AirshipRecording
import ChatModels
import EvalogRecording
import Foundation

/// What a player plays in.
struct Stage: Sendable {
    /// `log` keeps all content, `log-failures` that of failures, `log-off` none.
    let folder: String
    /// A chat completions server, if one was started.
    let server: String?
    /// Whether users switch on-device AI off now and then: then nothing need be reported.
    var isGated = false
}

/// Plays one evaluation at a time.
struct Player {
    private let stage: Stage
    private let ledger: Ledger
    private let recorders: [EvaluationRecorder]
    private let privacy = AirshipPrivacyManager(storage: MemoryFeatureStorage())
    private let evaluator: AirshipAI.Evaluator
    private let turn = Locked(Turn())
    private let time = HurriedTime()
    private var planter: Planter
    private var session = UUID()
    private let currentSession: Locked<UUID>

    /// - Parameter name: Tells players apart.
    init(_ stage: Stage, name: String, seed: UInt64) throws {
        self.stage = stage
        var planter = Planter(seed: seed)
        let ledger = try Ledger(folder: stage.folder, name: name)
        self.ledger = ledger
        let current = Locked(session)
        currentSession = current
        evaluator = AirshipAI.Evaluator(
            privacy: privacy, defaults: DefaultModel(), sessionID: { current.withLock { $0 } })
        let choices: [(String, ContentRetention)] = [
            ("log", .all(days: 7)), ("log-failures", .failures(days: 7)), ("log-off", .off),
        ]
        recorders = choices.map { name, content in
            EvaluationRecorder(
                directory: "\(stage.folder)/\(name)", content: content,
                device: DeviceDescription(
                    os: "iOS 26.1", device: "iPhone17,1", app: planter.text(.identifier)))
        }
        for recorder in recorders { recorder.attach(to: evaluator) }
        let model = CanaryModel(turn: turn, ledger: ledger)
        evaluator.setModelResolver { _ in .custom(model) }
        evaluator.setDefaultContextProvider { [turn] in turn.withLock { $0.context } }
        self.planter = planter
    }

    /// Plays so many evaluations and closes the logs.
    mutating func play(_ count: Int) async throws {
        for number in 0..<count {
            if number % 40 == 0 {
                session = UUID()
                currentSession.withLock { $0 = session }
            }
            if stage.isGated, planter.oneIn(5) { privacy.disableFeatures(.onDeviceAI) }
            try await playOne()
            if !privacy.isEnabled(.onDeviceAI) { privacy.enableFeatures(.onDeviceAI) }
            if number % 200 == 199 { try await settle() }
        }
        try await settle()
        for recorder in recorders where !recorder.close() { throw StageFailure.unwritten }
    }

    /// Waits for the disk, so that no buffer overflows and refuses content.
    private mutating func settle() async throws {
        await evaluator.drained()
        for recorder in recorders where !recorder.flush() { throw StageFailure.unwritten }
        try ledger.write(planted: planter.takePlanted())
    }

    private mutating func playOne() async throws {
        switch planter.roll(10) {
        case 0...3: await ask()
        case 4, 5: await suppress()
        case 6, 7: await type()
        case 8: await rank()
        default: observe()
        }
    }
}

enum StageFailure: Error {
    /// The disk did not take everything.
    case unwritten
}

// MARK: What the features do

extension Player {
    private mutating func ask() async {
        let question = planter.question()
        take(turn: planter.turn(for: question.schema, ledger: ledger, server: stage.server))
        let (evaluator, context) = (evaluator, planter.context())
        if planter.oneIn(100) {
            let task = Task { await evaluator.evaluate(question, additionalContext: context) }
            task.cancel()
            _ = await task.value
        } else {
            _ = await evaluator.evaluate(question, additionalContext: context)
        }
    }

    private mutating func suppress() async {
        let message = SceneMessage(
            id: planter.identifier(else: "canary-message-\(planter.roll(50))")
                ?? planter.text(.identifier),
            name: planter.text(.messageName),
            extras: [planter.mark(.extras): .string(planter.text(.extras))],
            priority: planter.roll(9))
        let configuration = SuppressionConfiguration(
            condition: planter.text(.instructions), subjectHints: planter.hints(),
            missBehavior: planter.pick([.cancel, .skip, .penalize]))
        let schema = SuppressionEvaluation(
            condition: "", subject: .init(name: ""), messageID: nil
        ).schema
        take(turn: planter.turn(for: schema, ledger: ledger, server: stage.server))
        _ = await SceneSuppression.decide(
            on: message, configuration: configuration, host: evaluator)
    }

    private mutating func type() async {
        let form = planter.roll(20)
        // What is submitted while it is off must stay, and can be told by its name.
        let formName =
            privacy.isEnabled(.onDeviceAI) ? "canary-form-\(form)" : "canary-gated-\(form)"
        let schema = planter.formSchema(form)
        take(turn: planter.turn(for: schema, ledger: ledger, server: stage.server))
        let hasForm = !planter.oneIn(20)
        let field = TextInputSession(
            id: hasForm ? "\(formName)/field" : planter.text(.identifier),
            kind: planter.pick([.text, .multiline, .number]), isRequired: true,
            configuration: TextInputConfiguration(
                prompt: planter.text(.instructions), outputSchema: schema,
                additionalContext: planter.context(), subjectHints: planter.hints()),
            host: evaluator, time: time)
        await field.edited(planter.text(.userText))
        await field.settled()
        let output = await field.submit()?["ai_inference"]?["output"]
        guard hasForm, !stage.isGated else { return }
        if let topic = output?["topic"]?.string {
            ledger.reported("\(formName)/field", "topic", topic)
        }
        if let isUrgent = output?["urgent"]?.bool {
            ledger.reported("\(formName)/field", "urgent", String(isUrgent))
        }
    }

    private mutating func rank() async {
        let pending = (0..<(2 + planter.roll(3))).map { number in
            AirshipEmbeddedInfo(
                instanceID: "banner-\(number)", embeddedID: "canary-place",
                extras: [planter.mark(.extras): .number(planter.number())],
                priority: planter.roll(4), contentDescription: planter.text(.description),
                additionalContext: planter.context().items)
        }
        let evaluation = EmbeddedEvaluation(
            embeddedID: planter.identifier(else: "canary-place-\(planter.roll(9))")
                ?? planter.text(.identifier),
            pending: pending,
            config: .init(prompt: planter.text(.instructions), subjectHints: planter.hints()))
        guard let evaluation else { return }
        take(turn: planter.turn(for: evaluation.schema, ledger: ledger, server: stage.server))
        _ = await evaluation.evaluated(by: evaluator)
    }

    /// What an app with another evaluator tells a recorder, and what a careless one might.
    private mutating func observe() {
        let observation = planter.observation()
        let report = planter.report(naming: observation.id ?? planter.text(.identifier))
        for recorder in recorders {
            recorder.record(observation)
            recorder.record(report)
        }
    }

    private func take(turn new: Turn) { turn.withLock { $0 = new } }
}
