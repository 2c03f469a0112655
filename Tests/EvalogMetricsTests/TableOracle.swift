// Section 4 of the design once more, slow and plain: what the real computation is compared with.

import EvalogFacts
import EvalogMetrics
import EvalogText
import Foundation

/// Computes every table from the texts of all lines at once.
struct TableOracle {
    struct Fact {
        var text: String
        var json: [String: Any]
        var time: Int64

        subscript(_ key: String) -> String? { json[key] as? String }
        func number(_ key: String) -> Int { json[key] as? Int ?? 0 }

        var outcome: String { self["outcome"] ?? "" }
        var isKeyed: Bool { self["subject"] != nil && self["session"] != nil }
    }

    let rules: MetricsRules
    private(set) var quality: [[String]] = []
    /// Distinct facts by type.
    private var facts: [String: [Fact]] = [:]

    static let types = [
        "evaluation", "ai_suppressed", "form_inference", "catalog", "gate", "log_gap",
        "test_result",
    ]

    init(_ lines: [String], _ rules: MetricsRules) {
        self.rules = rules
        var versions: [String: [Fact]] = [:]
        var unreadable = 0
        var unknown = 0
        var erased = 0
        for line in lines {
            let parsed = try? JSONSerialization.jsonObject(with: Data(line.utf8))
            if let json = parsed as? [String: Any], json["erased"] as? Bool == true {
                erased += 1
                continue
            }
            guard let json = parsed as? [String: Any], let type = json["type"] as? String else {
                unreadable += 1
                continue
            }
            guard Self.types.contains(type), let id = json["id"] as? String,
                let time = json["time"] as? String
            else {
                unknown += 1
                continue
            }
            let fact = Fact(text: line, json: json, time: Self.microseconds(time))
            versions[type + " " + id, default: []].append(fact)
        }
        var conflicts = 0
        for (_, all) in versions {
            let staying = all.min {
                $0.time != $1.time
                    ? $0.time < $1.time : $0.text.utf8.lexicographicallyPrecedes($1.text.utf8)
            }!
            facts[staying["type"]!, default: []].append(staying)
            conflicts += all.filter { Self.bytes($0) != Self.bytes(staying) }.count
        }
        let evaluations = facts["evaluation"] ?? []
        let known = lines.count - unreadable - unknown - erased
        let invalid = evaluations.filter { $0.json["duration_invalid"] as? Bool == true }
        let undecoded = evaluations.filter { $0.json["decoded"] as? Bool == false }
        let assumed = facts.values.joined().filter { $0.json["assumed"] != nil }
        let refused = (facts["log_gap"] ?? []).map { $0.number("refused") }.reduce(0, +)
        let counts: [(String, Int)] = [
            ("lines", lines.count), ("records", versions.count),
            ("duplicates", known - versions.count), ("conflicts", conflicts),
            ("evaluations", evaluations.count),
            ("unkeyed", evaluations.filter { !$0.isKeyed }.count),
            ("invalid_durations", invalid.count), ("undecoded", undecoded.count),
            ("assumed_times", assumed.count), ("misfit_values", 0),
            ("unreadable_lines", unreadable), ("unknown_type_lines", unknown),
            ("erased_lines", erased),
            ("refused", refused),
        ]
        quality = counts.map { [$0.0, String($0.1)] }
    }

    static func microseconds(_ text: String) -> Int64 {
        var text = text
        return text.withUTF8 { Timestamp.microseconds(UnsafeRawBufferPointer($0))! }
    }

    /// The bytes that tell versions apart.
    private static func bytes(_ fact: Fact) -> String {
        guard fact.json["assumed"] != nil else { return fact.text }
        return fact.text.replacingOccurrences(of: fact["time"]!, with: "")
    }

    var cells: [String: [[String]]] {
        let evaluations = facts["evaluation"] ?? []
        let groups = keptGroups(evaluations)
        let counted = evaluations.filter {
            passes($0) && covers($0.time) && passesOutcome($0.outcome)
        }
        return [
            "evaluations": evaluationRows(counted, groups),
            "outcomes": outcomeRows(counted, groups),
            "durations": durationRows(counted, groups),
            "impressions": impressionRows(evaluations, groups),
            "inferences": inferenceRows(), "inference_values": valueRows(), "quality": quality,
        ]
    }

    // MARK: Rules

    func covers(_ time: Int64) -> Bool {
        time >= rules.since ?? .min && time < rules.until ?? .max
    }

    func passes(_ fact: Fact) -> Bool {
        let filters = rules.filters
        return (filters.usages.isEmpty || filters.usages.contains(fact["usage"] ?? ""))
            && (filters.models.isEmpty || filters.models.contains(fact["model"] ?? ""))
            && (filters.systems.isEmpty || filters.systems.contains(fact["os"] ?? ""))
    }

