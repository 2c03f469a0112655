// Who answers the cases of a test set: a server, or a recording.

import AirshipCore
import ChatModels
import Foundation
import TestSets

/// The model of a run, as the flags name it.
enum TestModels {
    case server(URL, name: String, key: String?)
    case recording(path: String, name: String?)

    init(_ arguments: Arguments, _ console: Console) throws {
        let name = arguments.last(.testModelName)
        switch (try arguments.serverURL(.testModelURL), arguments.last(.recorded)) {
        case (let url?, nil):
            self = .server(
                url, name: name ?? "local", key: console.environment["EVALOG_MODEL_KEY"])
        case (nil, let path?): self = .recording(path: path, name: name)
        default:
            throw CommandFailure(
                "testset run needs a model: either --model-url or --recorded",
                hint: "--model-url http://127.0.0.1:8089/v1")
        }
    }

    /// What else than its name tells who answers: two servers may call their models the same.
    func source() throws -> [UInt8] {
        switch self {
        case .server(let url, _, _): Array(url.absoluteString.utf8)
        case .recording(let path, _): try Self.bytes(of: path)
        }
    }

    func model(for suite: TestSuite) throws -> any AirshipAI.ModelProtocol {
        switch self {
        case .server(let url, let name, let key):
            return ChatCompletionsModel(
                baseURL: url, model: name,
                key: key.map { key -> ChatCompletionsModel.KeyProvider in { key } })
        case .recording(let path, let name):
            let exchanges = RecordedExchange.read(ndjson: Data(try Self.bytes(of: path)))
            guard !exchanges.isEmpty else {
                throw CommandFailure("\(path) has no recorded answer", hint: "check the path")
            }
            return RecordedAnswers(exchanges, for: suite, label: name)
        }
    }

    private static func bytes(of path: String) throws -> [UInt8] {
        try FileSystem.demandReadable(path)
        guard let bytes = try FileSystem.contents(of: path) else {
            throw CommandFailure("cannot open \(path)", hint: "check the path")
        }
        return bytes
    }
}

/// Plays what was recorded of each case, or of its task.
struct RecordedAnswers: AirshipAI.ModelProtocol {
    /// A model sees of a case what it is asked, and no more.
    private struct Question: Hashable {
        let instructions: String
        let prompt: String
    }

    private let models: [Question: RecordedModel]
    let label: String?

    init(_ exchanges: [RecordedExchange], for suite: TestSuite, label: String?) {
        self.label = label ?? exchanges.lazy.compactMap(\.model).first
        let bySubject = Dictionary(grouping: exchanges) { $0.subject ?? "" }
        var byTask: [String: RecordedModel] = [:]
        var models: [Question: RecordedModel] = [:]
        let isByCase = suite.cases.contains { bySubject[$0.id] != nil }
        for testCase in suite.cases {
            let question = TestQuestion(testCase, suite: suite.name)
            let key = Question(
                instructions: question.instructions(),
                prompt: question.prompt(context: testCase.context))
            if isByCase {
                models[key] = RecordedModel(bySubject[testCase.id] ?? [], seed: 1)
            } else {
                let task = testCase.task
                let model =
                    byTask[task]
                    ?? RecordedModel(exchanges, usage: AirshipAI.AnyUsage(rawValue: task), seed: 1)
                byTask[task] = model
                models[key] = model
            }
        }
        self.models = models
    }

    /// - Throws: As `RecordedModel`, which knows no answer to a question that no case asks.
    func respond(_ request: AirshipAI.Request) async throws -> AirshipJSON {
        let key = Question(instructions: request.instructions, prompt: request.prompt())
        return try await (models[key] ?? RecordedModel([], seed: 1)).respond(request)
    }
}
