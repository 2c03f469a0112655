// Sessions of two sides → findings. The unit is the session, for evaluations of one are not independent.

import EvalogText
import Statistics

struct DriftComparison {
    /// The same log has the same p-values; each comparison draws from a generator of its own.
    private static let seed: UInt64 = 0x6472_6966_74

    private let tally: DriftTally
    private var level: Double { Double(tally.drift.level) / 1_000_000 }

    init(_ tally: DriftTally) {
        self.tally = tally
    }

    /// A finding before it is known which comparisons count.
    private struct Draft {
        var finding: DriftFinding
        var samples: TwoSamples
        var leastP: Double
        /// The direction of a change that is one: for the worse, for the better, or none.
        var changed: DriftFinding.Verdict
    }

    var drift: Drift {
        var drafts = tally.usages.sorted { $0.key < $1.key }.flatMap { comparisons(of: $0, $1) }
        // Which comparisons could tell anything does not depend on how they came out, so the correction
        // needs to count these alone.
        let testable = ManyTests.testable(drafts.map(\.leastP), level: level)
        // So many that the least p-value, corrected, lies well below the level.
        let wanted = 20 * Double(testable.count) / level
        let deals = max(
            MetricsLimits.driftDealCount, Int(min(wanted, Double(MetricsLimits.driftDealCountMax))))
        var values: [Double] = []
        for place in testable {
            var random = SplitMix64(seed: Self.seed &+ UInt64(place))
            values.append(drafts[place].samples.permutationP(dealCount: deals, using: &random))
        }
        for (number, adjusted) in ManyTests.holm(values).enumerated() {
            let place = testable[number]
            drafts[place].finding.p = values[number]
            drafts[place].finding.adjustedP = adjusted
            drafts[place].finding.verdict = adjusted <= level ? drafts[place].changed : .same
        }
        return Drift(
            rules: tally.drift, findings: drafts.map(\.finding),
            evaluations: (
                tally.evaluations[.baseline] ?? 0, tally.evaluations[.candidate] ?? 0
            ),
            values: tally.values.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
                .map { (name: $0.key, evaluations: $0.value) })
    }

    private func comparisons(of name: Name, _ usage: DriftUsage) -> [Draft] {
        var drafts = [
            rate(name, usage, .failureRate) { ($0.failed, $0.asked) },
            rate(name, usage, .skipRate) { ($0.skipped, $0.ended) },
            rate(name, usage, .retryRate) { ($0.retried, $0.attempted) },
            duration(name, usage, 50), duration(name, usage, 95),
        ]
        let fields = Set(usage.sessions.values.joined().flatMap(\.reports.keys))
        drafts += fields.sorted().map { mix(name, usage, $0) }
        return drafts.sorted {
            $0.finding.measure.columns.lexicographicallyPrecedes($1.finding.measure.columns)
        }
    }

    // MARK: Measures

    private func rate(
        _ name: Name, _ usage: DriftUsage, _ measure: DriftMeasure,
        _ counts: (DriftSession) -> (hits: Int, all: Int)
    ) -> Draft {
        let samples = samples(of: usage, categories: 2) { session, _ in
            let (hits, all) = counts(session)
            return [hits, all - hits]
        }
        func side(_ side: TwoSamples.Side) -> DriftSide {
            DriftSide(
                sessions: samples.clusterCount(side), count: samples.count(side),
                hits: samples.count(0, side))
        }
        return draft(
            name, usage, measure, samples, side(.baseline), side(.candidate),
            difference: samples.shareDifference(0), interval: samples.difference(0),
            effect: samples.cohensH(0))
    }

    /// Counts what lies above the percentile of both sides together: the median test, and the same of
    /// other percentiles.
    private func duration(_ name: Name, _ usage: DriftUsage, _ percent: Int) -> Draft {
        let values = usage.sessions.mapValues { $0.flatMap(\.durations).sorted() }
        let all = (values[.baseline] ?? []) + (values[.candidate] ?? [])
        let limit = all.isEmpty ? 0 : all.sorted()[Self.rank(percent, all.count) - 1]
        let samples = Self.above([.baseline: limit, .candidate: limit], usage)
        func side(_ side: TwoSamples.Side) -> DriftSide {
            let values = values[side] ?? []
            return DriftSide(
                sessions: samples.clusterCount(side), count: values.count,
                duration: values.isEmpty
                    ? nil : Double(values[Self.rank(percent, values.count) - 1]))
        }
        let (before, after) = (side(.baseline), side(.candidate))
        let difference = before.duration.flatMap { old in after.duration.map { $0 - old } }
        return draft(
            name, usage, .duration(percent), samples, before, after, difference: difference,
            interval: Self.interval(usage, values, percent), effect: samples.cohensH(0))
    }

