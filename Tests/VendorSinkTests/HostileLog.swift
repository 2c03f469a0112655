// Logs as a hostile hand would make them, that a seed decides: several writers, clocks that are set back, lines
// that are missing, forms that no fact has.

import TestSupport

/// A line of such a log, with what a report has to know of it without reading it.
struct HostileLine {
    var writer: Int
    var sequence: UInt64
    var text: String
    /// Nil where no decoder can read it.
    var kind: Kind?

    enum Kind: Equatable {
        /// - reported: Its values, where it is nothing else than it seems.
        case event(key: String, session: Int?, second: Double, reported: Set<String>?)
        case catalog(id: Int, field: String, second: Double, listed: Set<String>)
        case gate(isOn: Bool, second: Double)
        case stop(session: Int, second: Double)
        case refusal
        case other
    }
}

/// Makes them.
struct HostileLog {
    private var random: SeededGenerator
    private var clocks = [1: 0.0, 2: 0.0, 3: 0.0]
    private var sequences: [Int: UInt64] = [:]
    private var number = 0
    private var evaluations: [String] = []

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    /// What no file of a report may hold.
    static let mark = "LEAK"
    static let topics = ["billing", "delivery", "praise", "secret"]

    private mutating func number(_ range: ClosedRange<Int>) -> Int {
        .random(in: range, using: &random)
    }
    private mutating func isOne(of count: Int) -> Bool { number(1...count) == 1 }
    private mutating func pick<Value>(_ values: [Value]) -> Value {
        values[number(0...values.count - 1)]
    }

    /// So many lines of three writers, in the order in which they were written, and the evaluations that
    /// most events name, by a fourth.
    mutating func lines(_ count: Int) -> [HostileLine] {
        let lines = (0..<count).map { _ in line() }
        return lines
            + evaluations.enumerated().map {
                HostileLine(writer: 4, sequence: UInt64($0) + 1, text: $1, kind: .other)
            }
    }

    private mutating func line() -> HostileLine {
        let writer = number(1...3)
        // Also back, now and then.
        let step = isOne(of: 12) ? -Double(number(1...40)) : Double(number(0...3))
        let second = max(0, (clocks[writer] ?? 0) + step)
        clocks[writer] = second
        // Now and then lines are missing.
        let sequence = (sequences[writer] ?? 0) + (isOne(of: 25) ? 3 : 1)
        sequences[writer] = sequence
        let (text, kind) = fact(at: second)
        return HostileLine(writer: writer, sequence: sequence, text: text, kind: kind)
    }

    private mutating func fact(at second: Double) -> (String, HostileLine.Kind?) {
        number += 1
        // Ids come again, with other bytes, of other types and in other writers.
        let id = isOne(of: 8) ? number(1...max(1, number)) : number
        switch number(0...19) {
        case 0: return (pick(["{", Self.mark, "", "[]", "{\"v\":1,\"type\":\"gate\"}"]), nil)
        case 1, 2:
            let isOn = !isOne(of: 3)
            return (Lines.gate(id, at: second, isOn: isOn), .gate(isOn: isOn, second: second))
        case 3, 4: return catalog(id, at: second)
        case 5:
            let session = number(1...12)
            let line = Lines.stopped(1_000_000 + number(1...60), at: second, session: session)
            return isOne(of: 2)
                ? (line, .stop(session: session, second: second))
                : (Lines.evaluation(1_000_000 + number(1...60), usage: pick(Self.usages)), .other)
        case 6:
            return isOne(of: 3)
                ? (Lines.refusal(id, at: second, since: max(0, second - 5)), .refusal)
                : (
                    #"{"v":1,"type":"\#(Self.mark)","id":"\#(Self.mark)","report":{"\#(Self.mark)":1}}"#,
                    .other
                )
        default: return event(id, at: second)
        }
    }

    private static let usages = [
        "in_app_message_suppression", "scene_text_input", "embedded_selection", "\(mark) words",
    ]

