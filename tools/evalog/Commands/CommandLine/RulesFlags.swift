// The flags that shape the tables → the rules that Metrics works by.

import EvalogFacts
import EvalogMetrics
import EvalogReplay

extension Arguments {
    /// - Throws: ``CommandFailure`` naming the flag, what it takes, and an example.
    func metricsRules(now: Int64) throws -> MetricsRules {
        var rules = MetricsRules()
        if let text = last(.window) { rules.window = try windowRule(text) }
        if let zone = last(.timezone) { rules.timeZone = zone }
        if let fields = last(.by) { rules.by = try dimensions(fields) }
        for text in all(.gap) { try addGap(text, to: &rules.gaps) }
        (rules.since, rules.until) = try timeRange(now: now)
        rules.filters = try filters()
        rules.groupCountMax = try wholeNumber(.maxGroups, in: 1...1_000_000) ?? rules.groupCountMax
        do {
            try rules.validate()
        } catch {
            throw ErrorText.of(error)
        }
        return rules
    }

    func filters() throws -> FactFilters {
        var filters = FactFilters()
        filters.usages = Set(all(.usage))
        filters.models = Set(all(.model))
        filters.systems = Set(all(.os))
        for name in all(.outcome) {
            guard let outcome = Outcome.allCases.first(where: { "\($0.name)" == name }) else {
                throw CommandFailure(
                    "--outcome takes completed, skipped, failed or cancelled",
                    hint: "--outcome failed")
            }
            filters.outcomes.insert(outcome)
        }
        return filters
    }

    /// What `--since` and `--until` say, in µs since 1970.
    func timeRange(now: Int64) throws -> (since: Int64?, until: Int64?) {
        let (since, until) = (try time(.since, now: now), try time(.until, now: now))
        if let since, let until, since >= until {
            throw CommandFailure("--since is not before --until", hint: "swap them")
        }
        return (since, until)
    }

    func time(_ flag: Flag, now: Int64) throws -> Int64? {
        guard let text = last(flag) else { return nil }
        guard let time = Figures.parseTime(text, now: now) else {
            throw CommandFailure(
                "--\(flag.name) takes a length ago, a date or an RFC 3339 time",
                hint:
                    "--\(flag.name) 15m, --\(flag.name) 2026-11-29 or --\(flag.name) 2026-11-29T10:00:00Z"
            )
        }
        return time
    }

    func wholeNumber(_ flag: Flag, in range: ClosedRange<Int>) throws -> Int? {
        guard let text = last(flag) else { return nil }
        guard let value = Int(text), range.contains(value) else {
            throw CommandFailure(
                "--\(flag.name) takes a whole number from \(range.lowerBound) to \(range.upperBound)",
                hint: "--\(flag.name) \(range.lowerBound)")
        }
        return value
    }

    /// How many threads read: as asked, else one per core, at most 64.
    func threadCount() throws -> Int {
        try wholeNumber(.threads, in: 1...64) ?? min(64, Processors.count)
    }

    /// Bytes that replay may take.
    func memoryByteCount() throws -> Int64 {
        guard let text = last(.memory) else { return ReplayDefaults.memoryByteCount }
        guard let bytes = Figures.parseBytes(text), bytes >= ReplayDefaults.memoryByteCountMin
        else {
            throw CommandFailure("--memory takes a size of 64MiB or more", hint: "--memory 512MB")
        }
        return bytes
    }

    private func windowRule(_ text: String) throws -> WindowRule {
        switch text {
        case "day": return .day
        case "week": return .week
        case "month": return .month
        default:
            guard let width = Figures.parseDuration(text), width > 0 else {
                throw CommandFailure(
                    "--window takes a length, or day, week or month", hint: "--window 15m")
            }
            return .fixed(microseconds: width)
        }
    }

    private func dimensions(_ text: String) throws -> [Dimension] {
        if text == "none" { return [] }
        return try text.split(separator: ",", omittingEmptySubsequences: false).map { word in
            guard let dimension = Dimension(rawValue: String(word)) else {
                let names = Dimension.allCases.map(\.rawValue)
                let near = Nearest.name(to: String(word), among: names)
                throw CommandFailure(
                    "--by does not know \"\(word)\"",
                    hint: near.map { "did you mean \($0)?" }
                        ?? "it knows \(names.joined(separator: ", "))")
            }
            return dimension
        }
    }

    private func addGap(_ text: String, to gaps: inout Gaps) throws {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard let length = parts.last.flatMap({ Figures.parseDuration(String($0)) }),
            parts.count == 1 || !parts[0].isEmpty
        else {
            throw CommandFailure(
                "--gap takes a length, for all usages or for one",
                hint: "--gap 30m or --gap embedded_selection=10m")
        }
        if parts.count == 2 {
            gaps.byUsage[String(parts[0])] = length
        } else {
            gaps.everyUsage = length
        }
    }
}
