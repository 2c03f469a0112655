// Which lines a person asked to see.

import EvalogFacts
import EvalogLog

/// Filters on the fields of one line. A fact of a kind that has not the field does not pass; several
/// values of a field are alternatives.
struct LineFilter {
    private enum Test {
        case among(Set<String>)
        case atLeast(Int64)
    }

    private let tests: [(field: FilterField, test: Test)]
    /// The earliest time that passes, in µs since 1970.
    let since: Int64?
    private let until: Int64?
    /// What a person asked for: each flag as `--name=value`, in a fixed order and form.
    let descriptions: [String]

    /// - Throws: ``CommandFailure`` for a value that no fact can have.
    init(_ arguments: Arguments, now: Int64) throws {
        (since, until) = try arguments.timeRange(now: now)
        var tests: [(field: FilterField, test: Test)] = []
        var descriptions: [String] = []
        for field in FilterField.all {
            let flag = field.flag
            let values = try arguments.all(flag).map(field.canonical)
            guard let value = values.last else { continue }
            descriptions += values.map { "--\(flag.name)=\($0)" }
            switch field.reading {
            case .texts: tests.append((field, .among(Set(values))))
            case .number: tests.append((field, .atLeast(Int64(value) ?? 0)))
            }
        }
        self.tests = tests
        self.descriptions =
            descriptions
            + [Flag.since, .until].flatMap { flag in
                arguments.all(flag).map { "--\(flag.name)=\($0)" }
            }
    }

    var passesAll: Bool { tests.isEmpty && since == nil && until == nil }

    /// Whether a block may hold a line that passes.
    func mayPass(_ header: BlockHeader) -> Bool {
        (since.map { header.greatestEventTime >= $0 } ?? true)
            && (until.map { header.leastEventTime < $0 } ?? true)
    }

    func passes(_ fact: Fact) -> Bool {
        if let since, fact.time < since { return false }
        if let until, fact.time >= until { return false }
        return tests.allSatisfy { field, test in
            switch (field.reading, test) {
            case (.texts(let texts), .among(let wanted)):
                texts(fact)?.contains(where: wanted.contains) ?? false
            case (.number(let number), .atLeast(let least)): (number(fact) ?? -1) >= least
            default: false
            }
        }
    }
}
