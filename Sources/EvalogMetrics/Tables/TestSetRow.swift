// Runs of test sets: a row for each run, task and what it ran on.

package import EvalogFacts
import EvalogText

/// A result of a test set with the evaluation that it judges.
package struct TestedEvaluation: Sendable {
    package var result: TestResultFact
    /// Nil where the log does not have it, or not any more.
    package var evaluation: EvaluationFact?

    package init(_ result: TestResultFact, _ evaluation: EvaluationFact?) {
        self.result = result
        self.evaluation = evaluation
    }
}

/// What came of a case in one run, however often it was asked.
package struct TestedCase: Sendable {
    package var id: String
    package private(set) var passed = 0
    package private(set) var failed = 0
    package private(set) var errors = 0
    /// Of answers, right or wrong, in µs: how long a server that fails takes says nothing of the model.
    package private(set) var durations: [Int64] = []

    init(id: String) { self.id = id }

    /// It passed more often than not; an answer that did not come is as bad as a wrong one.
    package var passes: Bool { passed > failed + errors }
    /// It passed sometimes.
    package var isFlaky: Bool { passed > 0 && failed + errors > 0 }
    package var results: Int { passed + failed + errors }

    mutating func add(_ tested: TestedEvaluation) {
        switch tested.result.verdict {
        case .pass: passed += 1
        case .fail: failed += 1
        case .error: errors += 1
        }
        if tested.result.verdict != .error, let evaluation = tested.evaluation,
            evaluation.attempts > 0, evaluation.outcome != .cancelled,
            let duration = evaluation.duration
        {
            durations.append(duration)
        }
    }
}

/// The cases of one task in one run, on one model, system and device.
package struct TestSetRow: Sendable {
    /// The usage of all evaluations that test sets ask for.
    package static let usage = "testset"

    /// When the first evaluation of the whole run began, in µs since 1970.
    package var started: Int64
    package var suite: Name
    package var task: Name
    package var model: Name
    package var os: Name
    package var device: Name
    /// The session of the run's results.
    package var run: Name
    /// What tells versions of the suite apart; empty where it is not known.
    package var suiteDigest: Name
    /// By id.
    package var cases: [TestedCase]
    /// How many results failed so, in the order of ``TestFailure``.
    package var failures: [Int]

    package var passing: Int { cases.count(where: \.passes) }
    package var flaky: Int { cases.count(where: \.isFlaky) }
    package var passed: Int { cases.reduce(0) { $0 + $1.passed } }
    package var failed: Int { cases.reduce(0) { $0 + $1.failed } }
    package var errors: Int { cases.reduce(0) { $0 + $1.errors } }

    /// The share of cases that pass.
    package var passRate: PassRate? { PassRate(passing: passing, of: cases.count) }

    /// Response times in µs.
    package var durations: Histogram {
        var histogram = Histogram()
        for testedCase in cases {
            for duration in testedCase.durations { histogram.add(UInt64(duration)) }
        }
        return histogram
    }
}

/// A share of passing cases in millionths, rounded as rates of failures are.
package struct PassRate: Hashable, Sendable {
    package var rate: Int
    /// Ends of the 95 % Wilson interval.
    package var low: Int
    package var high: Int

    /// Nil without a case.
    init?(passing: Int, of total: Int) {
        guard let same = FailureRate(failed: passing, completed: total - passing) else {
            return nil
        }
        (rate, low, high) = (same.rate, same.low, same.high)
    }
}

extension TestSetRow {
    /// What tells rows apart.
    private struct Key: Hashable {
        var run: SessionID?
        var suite, task: String
        var suiteDigest: String?
        var place: Place
    }

    /// What a run was on.
    private struct Place: Hashable {
        var model, os, device: String?

        init(_ evaluation: EvaluationFact) {
            (model, os, device) = (evaluation.model, evaluation.os, evaluation.device)
        }

        init() {}
    }

    /// Where each run was, if all of its evaluations that the log has were at one place: the others, which
    /// were pruned or lost, were there as well.
    private static func places(_ tested: [TestedEvaluation]) -> [SessionID?: Place] {
        var places: [SessionID?: Set<Place>] = [:]
        for one in tested {
            if let evaluation = one.evaluation {
                places[one.result.session, default: []].insert(Place(evaluation))
            }
        }
        return places.compactMapValues { $0.count == 1 ? $0.first : nil }
    }

    /// The rows of distinct results, by their start and then by names as bytes.
    ///
    /// A run is in the range of the rules if its start is; filters act on the evaluations.
    package static func rows(_ tested: [TestedEvaluation], _ rules: MetricsRules) -> [Self] {
        var starts: [SessionID?: Int64] = [:]
        for one in tested {
            let time = one.evaluation?.time ?? one.result.time
            starts[one.result.session] = min(starts[one.result.session] ?? time, time)
        }
        let places = places(tested)
        var groups: [Key: [TestedEvaluation]] = [:]
        for one in tested {
            guard let start = starts[one.result.session], rules.covers(start) else { continue }
            let place = one.evaluation.map(Place.init) ?? places[one.result.session]
            guard passes(rules.filters, one.evaluation, place) else { continue }
            let key = Key(
                run: one.result.session, suite: one.result.suite, task: one.result.task,
                suiteDigest: one.result.suiteDigest, place: place ?? Place())
            groups[key, default: []].append(one)
        }
        return groups.map { key, group in
            Self(key, group, started: starts[key.run] ?? 0)
        }.sorted { ($0.started, $0.names) < ($1.started, $1.names) }
    }

    private init(_ key: Key, _ group: [TestedEvaluation], started: Int64) {
        var cases: [String: TestedCase] = [:]
        var failures = [Int](repeating: 0, count: TestFailure.allCases.count)
        for one in group {
            let id = one.result.testCase
            cases[id, default: TestedCase(id: id)].add(one)
            if one.result.verdict == .fail {
                failures[Int((one.result.failure ?? .other).rawValue)] += 1
            }
        }
        self.started = started
        suite = Name(key.suite)
        task = Name(key.task)
        model = Name(key.place.model ?? "")
        os = Name(key.place.os ?? "")
        device = Name(key.place.device ?? "")
        suiteDigest = Name(key.suiteDigest ?? "")
        run = Name(key.run?.text ?? "")
        self.cases = cases.values.sorted { Name($0.id) < Name($1.id) }
        self.failures = failures
    }

    private var names: NameList {
        NameList(names: [suite, task, model, os, device, run, suiteDigest])
    }

    /// Whether the filters let a result pass. Of one whose evaluation the log does not have the outcome is
    /// not known, which passes no filter of outcomes.
    private static func passes(
        _ filters: FactFilters, _ evaluation: EvaluationFact?, _ place: Place?
    ) -> Bool {
        if filters.isEmpty { return true }
        guard let place else { return false }
        func fits(_ names: Set<String>, _ name: String?) -> Bool {
            names.isEmpty || names.contains(name ?? "")
        }
        return fits(filters.usages, evaluation?.usage ?? TestResultFact.usage)
            && fits(filters.models, place.model) && fits(filters.systems, place.os)
            && (filters.outcomes.isEmpty
                || evaluation.map { filters.outcomes.contains($0.outcome) } ?? false)
    }
}

/// Names in order, compared one after the other.
private struct NameList: Comparable {
    let names: [Name]

    static func < (left: Self, right: Self) -> Bool {
        left.names.lexicographicallyPrecedes(right.names)
    }
}