    func passesOutcome(_ outcome: String) -> Bool {
        rules.filters.outcomes.isEmpty
            || rules.filters.outcomes.contains { $0.name.description == outcome }
    }

    func group(_ fact: Fact) -> [String] { rules.by.map { fact[$0.rawValue] ?? "" } }

    func window(_ time: Int64) -> [String] {
        guard case .fixed(let width) = rules.window else { return [] }
        let start = Int64((Double(time) / Double(width)).rounded(.down)) * width
        return [String(start), String(start + width)]
    }

    /// What each group is called in the tables.
    private func keptGroups(_ evaluations: [Fact]) -> ([String]) -> [String] {
        let present = evaluations.filter { passes($0) && covers($0.time) }
        return kept(
            present.map(group), counted: present.filter { passesOutcome($0.outcome) }.map(group))
    }

    private func kept(
        _ all: [[String]], counted: [[String]]
    ) -> ([String]) -> [String] {
        let names = Set(all)
        guard names.count > rules.groupCountMax else { return { $0 } }
        let ranked = names.sorted { left, right in
            let (a, b) = (counted.filter { $0 == left }.count, counted.filter { $0 == right }.count)
            return a != b ? a > b : precedes(left, right)
        }
        let kept = Set(ranked.prefix(rules.groupCountMax))
        return { kept.contains($0) ? $0 : $0.map { _ in "(other)" } }
    }

    // MARK: Tables

    private func grouped(
        _ facts: [Fact], _ key: (Fact) -> [String]
    ) -> [(key: [String], facts: [Fact])] {
        Dictionary(grouping: facts, by: key).map { ($0.key, $0.value) }
            .sorted { precedesByWindow($0.0, $1.0) }
    }

    private func evaluationRows(
        _ counted: [Fact], _ name: ([String]) -> [String]
    ) -> [[String]] {
        grouped(counted) { window($0.time) + name(group($0)) }.map { key, facts in
            let failed = facts.filter { $0.outcome == "failed" }.count
            let completed = facts.filter { $0.outcome == "completed" }.count
            return key + [facts.count, completed].map(String.init)
                + [
                    String(facts.filter { $0.outcome == "skipped" }.count), String(failed),
                    String(facts.filter { $0.outcome == "cancelled" }.count),
                ] + rates(failed, completed) + [
                    String(facts.filter { $0.number("attempts") > 1 }.count),
                    String(facts.reduce(0) { $0 + $1.number("attempts") }),
                ] + durationCells(facts.compactMap(duration).sorted())
        }
    }

    private func rates(_ failed: Int, _ completed: Int) -> [String] {
        guard failed + completed > 0 else { return ["", "", ""] }
        let n = Double(failed + completed)
        let z = 1.959963984540054
        let p = Double(failed) / n
        let middle = p + z * z / (2 * n)
        let spread = z * ((p * (1 - p) + z * z / (4 * n)) / n).squareRoot()
        let ends = [middle - spread, middle + spread].map {
            Int(($0 / (1 + z * z / n) * 1e6 + 0.5).rounded(.down))
        }
        return [
            (2_000_000 * failed + failed + completed) / (2 * (failed + completed)),
            failed == 0 ? 0 : ends[0], completed == 0 ? 1_000_000 : ends[1],
        ].map(String.init)
    }

    func duration(_ fact: Fact) -> Int? {
        guard fact.number("attempts") >= 1, fact.outcome != "cancelled" else { return nil }
        return fact.json["duration_us"] as? Int
    }

    private func durationCells(_ sorted: [Int]) -> [String] {
        guard let least = sorted.first, let most = sorted.last else {
            return ["0"] + Array(repeating: "", count: 8)
        }
        let sum = sorted.reduce(0, +)
        let percentiles = [50, 90, 95, 99].map { percent in
            let value = sorted[(percent * sorted.count + 99) / 100 - 1]
            let bin = Self.bin(value)
            return min(max(bin.lower + bin.width / 2, least), most)
        }
        let mean = (2 * sum + sorted.count) / (2 * sorted.count)
        return ([sorted.count, sum, least, mean] + percentiles + [most]).map(String.init)
    }

    static func bin(_ value: Int) -> (lower: Int, width: Int) {
        var width = 1
        while value >= 512 * width { width *= 2 }
        return (value / width * width, width)
    }

    private func durationRows(
        _ counted: [Fact], _ name: ([String]) -> [String]
    ) -> [[String]] {
        let timed = counted.filter { duration($0) != nil }
        return grouped(timed) { window($0.time) + name(group($0)) }.flatMap { key, facts in
            Dictionary(grouping: facts.compactMap(duration)) { Self.bin($0).lower }
                .sorted { $0.key < $1.key }
                .map { lower, values in
                    key + [lower, lower + Self.bin(lower).width, values.count].map(String.init)
                }
        }
    }

