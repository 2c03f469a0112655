// A real evaluator with scripted models, a recorder attached to it, and what it left in the log.

import AirshipCore
import AirshipRecording
import EvalogContent
import EvalogFacts
import EvalogLog
import EvalogRecording
import Foundation
import TestSupport

struct AirshipFixture {
    let privacy = AirshipPrivacyManager(storage: MemoryFeatureStorage())
    let evaluator: AirshipAI.Evaluator
    let recorder: EvaluationRecorder
    let directory: LogDirectory
    private let scratch = ScratchFolder()
    static let session = UUID()

    init(_ content: ContentRetention = .all(days: 7)) {
        evaluator = AirshipAI.Evaluator(privacy: privacy, sessionID: { Self.session })
        directory = LogDirectory(path: scratch.path("log"))
        recorder = EvaluationRecorder(directory: directory.path, content: content)
        recorder.attach(to: evaluator)
    }

    func use(_ model: any AirshipAI.ModelProtocol) {
        evaluator.setModelResolver { _ in .custom(model) }
    }

    /// Everything delivered and written; the recorder is closed then.
    func finished() async -> Self {
        await evaluator.drained()
        recorder.close()
        return self
    }

    func facts() throws -> [Fact] { try AirshipRecordingTests.facts(in: directory) }

    func evaluations() throws -> [EvaluationFact] {
        try AirshipRecordingTests.evaluations(in: directory)
    }

    func contents() throws -> [ContentRecord] {
        let records = Locked<[ContentRecord]>([])
        try readLog(directory, ContentAccess.stream) { _, block in
            var decoder = ContentDecoder()
            try block.forEachLine { _, line in
                guard case .record(let record) = try decoder.decode(line) else { return }
                records.withLock { $0.append(record) }
            }
        }
        return records.withLock { $0 }
    }
}

/// Every fact of a log, in the order of lines where one writer wrote it.
func facts(in directory: LogDirectory) throws -> [Fact] {
    let facts = Locked<[Fact]>([])
    try readLog(directory, .facts) { _, block in
        var decoder = FactDecoder()
        try block.forEachLine { _, line in
            guard let fact = Fact(try decoder.decode(line)) else { return }
            facts.withLock { $0.append(fact) }
        }
    }
    return facts.withLock { $0 }
}

func evaluations(in directory: LogDirectory) throws -> [EvaluationFact] {
    try facts(in: directory).compactMap { if case .evaluation(let fact) = $0 { fact } else { nil } }
}

/// A question with one word for an answer.
struct WordQuestion: AirshipAI.Evaluation {
    struct Output: Decodable, Sendable { let word: String }

    let usage = AirshipAI.Usage<String>(rawValue: "test_usage")
    var subject = ""
    var subjectID: String?
    var requiresContext = false
    var words = "Say a word, \(Planted.mark)."
    let schema = AirshipJSONSchema.object(properties: ["word": .string()], required: ["word"])

    func instructions() -> String { words }
    func prompt(context: AirshipAI.Context) -> String { context.renderBullets() ?? "" }
    func decode(_ output: AirshipJSON) throws -> Output { try output.decode() }
}

/// Answers as a closure says.
struct ClosureModel: AirshipAI.ModelProtocol {
    var label: String?
    var maxAttempts = 1
    var responseTimeout: TimeInterval = 30
    var availability = AirshipAI.Availability.available
    let answer: @Sendable (AirshipAI.Request) async throws -> AirshipJSON

    func respond(_ request: AirshipAI.Request) async throws -> AirshipJSON {
        try await answer(request)
    }
}

extension ClosureModel {
    /// Answers with a word of a kind that must not get out.
    static let word = ClosureModel(label: "scripted-1") { _ in ["word": .string(Planted.mark)] }
}

/// A clock for which every pause is over at once.
struct HastyTime: TimeSource {
    struct Rung: Alarm { func cancel() {} }

    let date = Date(timeIntervalSince1970: 0)
    let elapsed = Duration.zero

    func schedule(after delay: Duration, _ call: @escaping @Sendable () -> Void) -> any Alarm {
        call()
        return Rung()
    }
}
