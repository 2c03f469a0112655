// Fact lines for tests, and the way from lines to tables as replay goes it.

import EvalogFacts
import EvalogText
import TestSupport

@testable import EvalogMetrics

/// Members of a fact line, in the order in which they are written.
struct FactLine {
    var members: [(key: String, json: String)]

    init(_ type: String, id: Int, time: String) {
        members = [
            ("v", "1"), ("type", "\"\(type)\""), ("id", "\"\(FactLine.id(id))\""),
            ("time", "\"\(time)\""),
        ]
    }

    /// An evaluation at so many seconds after 2026-11-29T10:00:00Z.
    static func evaluation(
        _ id: Int, at seconds: Double, usage: String = "embedded_selection",
        subject: String? = "home", session: Int? = 1, model: String? = "m1",
        os: String? = "iOS 26.1", outcome: String = "completed", duration: Int? = 1_000,
        attempts: Int = 1
    ) -> Self {
        var line = FactLine("evaluation", id: id, time: FactLine.time(seconds))
        line.text("usage", usage)
        line.text("subject", subject)
        line.text("session", session.map { FactLine.id(1_000_000 + $0) })
        line.text("model", model)
        line.text("os", os)
        line.text("outcome", outcome)
        line.json("duration_us", duration.map(String.init))
        line.json("attempts", String(attempts))
        return line
    }

    static func suppression(_ id: Int, at seconds: Double, of evaluation: Int) -> Self {
        var line = FactLine("ai_suppressed", id: id, time: FactLine.time(seconds))
        line.text("evaluation", FactLine.id(evaluation))
        line.text("miss_behavior", "skip")
        return line
    }

    static func inference(
        _ id: Int, at seconds: Double, of evaluation: Int, subject: String? = "form/field",
        status: String = "success", report: String? = nil
    ) -> Self {
        var line = FactLine("form_inference", id: id, time: FactLine.time(seconds))
        line.text("evaluation", FactLine.id(evaluation))
        line.text("subject", subject)
        line.text("status", status)
        line.json("report", report)
        return line
    }

    mutating func text(_ key: String, _ value: String?) {
        json(key, value.map { "\"\($0)\"" })
    }

    mutating func json(_ key: String, _ json: String?) {
        if let json { members.append((key, json)) }
    }

    func with(_ key: String, _ json: String) -> Self {
        var copy = self
        copy.members.removeAll { $0.key == key }
        copy.json(key, json)
        return copy
    }

    var text: String {
        "{" + members.map { "\"\($0.key)\":\($0.json)" }.joined(separator: ",") + "}"
    }

    static func id(_ number: Int) -> String {
        UniqueID(high: 0x0193_0000_0000_7000, low: 0x8000_0000_0000_0000 + UInt64(number)).text
    }

    /// 2026-11-29T10:00:00Z.
    static let origin: Int64 = 1_795_946_400_000_000

    static func time(_ seconds: Double) -> String {
        var bytes: [UInt8] = []
        Timestamp.append(origin + Int64(seconds * 1_000_000), to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// Collects lines as replay does: each collector decodes its own, all are joined, ties are settled.
func collect(_ parts: [[String]]) -> FactCollector {
    let collector = collectUnsettled(parts)
    while let ties = collector.unresolvedTies(atMost: 3) {
        let breakers = parts.map { lines in
            let breaker = TieBreaker(ties)
            offer(lines, to: breaker)
            return breaker
        }
        collector.settle(ties, by: breakers)
    }
    return collector
}

/// The same, with ties left as they are.
func collectUnsettled(_ parts: [[String]]) -> FactCollector {
    let collectors = parts.map { lines in
        let collector = FactCollector()
        var decoder = FactDecoder()
        for line in lines {
            var line = line
            line.withUTF8 { bytes in
                let bytes = UnsafeRawBufferPointer(bytes)
                if let view = try? decoder.decode(bytes) {
                    collector.add(view, line: bytes)
                } else {
                    collector.countUnreadable()
                }
            }
        }
        return collector
    }
    let first = collectors[0]
    for other in collectors.dropFirst() { first.absorb(other) }
    return first
}

func offer(_ lines: [String], to breaker: TieBreaker) {
    var decoder = FactDecoder()
    for line in lines {
        var line = line
        line.withUTF8 { bytes in
            let bytes = UnsafeRawBufferPointer(bytes)
            if let view = try? decoder.decode(bytes) { breaker.offer(view, line: bytes) }
        }
    }
}

func tables(
    of lines: [FactLine], _ change: (inout MetricsRules) -> Void = { _ in }
) throws -> MetricsTables {
    var rules = MetricsRules()
    change(&rules)
    return try collect([lines.map(\.text)]).tables(rules, threads: 1)
}

extension FactCollector {
    /// The tables of a collector alone, without a run.
    func tables(
        _ rules: MetricsRules, threads: Int, isLast: Bool = false
    ) throws -> MetricsTables {
        try rules.validate()
        return tables(
            rules, try WindowGrid(rules.window, timeZone: rules.timeZone), threads: threads,
            log: { [] }, isLast: isLast)
    }
}

/// A scan that gives each line to a sink that a seed decides.
func scan(_ lines: [String], seed: UInt64) -> ([FactSink]) -> Void {
    { sinks in
        var generator = SeededGenerator(seed: seed)
        var decoder = FactDecoder()
        for line in lines.shuffled(using: &generator) {
            let sink = sinks.randomElement(using: &generator)!
            var line = line
            line.withUTF8 { bytes in
                let bytes = UnsafeRawBufferPointer(bytes)
                if let view = try? decoder.decode(bytes) {
                    sink.add(view, line: bytes)
                } else {
                    sink.countUnreadable()
                }
            }
        }
    }
}
