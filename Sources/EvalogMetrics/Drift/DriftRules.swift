// Which two sides a drift is between, and when it counts.

/// Two values of one column, held against each other.
package struct DriftRules: Hashable, Sendable {
    /// The columns whose values can be compared.
    package static let dimensions: [Dimension] = [.os, .model, .app]

    package var by: Dimension
    /// What was good enough.
    package var baseline: String
    /// What is in question.
    package var candidate: String
    /// How often a false alarm is put up with, over all comparisons together; millionths.
    package var level: Int64

    /// The usual level.
    package static let level: Int64 = 50_000

    package init(
        by: Dimension, baseline: String, candidate: String, level: Int64 = Self.level
    ) {
        self.by = by
        self.baseline = baseline
        self.candidate = candidate
        self.level = level
    }

    func validate() throws(MetricsError) {
        guard Self.dimensions.contains(by) else { throw .driftDimension(by) }
        guard baseline != candidate else { throw .driftOfOneSide }
        guard 1..<1_000_000 ~= level else { throw .levelOutOfRange(level) }
    }
}
