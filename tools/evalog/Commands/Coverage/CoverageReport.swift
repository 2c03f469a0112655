// A coverage for people and for programs.

import DeviceTiers
import EvalogFacts
import EvalogMetrics
import EvalogText
import Statistics

struct CoverageReport {
    let coverage: Coverage

    init(_ coverage: Coverage) {
        self.coverage = coverage
    }

    // MARK: Text

    func text(fitting width: Int?) -> String {
        var lines = heading
        if !coverage.rows.isEmpty {
            lines += [""] + tiers.lines(fitting: width)
            if coverage.rows.contains(where: { !$0.causes.isEmpty }) {
                lines += [""] + causes.lines(fitting: width)
            }
        }
        lines += contradictions
        return lines.map(Printable.text).joined(separator: "\n") + "\n"
    }

    private var heading: [String] {
        guard let evaluations = coverage.evaluations else {
            return ["No evaluation tells whether there was a model."]
        }
        var lines = [
            "\(Figures.percent(evaluations.millionths)) of"
                + " \(Figures.counted(evaluations.total, "evaluation")) had no model"
        ]
        if let sessions = coverage.sessions {
            lines[0] +=
                ", nor \(Figures.percent(sessions.millionths)) of"
                + " \(Figures.counted(sessions.total, "session"))"
        }
        if let expected = coverage.expected, let observed = coverage.observed {
            lines.append(
                "the rules of \(DeviceRules.current.date) know the devices of"
                    + " \(Figures.count(expected.total)): they expect"
                    + " \(Figures.percent(expected.millionths)) without,"
                    + " \(Figures.percent(observed.millionths)) were")
        } else {
            lines.append(
                "the rules of \(DeviceRules.current.date) know none of the devices")
        }
        return lines
    }

    private var tiers: TextTable {
        var table = TextTable([
            .init(title: "tier", isNumber: false), .init(title: "expected", isNumber: false),
            .init(title: "evaluations"), .init(title: "without"), .init(title: "share"),
            .init(title: "sessions", rank: 2), .init(title: "without", rank: 1),
            .init(title: "share", rank: 1), .init(title: "95 % interval", rank: 3),
        ])
        for row in coverage.rows {
            let sessions = Proportion(row.sessionsWithout, of: row.sessions)
            table.add([
                row.tier.rawValue, Self.expectation(row.tier), Figures.count(row.evaluations),
                Figures.count(row.evaluationsWithout),
                Proportion(row.evaluationsWithout, of: row.evaluations).map {
                    Figures.percent($0.millionths)
                } ?? "",
                Figures.count(row.sessions), Figures.count(row.sessionsWithout),
                sessions.map { Figures.percent($0.millionths) } ?? "",
                sessions.map { $0.interval.percents } ?? "",
            ])
        }
        return table
    }

    private var causes: TextTable {
        var table = TextTable([
            .init(title: "tier", isNumber: false), .init(title: "reason", isNumber: false),
            .init(title: "detail", isNumber: false), .init(title: "evaluations"),
            .init(title: "sessions", rank: 1),
        ])
        for row in coverage.rows {
            for cause in row.causes {
                let columns = cause.outcomeClass.columns
                table.add([
                    row.tier.rawValue, columns[1].text, columns[2].text,
                    Figures.count(cause.evaluations), Figures.count(cause.sessions),
                ])
            }
        }
        return table
    }

    private var contradictions: [String] {
        var lines: [String] = []
        if coverage.answeredUnexpectedly > 0 {
            lines.append(
                "\(Figures.counted(coverage.answeredUnexpectedly, "evaluation")) reached a model where"
                    + " the rules expect none on the device: another one, or the rules are wrong")
        }
        if coverage.refusedUnexpectedly > 0 {
            lines.append(
                "\(Figures.counted(coverage.refusedUnexpectedly, "evaluation")) found the device not"
                    + " eligible where the rules expect a model: language, region or storage, or the"
                    + " rules are wrong")
        }
        if coverage.aside > 0 {
            lines.append(
                "\(Figures.counted(coverage.aside, "evaluation")) left aside: cancelled, or skipped"
                    + " before a model was looked for")
        }
        if coverage.unsessioned > 0 {
            lines.append(
                "\(Figures.counted(coverage.unsessioned, "evaluation")) without a session, in no"
                    + " session's count")
        }
        return lines.isEmpty ? [] : [""] + lines
    }

    private static func expectation(_ tier: DeviceTier) -> String {
        switch tier.hasModel {
        case true?: "a model"
        case false?: "none"
        case nil: ""
        }
    }

    // MARK: JSON

    /// One JSON object on one line; shares in millionths, absent is absent.
    func json() -> [UInt8] {
        var bytes: [UInt8] = []
        JSONWriter.append(to: &bytes) { json in
            json.beginObject()
            json.key("rules_date")
            json.string(DeviceRules.current.date)
            for (key, share) in [
                ("evaluations", coverage.evaluations), ("sessions", coverage.sessions),
                ("expected", coverage.expected), ("observed", coverage.observed),
            ] {
                guard let share else { continue }
                json.key(key)
                json.beginObject()
                json.counts([
                    ("of", share.total), ("without_model", share.successes),
                    ("share_ppm", Int(share.millionths)),
                ])
                json.endObject()
            }
            json.counts([
                ("answered_unexpectedly", coverage.answeredUnexpectedly),
                ("refused_unexpectedly", coverage.refusedUnexpectedly),
                ("aside", coverage.aside), ("without_session", coverage.unsessioned),
            ])
            json.key("tiers")
            json.beginArray()
            for row in coverage.rows { Self.write(row, to: &json) }
            json.endArray()
            json.endObject()
        }
        return bytes + [0x0A]
    }

    private static func write(_ row: Coverage.Row, to json: inout JSONWriter) {
        json.beginObject()
        json.key("tier")
        json.string(row.tier.rawValue)
        if let hasModel = row.tier.hasModel {
            json.key("model_expected")
            json.bool(hasModel)
        }
        json.counts([
            ("evaluations", row.evaluations), ("evaluations_without", row.evaluationsWithout),
            ("sessions", row.sessions), ("sessions_without", row.sessionsWithout),
        ])
        if let sessions = Proportion(row.sessionsWithout, of: row.sessions) {
            let interval = sessions.interval
            json.counts([
                ("sessions_share_ppm", Int(sessions.millionths)),
                ("sessions_low_ppm", Int(Proportion.millionths(interval.low))),
                ("sessions_high_ppm", Int(Proportion.millionths(interval.high))),
            ])
        }
        json.key("causes")
        json.beginArray()
        for cause in row.causes {
            let columns = cause.outcomeClass.columns
            json.beginObject()
            for (key, name) in zip(["reason", "detail"], columns.dropFirst()) where !name.isAbsent {
                json.key(key)
                json.string(name.text)
            }
            json.counts([("evaluations", cause.evaluations), ("sessions", cause.sessions)])
            json.endObject()
        }
        json.endArray()
        json.endObject()
    }
}

extension Proportion {
    static func millionths(_ share: Double) -> Int64 { Int64((share * 1_000_000).rounded()) }

    var millionths: Int64 { Self.millionths(share) }
}

extension Interval {
    /// `1.79 % – 40.42 %`, of shares.
    var percents: String {
        "\(Figures.percent(Proportion.millionths(low))) – \(Figures.percent(Proportion.millionths(high)))"
    }
}
