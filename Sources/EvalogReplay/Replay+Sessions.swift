// What is computed from whole sessions, which takes a reading of its own.

package import EvalogLog
package import EvalogMetrics

extension Replay {
    /// Where there was no model, and what the reader knows of the log.
    ///
    /// - Throws: As ``tables(_:partCount:)``.
    package func coverage(
        _ rules: MetricsRules, partCount: Int? = nil
    ) throws -> (coverage: Coverage, report: ReadReport) {
        let (run, reader) = try reading(rules, partCount)
        let coverage = try run.coverage { sinks in try reader.read(into: sinks) }
        return (coverage, reader.first)
    }

    /// What differs between the two sides of a drift, and what the reader knows of the log.
    ///
    /// - Throws: As ``tables(_:partCount:)``.
    package func drift(
        _ drift: DriftRules, _ rules: MetricsRules, partCount: Int? = nil
    ) throws -> (drift: Drift, report: ReadReport) {
        let (run, reader) = try reading(rules, partCount)
        let found = try run.drift(drift) { sinks in try reader.read(into: sinks) }
        return (found, reader.first)
    }
}
