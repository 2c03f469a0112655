// Form inferences by window, subject and status, and the values that they reported.

import EvalogFacts

/// The distinct `form_inference` facts that the rules let pass, counted.
struct Inferences {
    private struct Key: Hashable {
        var window: TimeWindow
        var subject: Int
        /// A status, or a pair of field and value.
        var what: Int
    }

    private var subjects = Groups([:], countMax: 1)
    private var statusCounts: [Key: Int] = [:]
    private var valueCounts: [Key: Int] = [:]
    private var reports = ReportTable()

    /// - Parameter passes: Whether the filters let an inference pass, by row.
    init(
        _ collector: FactCollector, _ rules: MetricsRules, _ grid: WindowGrid,
        passes: (Int) -> Bool
    ) {
        var grid = grid
        let records = collector.records
        let rows = (0..<records.count).filter { row in
            records.bits[row].code.isInference && rules.covers(records.times[row]) && passes(row)
        }
        func subject(_ row: Int) -> UInt32 { records.payloads[Int(records.sessions[row])].subject }
        var totals: [UInt32: Int] = [:]
        for row in rows { totals[subject(row), default: 0] += 1 }
        let names = totals.keys.map { ($0, [Name(collector.names.bytes($0))]) }
        subjects = Groups(
            Dictionary(uniqueKeysWithValues: names.map { ($1, totals[$0] ?? 0) }),
            countMax: rules.groupCountMax)
        let numbers = Dictionary(
            uniqueKeysWithValues: names.map { ($0, subjects.number(of: $1)) })
        for row in rows {
            let payload = records.payloads[Int(records.sessions[row])]
            var key = Key(
                window: grid.window(of: records.times[row]),
                subject: numbers[payload.subject] ?? 0,
                what: records.bits[row].code == .inferenceSuccess ? 0 : 1)
            statusCounts[key, default: 0] += 1
            for pair in reports.pairs(of: payload.report, collector.names) {
                key.what = pair
                valueCounts[key, default: 0] += 1
            }
        }
    }

    /// Whether an event is an inference that names an evaluation which passes the filters.
    static func passes(
        _ row: Int, _ events: FactCollector, namedIn evaluations: FactCollector,
        _ plan: DimensionPlan
    ) -> Bool {
        guard events.records.bits[row].code.isInference else { return false }
        let payload = events.records.payloads[Int(events.records.sessions[row])]
        guard payload.namesEvaluation,
            let named = evaluations.index.evaluation(payload.evaluation)
        else { return false }
        return plan.passes[Int(evaluations.records.dimensions[named])]
            && plan.passes(evaluations.records.bits[named].code.outcome)
    }

    var rows: [InferenceRow] {
        statusCounts.map { key, count in
            InferenceRow(
                window: key.window, subject: subjects.names[key.subject][0],
                status: key.what == 0 ? .success : .failure, inferences: count)
        }.sorted {
            ($0.window.start, $0.subject, Name($0.status.name.description))
                < ($1.window.start, $1.subject, Name($1.status.name.description))
        }
    }

    var valueRows: [InferenceValueRow] {
        valueCounts.map { key, count in
            let (field, value) = reports.pairs[key.what]
            return InferenceValueRow(
                window: key.window, subject: subjects.names[key.subject][0], field: field,
                value: value, inferences: count)
        }.sorted {
            ($0.window.start, $0.subject, $0.field, $0.value)
                < ($1.window.start, $1.subject, $1.field, $1.value)
        }
    }
}

/// Reports, each walked once however many facts have it.
private struct ReportTable {
    private struct Pair: Hashable {
        var field: Name
        var value: Name
    }

    /// All pairs of field and value met.
    private(set) var pairs: [(field: Name, value: Name)] = []
    private var pairNumbers: [Pair: Int] = [:]
    private var known: [UInt32: [Int]] = [:]

    mutating func pairs(of report: UInt32, _ names: NamePool) -> [Int] {
        if let found = known[report] { return found }
        var numbers: [Int] = []
        FactView.forEachValue(ofReport: names.bytes(report)) { field, value in
            numbers.append(number(of: Pair(field: Name(field), value: Name(value.text))))
        }
        known[report] = numbers
        return numbers
    }

    private mutating func number(of pair: Pair) -> Int {
        if let known = pairNumbers[pair] { return known }
        pairs.append((pair.field, pair.value))
        pairNumbers[pair] = pairs.count - 1
        return pairs.count - 1
    }
}
