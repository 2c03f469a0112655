// What a user can choose about the tables. Everything else about them is fixed by docs/metrics.md.

package import EvalogFacts

/// A name that groups rows.
package enum Dimension: String, CaseIterable, Sendable {
    case usage, model, os, device, app
    /// What device and OS come to by the rules of `DeviceTiers`; no fact holds it.
    case tier
}

/// How time is cut into rows.
package enum WindowRule: Hashable, Sendable {
    /// Equal spans of so many microseconds, whole seconds, from 1970-01-01T00:00:00Z, whatever the
    /// time zone.
    case fixed(microseconds: Int64)
    case day
    /// From Monday to Monday.
    case week
    case month

    /// The default.
    package static let hour = Self.fixed(microseconds: 3_600_000_000)
}

/// The pause between two evaluations of one key after which a new impression starts.
///
/// Gaps are in microseconds; with a gap of 0 every evaluation is an impression of its own.
package struct Gaps: Hashable, Sendable {
    /// Set by `--gap 30m`: every usage that ``byUsage`` does not name.
    package var everyUsage: Int64?
    /// Set by `--gap usage=10m`.
    package var byUsage: [String: Int64]

    /// The usage whose decisions stand alone and whose impressions can be suppressed.
    package static let suppressionUsage = "in_app_message_suppression"
    /// Thirty minutes.
    package static let standard: Int64 = 1_800_000_000

    /// Without arguments the gaps of the design.
    package init(everyUsage: Int64? = nil, byUsage: [String: Int64] = [:]) {
        self.everyUsage = everyUsage
        self.byUsage = byUsage
    }

    /// The most specific gap that was set, else the default of the usage.
    package func gap(of usage: String) -> Int64 {
        byUsage[usage] ?? everyUsage ?? (usage == Self.suppressionUsage ? 0 : Self.standard)
    }
}

/// Which evaluations count; an empty set lets everything pass.
package struct FactFilters: Hashable, Sendable {
    /// Acts on the first evaluation of an impression, as models and systems do.
    package var usages: Set<String> = []
    /// Names of models.
    package var models: Set<String> = []
    /// Operating systems with their versions.
    package var systems: Set<String> = []
    /// Acts on the outcome of an evaluation, and on that of an impression.
    package var outcomes: Set<Outcome> = []

    package init() {}

    /// Whether everything passes.
    package var isEmpty: Bool {
        usages.isEmpty && models.isEmpty && systems.isEmpty && outcomes.isEmpty
    }
}

/// All that the tables depend on besides the facts.
package struct MetricsRules: Hashable, Sendable {
    /// How time is cut into rows.
    package var window = WindowRule.hour
    /// An identifier of the time zone database; only calendar windows look at it.
    package var timeZone = "UTC"
    /// The group columns, in the order in which they are written.
    package var by: [Dimension] = [.usage, .model, .os]
    /// When a new impression starts.
    package var gaps = Gaps()
    /// Rows start here (inclusive, µs); evaluations from 24 h before take part in the fold.
    package var since: Int64?
    /// Rows end here (exclusive, µs).
    package var until: Int64?
    /// Act after the fold.
    package var filters = FactFilters()
    /// Groups, and subjects of inferences, that keep their names; at least 1.
    package var groupCountMax = MetricsLimits.groupCount
    /// What is compared besides; nil where nothing is.
    package var drift: DriftRules?

    package init() {}

    /// Checks what the types leave open, before any fact is read.
    package func validate() throws(MetricsError) {
        if case .fixed(let width) = window,
            !(1...MetricsLimits.windowMax).contains(width) || width % 1_000_000 != 0
        {
            throw .windowOutOfRange(microseconds: width)
        }
        for gap in gaps.byUsage.values.sorted() + [gaps.everyUsage ?? 0] where gap < 0 {
            throw .negativeGap(microseconds: gap)
        }
        guard groupCountMax >= 1 else { throw .groupCountOutOfRange(groupCountMax) }
        for (index, dimension) in by.enumerated() where by[..<index].contains(dimension) {
            throw .repeatedDimension(dimension)
        }
        _ = try WindowGrid(window, timeZone: timeZone)
        try drift?.validate()
    }

    /// Whether a row may stand for something that happened at `time`.
    func covers(_ time: Int64) -> Bool {
        (since.map { time >= $0 } ?? true) && (until.map { time < $0 } ?? true)
    }

    /// Whether an evaluation at `time` takes part in the fold.
    func folds(_ time: Int64) -> Bool {
        guard until.map({ time < $0 }) ?? true else { return false }
        guard let since else { return true }
        let (start, isBeforeAll) = since.subtractingReportingOverflow(MetricsLimits.impressionSpan)
        return isBeforeAll || time >= start
    }
}
