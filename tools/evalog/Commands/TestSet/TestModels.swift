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

    func answerer(for suite: TestSuite) throws -> TestAnswerer {
        switch self {
        case .server(let url, let name, let key):
            let model = ChatCompletionsModel(
                baseURL: url, model: name,
                key: key.map { key -> ChatCompletionsModel.KeyProvider in { key } })
            return TestAnswerer(label: name, isLive: true) { _ in model }
        case .recording(let path, let name):
            let exchanges = RecordedExchange.read(ndjson: Data(try Self.bytes(of: path)))
            guard !exchanges.isEmpty else {
                throw CommandFailure("\(path) has no recorded answer", hint: "check the path")
            }
            let recording = RecordedAnswers(exchanges, for: suite)
            let missing = recording.missing.map { suite.cases[$0].id }
            guard missing.isEmpty else {
                let told = missing.prefix(TestSetLimits.problemCountMax).joined(separator: " ")
                let rest = missing.count - TestSetLimits.problemCountMax
                throw CommandFailure(
                    "\(path) has no answer to \(Figures.counted(missing.count, "case")): \(told)"
                        + (rest > 0 ? " and \(Figures.count(rest)) more" : ""),
                    hint: "record these as well, or take them out of the test set")
            }
            let label = name ?? exchanges.lazy.compactMap(\.model).first
            return TestAnswerer(label: label, isLive: false) { job in
                var model = RecordedModel([recording.exchange(for: job)], seed: 1, label: label)
                model.fitsAnswers = false
                return model
            }
        }
    }

    private static func bytes(of path: String) throws -> [UInt8] {
        try FileSystem.demandReadable(path)
        guard
            let bytes = try FileSystem.contents(of: path, atMost: TestSetLimits.fileByteCountMax)
        else { throw CommandFailure("cannot open \(path)", hint: "check the path") }
        return bytes
    }
}

/// Who answers the questions of a run.
struct TestAnswerer: Sendable {
    /// The model's name as the log has it.
    let label: String?
    /// It can fail for reasons that have nothing to do with a case. A recording holds what the case got.
    let isLive: Bool
    let model: @Sendable (TestPlan.Job) -> any AirshipAI.ModelProtocol
}

/// What was recorded of each case, or of its task.
///
/// Which answer is played follows from the case and the repetition alone, so it does not matter where a
/// run was interrupted, how many cases are asked about at once, and how often each question is tried.
struct RecordedAnswers: Sendable {
    private struct Part {
        var exchanges: [RecordedExchange]
        /// Which of them is played first, and how many further on the next repetition's is.
        var first = 0
        var stride = 1
    }

    /// In the order of the suite.
    private let parts: [Part]

    init(_ exchanges: [RecordedExchange], for suite: TestSuite) {
        let bySubject = Dictionary(grouping: exchanges) { $0.subject ?? "" }
        if suite.cases.contains(where: { bySubject[$0.id] != nil }) {
            parts = suite.cases.map { Part(exchanges: bySubject[$0.id] ?? []) }
            return
        }
        let byTask = Dictionary(grouping: exchanges, by: \.usage)
        let caseCounts = Dictionary(suite.tasks.map { ($0.name, $0.caseCount) }) { first, _ in first
        }
        var turns: [String: Int] = [:]
        parts = suite.cases.map { testCase in
            let turn = turns[testCase.task, default: 0]
            turns[testCase.task] = turn + 1
            return Part(
                exchanges: byTask[testCase.task] ?? [], first: turn,
                stride: caseCounts[testCase.task] ?? 1)
        }
    }

    /// Places of cases that nothing is recorded of.
    var missing: [Int] { parts.indices.filter { parts[$0].exchanges.isEmpty } }

    /// Of a case that is not missing. After the last one the first one is played again.
    func exchange(for job: TestPlan.Job) -> RecordedExchange {
        let part = parts[job.testCase]
        let turn = part.first + (job.repetition - 1) * part.stride
        return part.exchanges[turn % part.exchanges.count]
    }
}
