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

/// Rounds, in each of which every row has its turn, and the evaluations of a turn, which come one after the other.
private let roundCount = 200
private let turnSize = 100
/// Rounds before the first that counts: threads start, logs are opened.
private let warmUpCount = 10
/// What evaluator and recorder may take for an evaluation, at the median, in nanoseconds.
private let askedNanoseconds: Int64 = 50_000

/// Asks a model that answers at once, and prints the middle of what an evaluation took: until the
/// caller had its answer; and its share of a turn that ends when the recorder has taken all.
///
/// Rows take turns, so that what the machine does meanwhile meets all of them.
///
/// - Throws: `BenchFailure` where a row takes longer than is asked.
func measureRecorder() throws {
    var rows = [
        try Row("evaluator alone", nil), try Row("and recorder, no content", .off),
        try Row("and recorder, all content", .all(days: 7)),
    ]
    defer { for row in rows { row.end() } }
    for round in 0..<(warmUpCount + roundCount) {
        for index in rows.indices {
            let evaluator = rows[index].evaluator
            let turn = waiting { await Turn.measured(on: evaluator) }
            if round >= warmUpCount { rows[index].add(turn) }
        }
    }
    print(
        "\(roundCount) rounds of \(turnSize) evaluations, the model answers at once, microseconds")
    print("  median (99 %)               until answered    share of a turn")
    for row in rows { print(row.text) }
    for row in rows {
        if row.recorder?.status.refusedCounts.isEmpty == false {
            throw BenchFailure(what: "the log refused lines")
        }
        let slowest = max(median(row.answered), median(row.shares))
        if slowest >= askedNanoseconds {
            throw BenchFailure(
                what: "\(row.name): \(microseconds(slowest)) µs, and less than"
                    + " \(microseconds(askedNanoseconds)) µs is asked")
        }
    }
}

/// An evaluator with or without a recorder, and what its evaluations took, in nanoseconds.
private struct Row {
    let name: String
    let evaluator: AirshipAI.Evaluator
    let recorder: EvaluationRecorder?
    private let folder: String
    private(set) var answered: [Int64] = []
    private(set) var shares: [Int64] = []

    init(_ name: String, _ content: ContentRetention?) throws {
        self.name = name
        folder = try scratchFolder()
        evaluator = AirshipAI.Evaluator(
            privacy: AirshipPrivacyManager(storage: MemoryFeatureStorage()))
        evaluator.setModelResolver { _ in .custom(PromptModel()) }
        let folder = folder
        recorder = content.map { EvaluationRecorder(directory: folder, content: $0) }
        recorder?.attach(to: evaluator)
    }

    func end() {
        recorder?.close()
        removeLog(folder)
    }

    mutating func add(_ turn: Turn) {
        answered += turn.answered
        shares.append(turn.share)
    }

    var text: String {
        let padded = name + String(repeating: " ", count: 27 - name.count)
        return "  \(padded) \(Self.text(answered))  \(Self.text(shares))"
    }

    private static func text(_ spans: [Int64]) -> String {
        let late = spans.sorted()[spans.count * 99 / 100]
        return "\(microseconds(median(spans), width: 6)) (\(microseconds(late, width: 6)))"
    }
}

/// What the evaluations of one turn took, in nanoseconds.
private struct Turn: Sendable {
    var answered: [Int64] = []
    var share: Int64 = 0

    static func measured(on evaluator: AirshipAI.Evaluator) async -> Turn {
        var turn = Turn()
        let beginning = ContinuousClock.now
        for _ in 0..<turnSize {
            let start = ContinuousClock.now
            _ = await evaluator.evaluate(ShortQuestion())
            turn.answered.append(start.duration(to: .now).nanoseconds)
        }
        await evaluator.drained()
        turn.share = beginning.duration(to: .now).nanoseconds / Int64(turnSize)
        return turn
    }
}

private func median(_ spans: [Int64]) -> Int64 { spans.sorted()[spans.count / 2] }

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
