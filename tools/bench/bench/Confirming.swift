// An app's recorder that says what it has confirmed, for whoever kills it or fills its disk.

import EvalogLog
import EvalogRecording
import EvalogText

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Records evaluations, and prints the ids of those that a flush confirmed.
///
/// Nothing is buffered between the flush and the print: what a killed run has printed is in the log.
/// It ends with its input: sooner than after `--count` evaluations, or some time after them. On standard
/// error it says when the log begins to refuse, and in the end what became of all.
func confirm(_ arguments: BenchArguments, to path: String) throws {
    let recorder = EvaluationRecorder(
        directory: path, content: arguments.keepsContent ? .all(days: 7) : .off)
    var session = Session(seed: arguments.seed, hasContent: arguments.keepsContent)
    var accepted: [UniqueID] = []
    var (count, isRefusing) = (0, false)
    while count < arguments.count, !inputHasEnded(waiting: false) {
        let before = recorder.status.recordedCount
        let (id, observation) = session.next()
        recorder.record(observation)
        let isAccepted = recorder.status.recordedCount > before
        if isAccepted {
            accepted.append(id)
        } else if !isRefusing {
            try say("refusing")
        }
        isRefusing = !isAccepted
        count += 1
        guard count % arguments.flushCount == 0 || count == arguments.count else { continue }
        if recorder.flush() { try confirmed(&accepted) }
    }
    while !inputHasEnded(waiting: true) {}
    guard recorder.close() else { throw BenchFailure(what: "the log did not take everything") }
    try confirmed(&accepted)
    let status = recorder.status
    let refused = status.refusedCounts.values.reduce(0, +)
    try say("given \(count), recorded \(status.recordedCount), refused \(refused)")
}

private func say(_ text: String) throws {
    var line = Array("\(text)\n".utf8)
    try writeOut(&line, to: 2)
}

private func confirmed(_ ids: inout [UniqueID]) throws {
    var text: [UInt8] = []
    for id in ids {
        id.append(to: &text)
        text.append(0x0A)
    }
    ids.removeAll(keepingCapacity: true)
    try writeOut(&text)
}

private func inputHasEnded(waiting: Bool) -> Bool {
    var input = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
    guard poll(&input, 1, waiting ? -1 : 0) > 0 else { return false }
    var byte: UInt8 = 0
    return read(0, &byte, 1) == 0
}

/// Evaluations of one session of an app: ids and contents from a seed, times from the clock.
private struct Session {
    private var random: SplitMix64
    private let name: UniqueID
    private let hasContent: Bool

    init(seed: UInt64, hasContent: Bool) {
        random = SplitMix64(seed: seed)
        name = .random(using: &random)
        self.hasContent = hasContent
    }

    private mutating func pick(_ texts: String...) -> String {
        texts[Int.random(in: texts.indices, using: &random)]
    }

    mutating func next() -> (UniqueID, ObservedEvaluation) {
        let time = SystemClock().wallTime()
        let id = UniqueID.timeOrdered(microseconds: time, using: &random)
        let hasFailed = Int.random(in: 0..<10, using: &random) == 0
        var observation = ObservedEvaluation(
            usage: pick("embedded_selection", "in_app_message_suppression"),
            ending: hasFailed
                ? .failed(error: "no answer", class: "timeout")
                : .completed(output: "{\"allow\":true}"),
            attempts: hasFailed ? 2 : 1)
        observation.id = text(of: id)
        observation.time = time
        observation.subject = pick("home_banner", "cart_banner", "promo-1", "promo-2")
        observation.session = text(of: name)
        observation.model = "smollm2-135m"
        observation.os = "iOS 26.1"
        observation.device = "iPhone17,1"
        observation.app = "4.2.0"
        observation.duration = .microseconds(.random(in: 80_000...400_000, using: &random))
        if hasContent {
            observation.request.instructions =
                String(repeating: "Decide whether the message fits. ", count: 20)
                + "\(random.next())"
        }
        return (id, observation)
    }

    private func text(of id: UniqueID) -> String {
        var bytes: [UInt8] = []
        id.append(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}
