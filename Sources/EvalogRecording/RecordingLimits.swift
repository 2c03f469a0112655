// Every size and time that bounds recording, in one place.

/// The limits of a recorder.
package enum RecordingLimits {
    /// Days that content may be kept; facts outlive it.
    package static let contentDays = 1...400
    /// Days that content is kept where nobody said otherwise.
    package static let contentDaysDefault = 7
    /// Evaluations that a recorder remembers, to tell an event that names none of them.
    package static let rememberedEvaluationCount = 8_192
    /// Form fields whose catalog a recorder remembers.
    package static let rememberedCatalogCount = 256
    /// How the gate stands is written before an event that comes so long after the last time that it
    /// was, in microseconds.
    package static let gateAge: Int64 = 3_600_000_000
    /// The log is maintained at least so often, in microseconds, while something is recorded.
    package static let upkeepAge: Int64 = 86_400_000_000
    /// The first wait after the log or its key could not be opened, in microseconds; it doubles
    /// with each failure in a row.
    package static let retryDelay: Int64 = 1_000_000
    package static let retryDelayMax: Int64 = 32_000_000
}
