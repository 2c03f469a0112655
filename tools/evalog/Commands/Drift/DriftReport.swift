// A drift for people and for programs.

import EvalogMetrics
import EvalogText
import Statistics

struct DriftReport {
    let drift: Drift

    init(_ drift: Drift) {
        self.drift = drift
    }

    // MARK: Text

    func text(fitting width: Int?) -> String {
        let rules = drift.rules
        var lines = [
            verdict, "",
            "baseline   \(rules.by.rawValue) \(rules.baseline),"
                + " \(Figures.counted(drift.evaluations.baseline, "evaluation"))",
            "candidate  \(rules.by.rawValue) \(rules.candidate),"
                + " \(Figures.counted(drift.evaluations.candidate, "evaluation"))", "",
        ]
        lines += table.lines(fitting: width)
        let usages = Set(drift.findings.map(\.usage)).sorted()
        for usage in usages {
            let mixed = drift.findings.first { $0.usage == usage }?.mixedSessions ?? 0
            if mixed > 0 {
                lines.append(
                    "not compared in \(usage.text): \(Figures.counted(mixed, "session")) on both sides"
                )
            }
        }
        return lines.map(Printable.text).joined(separator: "\n") + "\n"
    }

    private var verdict: String {
        let worse = drift.findings.filter { $0.verdict == .worse }
        let few = drift.count(.noData)
        let rest =
            few > 0 ? "; not enough data for \(few) of \(drift.findings.count) comparisons" : ""
        guard !worse.isEmpty else {
            if few == drift.findings.count { return "not enough data for any comparison" }
            return "not worse by more than chance" + rest
        }
        return "worse by more than chance: "
            + worse.map { "\(Self.title($0.measure)) of \($0.usage.text)" }.joined(separator: ", ")
            + rest
    }

    private var table: TextTable {
        var table = TextTable([
            .init(title: "usage", isNumber: false), .init(title: "measure", isNumber: false),
            .init(title: "verdict", isNumber: false), .init(title: "baseline"),
            .init(title: "candidate"), .init(title: "change, 95 % interval", rank: 2),
            .init(title: "effect", rank: 4), .init(title: "p", rank: 1),
            .init(title: "sessions", rank: 3),
        ])
        for finding in drift.findings {
            table.add([
                finding.usage.text, Self.title(finding.measure),
                finding.verdict.rawValue.replacing("_", with: " "),
                Self.value(finding.baseline, finding), Self.value(finding.candidate, finding),
                Self.change(finding), finding.effect.map { Self.decimals($0) } ?? "",
                finding.adjustedP.map { Self.p($0) } ?? "",
                "\(Figures.count(finding.baseline.sessions)), \(Figures.count(finding.candidate.sessions))",
            ])
        }
        return table
    }

    private static func title(_ measure: DriftMeasure) -> String {
        switch measure {
        case .failureRate: "failure rate"
        case .skipRate: "skip rate"
        case .retryRate: "retry rate"
        case .duration(let percent): "p\(percent)"
        case .mix(let subject, let field): "\(field.text) of \(subject.text)"
        }
    }

    private static func value(_ side: DriftSide, _ finding: DriftFinding) -> String {
        if let duration = side.duration { return Figures.duration(Int64(duration)) }
        guard let share = side.share else { return "" }
        let text = Figures.percent(Proportion.millionths(share))
        return finding.value.map { "\($0.text) \(text)" } ?? text
    }

    private static func change(_ finding: DriftFinding) -> String {
        guard let difference = finding.difference else { return "" }
        func text(_ value: Double) -> String {
            if case .duration = finding.measure {
                return signed(Int64(value.rounded())) { Figures.duration($0) }
            }
            return signed(Proportion.millionths(value)) { Figures.percent($0) }
        }
        let interval = finding.interval.map { " (\(text($0.low)) – \(text($0.high)))" } ?? ""
        return text(difference) + interval
    }

    private static func signed(_ value: Int64, _ text: (Int64) -> String) -> String {
        value < 0 ? "−\(text(-value))" : (value > 0 ? "+" : "") + text(value)
    }

    /// Two decimals.
    private static func decimals(_ value: Double) -> String {
        let hundredths = Int64((value * 100).rounded())
        let digits = "\(hundredths.magnitude % 100)"
        return "\(hundredths < 0 ? "−" : "")\(hundredths.magnitude / 100)."
            + (digits.count < 2 ? "0" : "") + digits
    }

    private static func p(_ value: Double) -> String {
        if value < 0.001 { return "<0.001" }
        let digits = "\(Int64((value * 1_000).rounded()))"
        return value >= 0.999_5
            ? "1.000" : "0." + String(repeating: "0", count: 3 - digits.count) + digits
    }

    // MARK: JSON

    /// One JSON object on one line; shares and effects as numbers, durations in µs, absent is absent.
    func json() -> [UInt8] {
        var bytes: [UInt8] = []
        JSONWriter.append(to: &bytes) { json in
            json.beginObject()
            json.key("worse")
            json.bool(drift.isWorse)
            json.key("level")
            json.number(Double(drift.rules.level) / 1_000_000)
            for (key, text) in [
                ("by", drift.rules.by.rawValue), ("baseline", drift.rules.baseline),
                ("candidate", drift.rules.candidate),
            ] {
                json.key(key)
                json.string(text)
            }
            json.counts([
                ("baseline_evaluations", drift.evaluations.baseline),
                ("candidate_evaluations", drift.evaluations.candidate),
            ])
            json.key("findings")
            json.beginArray()
            for finding in drift.findings { Self.write(finding, to: &json) }
            json.endArray()
            json.endObject()
        }
        return bytes + [0x0A]
    }

    private static func write(_ finding: DriftFinding, to json: inout JSONWriter) {
        json.beginObject()
        var texts: [(String, String?)] = [
            ("usage", finding.usage.text), ("measure", finding.measure.key),
        ]
        if case .mix(let subject, let field) = finding.measure {
            texts += [("subject", subject.text), ("field", field.text)]
        }
        texts += [("value", finding.value?.text), ("verdict", finding.verdict.rawValue)]
        for case (let key, let text?) in texts {
            json.key(key)
            json.string(text)
        }
        for (key, side) in [("baseline", finding.baseline), ("candidate", finding.candidate)] {
            json.key(key)
            json.beginObject()
            json.counts([("sessions", side.sessions), ("count", side.count)])
            if let hits = side.hits { json.counts([("hits", hits)]) }
            write([("share", side.share), ("duration_us", side.duration)], to: &json)
            json.endObject()
        }
        json.counts([("mixed_sessions", finding.mixedSessions)])
        write(
            [
                ("difference", finding.difference), ("difference_low", finding.interval?.low),
                ("difference_high", finding.interval?.high), ("effect_size", finding.effect),
                ("p", finding.p), ("adjusted_p", finding.adjustedP),
            ], to: &json)
        json.endObject()
    }

    private static func write(_ numbers: [(String, Double?)], to json: inout JSONWriter) {
        for case (let key, let number?) in numbers {
            json.key(key)
            json.number(number)
        }
    }
}
