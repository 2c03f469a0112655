// What an evaluation costs beside its model: the evaluator alone, and with a recorder attached.

import AirshipCore
import AirshipRecording
import Dispatch
import EvalogLog
import EvalogRecording

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Rounds of each row, and the evaluations of a round, which come one after the other.
private let batchCount = 200
private let batchSize = 100
/// Rounds before the first that counts: threads start, the log is opened.
private let warmUpCount = 10

/// Asks a model that answers at once, and prints the middle of what an evaluation took: until the
/// caller had its answer; and its share of a round that ends when the recorder has taken all.
func measureRecorder() throws {
    print(
        "\(batchCount) rounds of \(batchSize) evaluations, the model answers at once, microseconds")
    print("  median (99 %)             until answered   share of a round")
    try evaluate("evaluator alone", nil)
    try evaluate("and recorder, no content", .off)
    try evaluate("and recorder, all content", .all(days: 7))
}

private func evaluate(_ name: String, _ content: ContentRetention?) throws {
    let folder = try scratchFolder()
    defer { removeLog(folder) }
    let evaluator = AirshipAI.Evaluator(
        privacy: AirshipPrivacyManager(storage: MemoryFeatureStorage()))
    evaluator.setModelResolver { _ in .custom(PromptModel()) }
    let recorder = content.map { EvaluationRecorder(directory: folder, content: $0) }
    recorder?.attach(to: evaluator)
    let spans = waiting { await Spans.measured(on: evaluator) }
    recorder?.close()
    if let refused = recorder?.status.refusedCounts, !refused.isEmpty {
        throw BenchFailure(what: "the log refused lines")
    }
    let padded = name + String(repeating: " ", count: 25 - name.count)
    print("  \(padded) \(Spans.text(spans.answered))  \(Spans.text(spans.shares))")
}

/// What evaluations took, in nanoseconds.
private struct Spans: Sendable {
    var answered: [Int64] = []
    var shares: [Int64] = []

    static func measured(on evaluator: AirshipAI.Evaluator) async -> Spans {
        var spans = Spans()
        for round in 0..<(warmUpCount + batchCount) {
            var answered: [Int64] = []
            let beginning = ContinuousClock.now
            for _ in 0..<batchSize {
                let start = ContinuousClock.now
                _ = await evaluator.evaluate(ShortQuestion())
                answered.append(start.duration(to: .now).nanoseconds)
            }
            await evaluator.drained()
            let share = beginning.duration(to: .now).nanoseconds / Int64(batchSize)
            guard round >= warmUpCount else { continue }
            spans.answered += answered
            spans.shares.append(share)
        }
        return spans
    }

    static func text(_ spans: [Int64]) -> String {
        let sorted = spans.sorted()
        let middle = microseconds(sorted[sorted.count / 2], width: 6)
        return "\(middle) (\(microseconds(sorted[sorted.count * 99 / 100], width: 6)))"
    }
}

/// A question of the size that features ask.
private struct ShortQuestion: AirshipAI.Evaluation {
    struct Output: Decodable, Sendable { let allow: Bool }

    let usage = AirshipAI.Usage<String>(rawValue: "in_app_message_suppression")
    let subject = "message-1"
    let subjectID: String? = "message-1"
    let schema = AirshipJSONSchema.object(
        properties: ["allow": .boolean(), "reason": .string()], required: ["allow", "reason"])

    func instructions() -> String {
        String(repeating: "Decide whether the message fits. ", count: 20)
    }

    func prompt(context: AirshipAI.Context) -> String { "Message name: spring sale" }

    func decode(_ output: AirshipJSON) throws -> Output { try output.decode() }
}

private struct PromptModel: AirshipAI.ModelProtocol {
    let label: String? = "at-once"

    func respond(_ request: AirshipAI.Request) async throws -> AirshipJSON {
        ["allow": true, "reason": "fits"]
    }
}

/// Runs asynchronous work from a program that is not.
private func waiting<Result: Sendable>(_ body: @escaping @Sendable () async -> Result) -> Result {
    let result = Locked<Result?>(nil)
    let done = DispatchSemaphore(value: 0)
    Task {
        let value = await body()
        result.withLock { $0 = value }
        done.signal()
    }
    done.wait()
    guard let value = result.withLock({ $0 }) else { preconditionFailure("the work has ended") }
    return value
}

extension Duration {
    var nanoseconds: Int64 {
        components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
    }
}

/// To a tenth, with spaces in front up to a width.
func microseconds(_ nanoseconds: Int64, width: Int = 0) -> String {
    let tenths = (nanoseconds + 50) / 100
    let text = "\(tenths / 10).\(tenths % 10)"
    return String(repeating: " ", count: max(0, width - text.count)) + text
}