    private mutating func catalog(_ id: Int, at second: Double) -> (String, HostileLine.Kind?) {
        let field = "form/field\(number(1...2))"
        let listed = Self.topics.dropLast().shuffled(using: &random).prefix(number(1...3))
        let texts = listed.map { "\"\($0)\"" }.joined(separator: ",")
        let line = Lines.catalog(
            id, at: second, field: field, #"{"topic":[\#(texts)],"urgent":[true]}"#)
        if isOne(of: 6) {
            let broken = line.replacing("\"topic\":[", with: "\"topic\":[\"\(Self.mark)\u{7F}\",")
            return (broken, .catalog(id: id, field: field, second: second, listed: []))
        }
        let values = Set(listed.map { "topic=\($0)" }).union(["urgent=true"])
        return (line, .catalog(id: id, field: field, second: second, listed: values))
    }

    private mutating func event(_ id: Int, at time: Double) -> (String, HostileLine.Kind?) {
        // Told late, or by another clock.
        let second = isOne(of: 6) ? max(0, time - Double(number(1...60))) : time
        let session = number(1...12)
        let evaluation = isOne(of: 3) ? 1_000_000 + number(1...60) : 2_000_000 + id
        let isSuppression = isOne(of: 2)
        if evaluation > 2_000_000, !isOne(of: 5) {
            evaluations.append(
                Lines.evaluation(evaluation, usage: Self.usages[isSuppression ? 0 : 1]))
        }
        let isFailure = isOne(of: 5)
        let values: (topic: String, isUrgent: Bool)? =
            isOne(of: 3) ? nil : (pick(Self.topics), isOne(of: 2))
        var line =
            isSuppression
            ? Lines.suppression(
                id, at: second, message: pick(["welcome", "sale", "a.b:c"]), session: session,
                evaluation: evaluation, missBehavior: pick(["skip", "cancel", "penalize"]))
            : Lines.inference(
                id, at: second, field: "form/field\(number(1...2))", session: session,
                evaluation: evaluation, status: isFailure ? "failure" : "success",
                report: values.map { #"{"topic":"\#($0.topic)","urgent":\#($0.isUrgent)}"# })
        let key = (isSuppression ? "in_app_resolution " : "in_app_form_result ") + Lines.uuid(id)
        var known: Int? = session
        var reported: Set<String>? =
            isSuppression || isFailure
            ? [] : values.map { ["topic=\($0.topic)", "urgent=\($0.isUrgent)"] } ?? []
        if isOne(of: 3) {
            reported = nil
            let (from, to) = pick(Self.disguises)
            // A session of another form is none.
            if from == "\"session\":\"", line.contains(from) { known = nil }
            line = line.replacing(from, with: to)
        }
        if isOne(of: 15) {
            return (line.replacing("\"v\":1", with: "\"v\":1,\"subject\":\"\(Self.mark)\""), nil)
        }
        return (line, .event(key: key, session: known, second: second, reported: reported))
    }

    /// What somebody would put into an event.
    private static let disguises = [
        ("\"subject\":\"", "\"subject\":\"ada.\(mark)@example.com "),
        ("\"subject\":\"", "\"subject\":\"https://x.example/?key=\(mark)&"),
        ("\"subject\":\"", "\"subject\":\"\\u0007\(mark)"),
        ("\"subject\":\"", "\"subject\":\"~\(mark)"), ("\"session\":\"", "\"session\":\"\(mark) "),
        ("\"miss_behavior\":\"", "\"miss_behavior\":\"\(mark) "),
        ("\"topic\":\"", "\"topic\":\"\(mark)\\u2028"), ("\"topic\":\"", "\"\(mark)\":\"\(mark)"),
        ("\"topic\":\"", "\"topic\":\"\(mark)-"),
        ("\"v\":1,", "\"v\":1,\"reason\":\"\(mark)\",\"model\":\"https://\(mark)/?key=1\","),
        ("\"v\":1,", "\"v\":1,\"\(mark)\":{\"\(mark)\":[\"\(mark)\"]},"),
    ]
}
