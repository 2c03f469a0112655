// Small logs with everything in them that makes counting hard, decided by a seed.

import EvalogText
import TestSupport

/// Lines over few ids, sessions and names, so that everything collides with everything.
struct SeededLines {
    private var generator: SeededGenerator
    private let count: Int

    init(seed: UInt64, count: Int = 300) {
        generator = SeededGenerator(seed: seed)
        self.count = count
    }

    mutating func lines() -> [String] {
        var lines: [FactLine] = []
        while lines.count < count {
            let line = fact()
            lines.append(line)
            if chance(10) { lines.append(line) }
            if chance(12) { lines.append(version(of: line)) }
        }
        var texts = lines.map(\.text)
        if chance(2) { texts += ["{\"type\":\"evaluation\"", "", "nothing"] }
        if chance(2) { texts.append("{\"v\":1,\"type\":\"later\",\"id\":\"x\"}") }
        if chance(2) { texts += [#"{"erased":true}"#, #"{"v":1,"erased":true,"id":"x"}"#] }
        texts.shuffle(using: &generator)
        return texts
    }

    private mutating func fact() -> FactLine {
        switch number(10) {
        case 0: return .suppression(number(40), at: time(), of: number(60))
        case 1, 2:
            return .inference(
                number(60), at: time(), of: number(60),
                subject: pick(["a/b", "a/c", "b/a", nil]),
                status: pick(["success", "failure"]),
                report: pick([
                    nil, "{}", #"{"intent":"billing"}"#, #"{"intent":"billing","urgent":true}"#,
                    #"{ "urgent" : false , "in\u0074ent" : "deli\u0076ery" }"#,
                ]))
        case 3 where chance(3):
            var line = FactLine("log_gap", id: number(5), time: FactLine.time(time()))
            line.text("stream", "facts")
            line.text("since", FactLine.time(0))
            line.json("refused", String(number(9)))
            line.text("cause", "no_space")
            return line
        case 3 where chance(2):
            var line = FactLine("gate", id: number(5), time: FactLine.time(time()))
            line.json("on_device_ai", "false")
            return line
        default: return evaluation()
        }
    }

    private mutating func evaluation() -> FactLine {
        let outcome = pick(["completed", "completed", "skipped", "failed", "cancelled"])
        var line = FactLine.evaluation(
            number(150), at: time(),
            usage: pick(["embedded_selection", "in_app_message_suppression", "scene_text_input"]),
            subject: pick(["home", "home", "shop", nil]), session: pick([1, 1, 2, 3, nil]),
            model: pick(["m1", "m2", nil]), os: pick(["iOS 26.1", "macOS 26"]), outcome: outcome,
            duration: nil, attempts: pick([0, 1, 1, 1, 2, 3, 1_023, 70_000]))
        if outcome == "skipped" || chance(9) { line.text("reason", pick(["no_model", "other"])) }
        if chance(9) { line.text("detail", "missing_model") }
        if outcome == "failed" || chance(9) { line.text("error", pick(["timeout", "quota"])) }
        if chance(9) { line.json("decoded", "false") }
        if chance(9) {
            line.json("duration_invalid", "true")
        } else if !chance(9) {
            line.json("duration_us", String(duration()))
        }
        if chance(5) { line.json("assumed", #"["time"]"#) }
        return line
    }

    /// The same fact, said differently or at another time.
    private mutating func version(of line: FactLine) -> FactLine {
        var other = line
        switch number(4) {
        case 0: other = line.with("time", "\"\(FactLine.time(time()))\"")
        case 1: other.members.swapAt(0, other.members.count - 1)
        case 2: other.json("extra", String(number(3)))
        default:
            other = line.with("outcome", "\"failed\"")
        }
        return other
    }

    /// Seconds, often equal, often a gap apart, sometimes days.
    private mutating func time() -> Double {
        switch number(6) {
        case 0: Double(number(4)) * 1_800
        case 1: Double(number(4)) * 1_800 + 0.000_001
        case 2: Double(number(4)) * 86_400 - 43_200
        case 3: Double(number(200)) * 900
        default: Double(number(4_000))
        }
    }

    private mutating func duration() -> Int {
        switch number(4) {
        case 0: number(600)
        case 1: 86_400_000_000 - number(2)
        default: Int.random(in: 0...5_000_000, using: &generator)
        }
    }

    private mutating func number(_ bound: Int) -> Int {
        Int.random(in: 0..<bound, using: &generator)
    }

    private mutating func chance(_ oneIn: Int) -> Bool { number(oneIn) == 0 }

    private mutating func pick<Value>(_ values: [Value]) -> Value { values[number(values.count)] }
}
