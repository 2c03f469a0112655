// Which lines a person asked to see.

import EvalogFacts
import EvalogMetrics

/// Filters on the fields of one line. Events have no usage, model, os or outcome: a filter on these
/// leaves evaluations only.
struct LineFilter {
    private let filters: FactFilters
    private let since: Int64?
    private let until: Int64?
    /// What a person asked for: each flag as `--name=value`, in a fixed order.
    let descriptions: [String]

    init(_ arguments: Arguments, now: Int64) throws {
        filters = try arguments.filters()
        since = try arguments.time(.since, now: now)
        until = try arguments.time(.until, now: now)
        descriptions = Flag.filters.flatMap { flag in
            arguments.all(flag).map { "--\(flag.name)=\($0)" }
        }
    }

    var passesAll: Bool { filters.isEmpty && since == nil && until == nil }

    func passes(_ fact: Fact) -> Bool {
        if let since, fact.time < since { return false }
        if let until, fact.time >= until { return false }
        guard !filters.isEmpty else { return true }
        guard case .evaluation(let evaluation) = fact else { return false }
        return passes(filters.usages, evaluation.usage) && passes(filters.models, evaluation.model)
            && passes(filters.systems, evaluation.os)
            && (filters.outcomes.isEmpty || filters.outcomes.contains(evaluation.outcome))
    }

    private func passes(_ allowed: Set<String>, _ value: String?) -> Bool {
        allowed.isEmpty || allowed.contains(value ?? "")
    }
}
