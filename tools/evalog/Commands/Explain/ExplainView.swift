// Impressions with their evaluations, as a person or a program reads them.

import EvalogFacts
import EvalogMetrics
import EvalogReplay
import EvalogText

struct ExplainView {
    private let explanation: Explanation
    private let hasColor: Bool

    init(_ explanation: Explanation, hasColor: Bool) {
        self.explanation = explanation
        self.hasColor = hasColor
    }

    // MARK: For a person

    /// An impression, its evaluations under it.
    func text(_ impression: TracedImpression, number: Int) -> String {
        let evaluations = impression.evaluations.map(explanation.trace.evaluation)
        let first = evaluations[0].fact
        var lines = [heading(impression, first, number: number)]
        var format = TailFormat(hasColor: hasColor)
        let rows = format.lines(of: evaluations.map { TailRow(.evaluation($0.fact)) })
        for (place, evaluation) in evaluations.enumerated() {
            let reason =
                place == 0
                ? Self.reason(impression)
                : "joins: \(Figures.exactly(evaluation.fact.time - evaluations[place - 1].fact.time))"
                    + " after the one before, within the gap of \(Figures.exactly(impression.gap))"
            lines.append("  \(reason)")
            lines.append("    " + rows[place])
            lines += details(evaluation).map { "      " + Printable.text($0) }
        }
        return lines.joined(separator: "\n") + "\n\n"
    }

    private func heading(
        _ impression: TracedImpression, _ first: EvaluationFact, number: Int
    ) -> String {
        let key = [first.usage, first.subject, first.session.map { "session \($0.text)" }]
            .compactMap { $0 }.joined(separator: ", ")
        let suppression = impression.isSuppressed.map { $0 ? ", suppressed" : ", not suppressed" }
        return Printable.text(
            "impression \(number): \(impression.outcome.name)\(suppression ?? "")"
                + ", \(Figures.counted(impression.evaluations.count, "evaluation"))  (\(key))")
    }

    private static func reason(_ impression: TracedImpression) -> String {
        switch impression.start {
        case .unkeyed: "stands alone: it has no subject or no session"
        case .alone: "stands alone: the gap of its usage is 0"
        case .first: "begins: the first of its usage, subject and session"
        case .gap(let since):
            "begins: \(Figures.exactly(since)) after the one before, more than the gap of"
                + " \(Figures.exactly(impression.gap))"
        case .span: "begins: the impression before has lasted for 24 h"
        }
    }

    /// What else there is to say of an evaluation: its id, its copies, what names it.
    private func details(_ evaluation: TracedEvaluation) -> [String] {
        var lines = ["id \(evaluation.fact.id.text)"]
        if evaluation.lineCount > 1 {
            let copies = Figures.counted(evaluation.lineCount - 1, "duplicate")
            lines.append(
                evaluation.conflictCount == 0
                    ? "\(copies), all alike"
                    : "\(copies), \(Figures.count(evaluation.conflictCount)) of them in other words"
            )
        }
        for version in explanation.versions[evaluation.fact.id] ?? [] {
            let stays = Self.says(version, evaluation.fact) ? "stays    " : "conflict "
            lines.append(stays + String(decoding: version, as: UTF8.self))
        }
        for event in evaluation.events { lines.append(Self.text(of: event)) }
        return lines
    }

    /// Whether a line says what the one says that stays.
    private static func says(_ line: [UInt8], _ fact: EvaluationFact) -> Bool {
        var decoder = FactDecoder()
        return line.withUnsafeBytes { bytes in
            guard let view = try? decoder.decode(bytes) else { return false }
            return Fact(view) == .evaluation(fact)
        }
    }

    private static func text(of event: TracedEvent) -> String {
        let name = event.status.map { "form_inference \($0.name)" } ?? "ai_suppressed"
        let report = event.report.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        return
            ([name, "at \(Figures.time(event.time))", event.subject].compactMap { $0 } + report
            + ["id \(event.id.text)"]).joined(separator: "  ")
    }

    /// Evaluations that are of another key after all.
    var strays: String {
        guard !explanation.strays.isEmpty else { return "" }
        let ids = explanation.strays.sorted().map(\.text)
        return
            "not counted here, for another line of the same id stays: \(ids.joined(separator: " "))\n"
    }

    // MARK: For a program

    /// One object on one line; times in whole µs, absent is absent.
    func json(_ impression: TracedImpression) -> [UInt8] {
        let evaluations = impression.evaluations.map(explanation.trace.evaluation)
        let first = evaluations[0].fact
        var bytes: [UInt8] = []
        JSONWriter.append(to: &bytes) { json in
            json.beginObject()
            for (key, value) in [
                ("usage", first.usage as String?), ("subject", first.subject),
                ("session", first.session?.text), ("outcome", "\(impression.outcome.name)"),
                ("start", Self.name(of: impression.start)),
            ] {
                guard let value else { continue }
                json.key(key)
                json.string(value)
            }
            if case .gap(let since) = impression.start {
                json.key("since_previous_us")
                json.integer(since)
            }
            json.key("gap_us")
            json.integer(impression.gap)
            if let isSuppressed = impression.isSuppressed {
                json.key("suppressed")
                json.bool(isSuppressed)
            }
            json.key("evaluations")
            json.beginArray()
            var previous: Int64?
            for evaluation in evaluations {
                write(evaluation, since: previous.map { evaluation.fact.time - $0 }, &json)
                previous = evaluation.fact.time
            }
            json.endArray()
            json.endObject()
        }
        return bytes + [0x0A]
    }

    private static func name(of start: ImpressionStart) -> String {
        switch start {
        case .unkeyed: "unkeyed"
        case .alone: "alone"
        case .first: "first"
        case .gap: "gap"
        case .span: "span"
        }
    }

    private func write(
        _ evaluation: TracedEvaluation, since: Int64?, _ json: inout JSONWriter
    ) {
        json.beginObject()
        if let since {
            json.key("since_previous_us")
            json.integer(since)
        }
        json.counts([("lines", evaluation.lineCount), ("conflicts", evaluation.conflictCount)])
        var line: [UInt8] = []
        Fact.evaluation(evaluation.fact).encode(into: &line)
        json.key("fact")
        Self.write(line, &json)
        if let versions = explanation.versions[evaluation.fact.id] {
            json.key("versions")
            json.beginArray()
            for version in versions { Self.write(version, &json) }
            json.endArray()
        }
        json.key("events")
        json.beginArray()
        for event in evaluation.events { Self.write(event, &json) }
        json.endArray()
        json.endObject()
    }

    private static func write(_ line: [UInt8], _ json: inout JSONWriter) {
        if let raw = try? RawJSON(line) { json.raw(raw) }
    }

    private static func write(_ event: TracedEvent, _ json: inout JSONWriter) {
        json.beginObject()
        json.key("type")
        json.string(event.status == nil ? "ai_suppressed" : "form_inference")
        json.key("id")
        json.id(event.id)
        json.key("time")
        json.time(event.time)
        if let subject = event.subject {
            json.key("subject")
            json.string(subject)
        }
        if let status = event.status {
            json.key("status")
            json.string("\(status.name)")
        }
        if !event.report.isEmpty {
            json.key("report")
            json.beginObject()
            for (field, value) in event.report.sorted(by: { $0.key < $1.key }) {
                json.key(field)
                json.string(value)
            }
            json.endObject()
        }
        json.endObject()
    }
}
