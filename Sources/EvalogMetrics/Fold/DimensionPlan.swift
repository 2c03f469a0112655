// What the rules say about each combination of dimensions, looked up by its number in the hot
// loops.

import EvalogFacts

/// Filters and gaps, decided once for each combination instead of once for each evaluation.
struct DimensionPlan {
    /// Whether usage, model and OS pass the filters.
    let passes: [Bool]
    let gaps: [Int64]
    let isSuppression: [Bool]
    private let outcomePasses: [Bool]

    /// - Parameter withoutTests: Leaves out what test sets ask: it is no traffic.
    init(_ collector: FactCollector, _ rules: MetricsRules, withoutTests: Bool = false) {
        let names = collector.names
        func filter(_ texts: Set<String>) -> (UInt32) -> Bool {
            let wanted = Set(texts.map(Name.init))
            return { wanted.isEmpty || wanted.contains(Name(names.bytes($0))) }
        }
        let usage = filter(rules.filters.usages)
        let model = filter(rules.filters.models)
        let system = filter(rules.filters.systems)
        let combinations = (0..<collector.dimensions.count).map { collector.dimensions[$0] }
        let usages = combinations.map { Name(names.bytes($0.usage)).text }
        passes = zip(combinations, usages).map {
            usage($0.usage) && model($0.model) && system($0.os)
                && !(withoutTests && $1 == TestSetRow.usage)
        }
        gaps = usages.map { rules.gaps.gap(of: $0) }
        isSuppression = usages.map { $0 == Gaps.suppressionUsage }
        let outcomes = rules.filters.outcomes
        outcomePasses = Outcome.allCases.map { outcomes.isEmpty || outcomes.contains($0) }
    }

    @inline(__always)
    func passes(_ outcome: Outcome) -> Bool { outcomePasses[Int(outcome.rawValue)] }

    /// The group of each combination. One whose evaluations are all left out has any number.
    static func groupNumbers(
        _ collector: FactCollector, _ rules: MetricsRules, _ groups: Groups
    ) -> [Int] {
        (0..<collector.dimensions.count).map {
            groups.number(of: names(collector, rules, $0))
        }
    }

    /// The names of a combination in the columns of the rules.
    static func names(
        _ collector: FactCollector, _ rules: MetricsRules, _ number: Int
    ) -> [Name] {
        rules.by.map { collector.dimensions.name($0, of: number) }
    }
}
