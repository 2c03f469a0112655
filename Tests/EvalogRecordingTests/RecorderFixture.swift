// A recorder whose clock, ids and disk belong to the test, and what it left in the log.

import EvalogContent
import EvalogFacts
import EvalogLog
import EvalogRecording
import EvalogText
import TestSupport

struct RecorderFixture {
    let scratch = ScratchFolder()
    let clock = SettableClock()
    let disk = FillableDisk()
    let directory: LogDirectory

    init() {
        directory = LogDirectory(path: scratch.path("log"), disk: disk)
    }

    /// A recorder that works before its calls return, unless it is to have a thread.
    func recorder(
        _ content: ContentRetention = .all(days: 7), hasThread: Bool = false,
        maintainsLog: Bool = true,
        process: @escaping @Sendable () -> Int32 = { 1 }
    ) -> EvaluationRecorder {
        let numbers = Mutable(SeededGenerator(seed: 1))
        return EvaluationRecorder(
            directory, content: content,
            device: DeviceDescription(os: "iOS 26.1", device: "iPhone17,1", app: "4.2.0"),
            options: WriterOptions(clock: clock, processID: process, hasThread: hasThread),
            maintainsLog: maintainsLog,
            random: { numbers.withValue { $0.next() } })
    }

    /// The facts in the order of one writer's lines.
    func facts() throws -> [Fact] {
        let facts = Mutable<[Fact]>([])
        try readLog(directory, .facts) { _, block in
            var decoder = FactDecoder()
            try block.forEachLine { _, line in
                guard let fact = Fact(try decoder.decode(line)) else { return }
                facts.withValue { $0.append(fact) }
            }
        }
        return facts.withValue { $0 }
    }

    func evaluations() throws -> [EvaluationFact] {
        try facts().compactMap { if case .evaluation(let fact) = $0 { fact } else { nil } }
    }

    func gaps() throws -> [LogGapFact] {
        try facts().compactMap { if case .logGap(let fact) = $0 { fact } else { nil } }
    }

    func contents() throws -> [ContentRecord] {
        let records = Mutable<[ContentRecord]>([])
        try readLog(directory, ContentAccess.stream) { _, block in
            var decoder = ContentDecoder()
            try block.forEachLine { _, line in
                guard case .record(let record) = try decoder.decode(line) else { return }
                records.withValue { $0.append(record) }
            }
        }
        return records.withValue { $0 }
    }
}

extension ObservedEvaluation {
    /// A completed evaluation whose every confidential text holds the marker.
    static func marked(
        _ marker: String = Planted.mark, _ ending: Ending? = nil, number: Int = 0
    ) -> ObservedEvaluation {
        var observation = ObservedEvaluation(
            usage: "embedded_selection",
            ending: ending ?? .completed(output: #"{"said":"\#(marker)"}"#), attempts: 1)
        observation.id = uuid(number)
        observation.session = "902de532-ce43-4778-895a-09c3efa7364b"
        observation.subject = "home_banner"
        observation.request.instructions = "Rank for \(marker)."
        observation.request.schema = #"{"description":"\#(marker)"}"#
        observation.request.context = [ContextItem(content: "likes \(marker)")]
        return observation
    }

    static func uuid(_ number: Int) -> String {
        UniqueID(high: 0x0193_0000_0000_7000, low: 1 << 63 | UInt64(number)).text
    }
}

/// A value that several threads may change.
final class Mutable<Value>: Sendable {
    private let monitor: Monitor<Value>

    init(_ value: Value) { monitor = Monitor(value) }

    func withValue<Result>(_ body: (inout Value) -> Result) -> Result { monitor.withLock(body) }
}

/// A clock that stands still until it is moved.
final class SettableClock: LogClock {
    static let start: Int64 = 1_795_947_330_123_456
    private let elapsed = Mutable<Int64>(0)

    func wallTime() -> Int64 { Self.start + elapsed.withValue { $0 } }
    func monotonicTime() -> Int64 { elapsed.withValue { $0 } }
    func advance(by microseconds: Int64) { elapsed.withValue { $0 += microseconds } }
}
