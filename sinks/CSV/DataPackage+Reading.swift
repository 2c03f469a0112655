// The rules of an export, read back from its datapackage.json.

import EvalogFacts
package import EvalogMetrics
import EvalogText

extension DataPackage {
    /// The rules that the tables of an export were computed by.
    ///
    /// - Parameter bytes: Of the file; unknown members are passed over.
    /// - Returns: Nil for a file that does not say what `evalog export` writes.
    package static func rules(in bytes: [UInt8]) -> MetricsRules? {
        bytes.withUnsafeBytes { text in
            var reader = RulesReader(text)
            return try? reader.read()
        }
    }
}

private struct RulesReader {
    private struct NotRules: Error {}

    private var scanner: JSONScanner
    private var rules = MetricsRules()
    private var seen: Set<String> = []

    init(_ text: UnsafeRawBufferPointer) {
        scanner = JSONScanner(text)
    }

    mutating func read() throws -> MetricsRules {
        try members { reader, key in
            guard key == "rules" else { return try reader.skip() }
            try reader.members { reader, key in
                reader.seen.insert(key)
                try reader.readRule(key)
            }
        }
        try scanner.end()
        guard seen.isSuperset(of: ["window", "timezone", "by", "gaps_us", "max_groups"]) else {
            throw NotRules()
        }
        try rules.validate()
        return rules
    }

    private mutating func readRule(_ key: String) throws {
        switch key {
        case "window": rules.window = try window(text())
        case "timezone": rules.timeZone = try text()
        case "by": rules.by = try texts().map { try demand(Dimension(rawValue: $0)) }
        case "gaps_us": try readGaps()
        case "max_groups": rules.groupCountMax = Int(try scanner.integer())
        case "since": rules.since = try time()
        case "until": rules.until = try time()
        case "filters": try readFilters()
        case "drift": try readDrift()
        default: try skip()
        }
    }

    private mutating func readGaps() throws {
        try members { reader, usage in
            let gap = try reader.scanner.integer()
            if usage == "*" {
                reader.rules.gaps.everyUsage = gap
            } else {
                reader.rules.gaps.byUsage[usage] = gap
            }
        }
    }

    private mutating func readFilters() throws {
        try members { reader, key in
            let names = Set(try reader.texts())
            switch key {
            case "usage": reader.rules.filters.usages = names
            case "model": reader.rules.filters.models = names
            case "os": reader.rules.filters.systems = names
            case "outcome":
                let outcomes = Outcome.allCases.filter { names.contains($0.name.description) }
                guard outcomes.count == names.count else { throw NotRules() }
                reader.rules.filters.outcomes = Set(outcomes)
            // A filter that this version does not know would let other facts pass.
            default: throw NotRules()
            }
        }
    }

    private mutating func readDrift() throws {
        var drift = DriftRules(by: .os, baseline: "", candidate: "")
        try members { reader, key in
            switch key {
            case "by": drift.by = try reader.demand(Dimension(rawValue: try reader.text()))
            case "baseline": drift.baseline = try reader.text()
            case "candidate": drift.candidate = try reader.text()
            case "level_ppm": drift.level = try reader.scanner.integer()
            default: try reader.skip()
            }
        }
        rules.drift = drift
    }

    private func window(_ text: String) throws -> WindowRule {
        switch text {
        case "day": return .day
        case "week": return .week
        case "month": return .month
        default:
            let seconds = try demand(text.hasSuffix("s") ? Int64(text.dropLast()) : nil)
            let (width, overflows) = seconds.multipliedReportingOverflow(
                by: Timestamp.microsecondsPerSecond)
            guard !overflows else { throw NotRules() }
            return .fixed(microseconds: width)
        }
    }

    private mutating func time() throws -> Int64 {
        let string = try scanner.string()
        return try demand(scanner.withValue(of: string, Timestamp.microseconds))
    }

    // MARK: JSON

    private mutating func members(_ member: (inout Self, String) throws -> Void) throws {
        try scanner.beginObject()
        while let key = try scanner.nextKey() { try member(&self, scanner.value(of: key)) }
    }

    private mutating func texts() throws -> [String] {
        var texts: [String] = []
        try scanner.beginArray()
        while try scanner.nextElement() { texts.append(try text()) }
        return texts
    }

    private mutating func text() throws -> String {
        let string = try scanner.string()
        return scanner.value(of: string)
    }

    private mutating func skip() throws { _ = try scanner.skipValue() }

    private func demand<Value>(_ value: Value?) throws -> Value {
        guard let value else { throw NotRules() }
        return value
    }
}