    private func outcomeRows(
        _ counted: [Fact], _ name: ([String]) -> [String]
    ) -> [[String]] {
        grouped(counted) { fact in
            let reason = fact.outcome == "skipped" ? fact["reason"] : nil
            let error = fact.outcome == "failed" ? fact["error"] : nil
            let detail = fact.outcome == "skipped" ? fact["detail"] : nil
            return window(fact.time) + name(group(fact))
                + [fact.outcome, reason ?? error ?? "", detail ?? ""]
        }.map { $0.key + [String($0.facts.count)] }
    }

    // MARK: Impressions

    private func impressionRows(
        _ evaluations: [Fact], _ name: ([String]) -> [String]
    ) -> [[String]] {
        let impressions = fold(evaluations).filter {
            covers($0[0].time) && passes($0[0]) && passesOutcome(outcome($0))
        }
        let named = Set((facts["ai_suppressed"] ?? []).compactMap { $0["evaluation"] })
        let rows = Dictionary(grouping: impressions) { window($0[0].time) + name(group($0[0])) }
        return rows.sorted { precedesByWindow($0.key, $1.key) }.map { key, impressions in
            let outcomes = impressions.map(outcome)
            let suppressions = impressions.filter {
                $0[0]["usage"] == "in_app_message_suppression"
            }
            let suppressed = suppressions.filter { $0.allSatisfy { named.contains($0["id"]!) } }
            let counts = ["completed", "skipped", "failed", "cancelled"].map { outcome in
                outcomes.filter { $0 == outcome }.count
            }
            return key + [String(impressions.count)]
                + [String(impressions.reduce(0) { $0 + $1.count - 1 })] + counts.map(String.init)
                + (suppressions.isEmpty
                    ? ["", ""]
                    : [String(suppressed.count), String(suppressions.count - suppressed.count)])
        }
    }

    private func outcome(_ impression: [Fact]) -> String {
        impression.last { $0.outcome != "cancelled" }?.outcome ?? "cancelled"
    }

    private func fold(_ evaluations: [Fact]) -> [[Fact]] {
        let day: Int64 = 86_400_000_000
        let read = evaluations.filter {
            $0.time < rules.until ?? .max && (rules.since == nil || $0.time >= rules.since! - day)
        }
        var impressions = read.filter { !$0.isKeyed }.map { [$0] }
        let keys = Dictionary(grouping: read.filter(\.isKeyed)) {
            [$0["usage"]!, $0["subject"]!, $0["session"]!]
        }
        for (key, facts) in keys {
            let gap = rules.gaps.gap(of: key[0])
            var current: [Fact] = []
            for fact in facts.sorted(by: { ($0.time, $0["id"]!) < ($1.time, $1["id"]!) }) {
                if let first = current.first, let last = current.last,
                    gap == 0 || fact.time - last.time > gap || fact.time >= first.time + day
                {
                    impressions.append(current)
                    current = []
                }
                current.append(fact)
            }
            impressions.append(current)
        }
        return impressions
    }

    // MARK: Inferences

    private var inferences: [Fact] {
        let known = Dictionary(
            uniqueKeysWithValues: (facts["evaluation"] ?? []).map { ($0["id"]!, $0) })
        return (facts["form_inference"] ?? []).filter { fact in
            guard covers(fact.time) else { return false }
            if rules.filters.isEmpty { return true }
            guard let evaluation = known[fact["evaluation"] ?? ""] else { return false }
            return passes(evaluation) && passesOutcome(evaluation.outcome)
        }
    }

    private var subjectNames: ([String]) -> [String] {
        let all = inferences.map { [$0["subject"] ?? ""] }
        return kept(all, counted: all)
    }

    private func inferenceRows() -> [[String]] {
        let name = subjectNames
        return grouped(inferences) {
            window($0.time) + name([$0["subject"] ?? ""]) + [$0["status"]!]
        }.map { $0.key + [String($0.facts.count)] }
    }

    private func valueRows() -> [[String]] {
        let name = subjectNames
        var counts: [[String]: Int] = [:]
        for fact in inferences {
            for (field, value) in fact.json["report"] as? [String: Any] ?? [:] {
                let text = (value as? String) ?? ((value as? Bool) == true ? "true" : "false")
                let key = window(fact.time) + name([fact["subject"] ?? ""]) + [field, text]
                counts[key, default: 0] += 1
            }
        }
        return counts.sorted { precedesByWindow($0.key, $1.key) }
            .map { $0.key + [String($0.value)] }
    }

    // MARK: Order

    private func precedesByWindow(_ left: [String], _ right: [String]) -> Bool {
        left[0] != right[0]
            ? Int64(left[0])! < Int64(right[0])!
            : precedes(Array(left.dropFirst(2)), Array(right.dropFirst(2)))
    }

    private func precedes(_ left: [String], _ right: [String]) -> Bool {
        for (a, b) in zip(left, right) where a != b {
            return a.utf8.lexicographicallyPrecedes(b.utf8)
        }
        return left.count < right.count
    }
}
