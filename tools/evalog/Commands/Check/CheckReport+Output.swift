// The findings for a person, who wants the broken ones, and for a program, which gets all.

import EvalogMetrics
import EvalogText

extension CheckReport {
    /// What came out, in one line.
    var verdict: String {
        let checks = Figures.counted(findings.count, "check")
        let what =
            broken.isEmpty
            ? "\(checks), none broken"
            : "\(Figures.count(broken.count)) of \(checks) broken"
        var parts = [what]
        if count(.noData) > 0 { parts.append("\(Figures.count(count(.noData))) without data") }
        let uncertain = findings.filter { $0.verdict == .uncertain }
        let losses = uncertain.compactMap(\.uncountedFiles)
        if uncertain.count > losses.count {
            parts.append(
                "\(Figures.count(uncertain.count - losses.count)) perhaps by chance"
                    + " (--strict counts these)")
        }
        if let files = losses.first {
            parts.append(
                "lost lines that nobody can count in \(Figures.counted(files, "file"))"
                    + " (--strict counts these)")
        }
        return "\(parts.joined(separator: "; ")); \(Figures.time(range.start)) to"
            + " \(Figures.time(range.end))"
    }

    /// The broken thresholds as a table, under the verdict.
    ///
    /// - Parameter width: Of the terminal, if it is one.
    func text(fitting width: Int?) -> String {
        var table = TextTable(
            [.init(title: "broken", isNumber: false)]
                + by.map { .init(title: $0.rawValue, isNumber: false) }
                + [
                    .init(title: "measured"), .init(title: "limit"),
                    .init(title: "95 % interval", rank: 2),
                    .init(title: "from", isNumber: false, rank: 1),
                ])
        for finding in broken {
            table.add(
                [finding.threshold.measurement.title]
                    + (finding.group?.map(\.text) ?? by.map { _ in "" })
                    + Self.cells(of: finding))
        }
        return ([verdict, ""] + table.lines(fitting: width)).joined(separator: "\n") + "\n"
    }

    private static func cells(of finding: Finding) -> [String] {
        let limit = finding.threshold.limit
        switch finding.value {
        case .rate(let rate, let count, let total):
            return [
                Figures.percent(Int64(rate.rate)), Figures.percent(limit), rate.interval,
                "\(Figures.count(count)) of \(Figures.count(total))",
            ]
        case .duration(let duration, let count):
            return [
                Figures.duration(Int64(duration)), Figures.duration(limit), "",
                Figures.counted(count, "duration"),
            ]
        case .age(let age): return [Figures.age(age), Figures.age(limit), "", "newest evaluation"]
        case .count(let count):
            return [
                Figures.count(count), Figures.count(limit), "", "evalog tail shows the gaps",
            ]
        case .loss(let count, let files):
            return [
                Figures.count(count) + (files > 0 ? " and more" : ""), Figures.count(limit), "",
                (files > 0 ? "cannot be counted in \(Figures.counted(files, "file")); " : "")
                    + "evalog verify names them",
            ]
        case nil: return ["", Figures.age(limit), "", "no evaluation in the window"]
        }
    }

    /// One JSON object on one line; durations in whole µs, rates in millionths, absent is absent.
    func json() -> [UInt8] {
        var bytes: [UInt8] = []
        JSONWriter.append(to: &bytes) { json in
            json.beginObject()
            json.key("broken")
            json.bool(!broken.isEmpty)
            json.key("since")
            json.time(range.start)
            json.key("until")
            json.time(range.end)
            json.key("findings")
            json.beginArray()
            for finding in findings { write(finding, to: &json) }
            json.endArray()
            json.endObject()
        }
        return bytes + [0x0A]
    }

    private func write(_ finding: Finding, to json: inout JSONWriter) {
        json.beginObject()
        json.key("check")
        json.string(finding.threshold.measurement.key)
        if let group = finding.group {
            for (dimension, name) in zip(by, group) where !name.isAbsent {
                json.key(dimension.rawValue)
                json.string(name.text)
            }
        }
        json.key("verdict")
        json.string(finding.verdict.rawValue)
        json.key("limit")
        json.integer(finding.threshold.limit)
        switch finding.value {
        case .rate(let rate, let count, let total):
            json.counts([
                ("value", rate.rate), ("low", rate.low), ("high", rate.high), ("count", count),
                ("of", total),
            ])
        case .duration(let duration, let count):
            json.counts([("value", Int(duration)), ("of", count)])
        case .age(let age): json.counts([("value", Int(age))])
        case .count(let count): json.counts([("value", Int(clamping: count))])
        case .loss(let count, let files):
            json.counts([("value", Int(clamping: count)), ("uncounted_files", files)])
        case nil: break
        }
        json.endObject()
    }
}