    private func mix(_ name: Name, _ usage: DriftUsage, _ field: DriftField) -> Draft {
        var totals: [Name: Int] = [:]
        for session in usage.sessions.values.joined() {
            totals.merge(session.reports[field] ?? [:], uniquingKeysWith: +)
        }
        let ranked = totals.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map(\.key)
        let kept = ranked.prefix(MetricsLimits.driftValueCount).sorted()
        let places = Dictionary(uniqueKeysWithValues: zip(kept, kept.indices))
        let samples = samples(of: usage, categories: kept.count + 1) { session, _ in
            var counts = [Int](repeating: 0, count: kept.count + 1)
            for (value, count) in session.reports[field] ?? [:] {
                counts[places[value] ?? kept.count] += count
            }
            return counts
        }
        let changes = kept.indices.map { abs(samples.shareDifference($0) ?? 0) }
        let most = kept.indices.max { (changes[$0], $1) < (changes[$1], $0) } ?? 0
        func side(_ side: TwoSamples.Side) -> DriftSide {
            DriftSide(
                sessions: samples.clusterCount(side), count: samples.count(side),
                hits: samples.count(most, side))
        }
        return draft(
            name, usage, .mix(subject: field.subject, field: field.field), samples,
            side(.baseline), side(.candidate), value: kept[most],
            difference: samples.shareDifference(most), interval: samples.difference(most),
            effect: samples.cramersV)
    }

    private func draft(
        _ name: Name, _ usage: DriftUsage, _ measure: DriftMeasure, _ samples: TwoSamples,
        _ baseline: DriftSide, _ candidate: DriftSide, value: Name? = nil, difference: Double?,
        interval: Interval?, effect: Double?
    ) -> Draft {
        let isFew =
            min(baseline.sessions, candidate.sessions) < MetricsLimits.driftSessionCountMin
        // All alike on both sides: there is nothing to test, and enough of it shows that much.
        let isAlike = samples.isAlike && !isFew
        let changed: DriftFinding.Verdict =
            switch measure {
            case .mix: .changed
            // Which side has more above the common percentile decides, as it does for the test.
            case .duration: (samples.shareDifference(0) ?? 0) > 0 ? .worse : .better
            default: (difference ?? 0) > 0 ? .worse : .better
            }
        return Draft(
            finding: DriftFinding(
                usage: name, measure: measure, baseline: baseline, candidate: candidate,
                mixedSessions: usage.mixed, value: value, difference: difference,
                interval: interval, effect: effect, verdict: isAlike ? .same : .noData),
            samples: samples, leastP: isFew ? 1 : samples.leastP, changed: changed)
    }

    // MARK: Sessions

    private func samples(
        of usage: DriftUsage, categories: Int,
        _ counts: (DriftSession, TwoSamples.Side) -> [Int]
    ) -> TwoSamples {
        Self.samples(of: usage, categories: categories, counts)
    }

    private static func samples(
        of usage: DriftUsage, categories: Int,
        _ counts: (DriftSession, TwoSamples.Side) -> [Int]
    ) -> TwoSamples {
        var samples = TwoSamples(categories: categories)
        for side in TwoSamples.Side.allCases {
            for session in usage.sessions[side] ?? [] {
                samples.add(counts(session, side), to: side)
            }
        }
        return samples
    }

    /// Durations above a limit of each side, and the others.
    private static func above(
        _ limits: [TwoSamples.Side: UInt64], _ usage: DriftUsage
    ) -> TwoSamples {
        samples(of: usage, categories: 2) { session, side in
            let above = session.durations.count { $0 > limits[side] ?? 0 }
            return [above, session.durations.count - above]
        }
    }

    /// From 1, as in docs/metrics.md.
    private static func rank(_ percent: Int, _ count: Int) -> Int { (percent * count + 99) / 100 }

    /// The interval of the difference of two percentiles: both intervals squared and added, as Newcombe
    /// does with shares (Zou and Donner, "Construction of confidence limits about effect measures", 2008).
    private static func interval(
        _ usage: DriftUsage, _ values: [TwoSamples.Side: [UInt64]], _ percent: Int
    ) -> Interval? {
        var limits: [TwoSamples.Side: UInt64] = [:]
        for (side, values) in values where !values.isEmpty {
            limits[side] = values[rank(percent, values.count) - 1]
        }
        let samples = above(limits, usage)
        func ends(_ side: TwoSamples.Side) -> (low: Double, middle: Double, high: Double)? {
            guard let values = values[side], let middle = limits[side],
                let size = samples.share(0, side)?.size
            else { return nil }
            let ranks = OrderStatistics.ranks(
                of: Double(percent) / 100, count: values.count, size: size)
            guard let low = ranks.low, let high = ranks.high else { return nil }
            return (Double(values[low - 1]), Double(middle), Double(values[high - 1]))
        }
        guard let before = ends(.baseline), let after = ends(.candidate) else { return nil }
        func length(_ one: Double, _ other: Double) -> Double {
            (one * one + other * other).squareRoot()
        }
        let difference = after.middle - before.middle
        return Interval(
            low: difference - length(after.middle - after.low, before.high - before.middle),
            high: difference + length(after.high - after.middle, before.middle - before.low))
    }
}
