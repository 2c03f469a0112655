// Every limit of this module, in one place.

/// The numbers that bound memory, waiting and asking again.
package enum ChatLimits {
    /// The longest answer that is read. An answer to a small structured question has a few
    /// kilobytes; what is longer is no such answer.
    package static let responseByteMax = 1 << 20

    /// The longest wait for one answer, whatever budget a model is given.
    package static let budgetMax: Duration = .seconds(86_400)

    /// How much later than its budget a question is ended from this side. The evaluator's deadline
    /// comes first then; were both one, a question might end early and count as several attempts.
    package static let timeoutGrace: Duration = .seconds(1)

    /// How long a server's `Retry-After` is heeded; a longer one is cut, so that a server's mistake
    /// does not switch a model off for good.
    package static let pauseMax: Duration = .seconds(3_600)

    /// Pauses within one question: a server that always answers "again, at once" is not asked
    /// for ever.
    package static let pauseCountMax = 4

    /// How many times slower than recorded a recording may be played.
    package static let latencyScaleMax = 1_000.0

    /// The start of a server's error message that is looked at.
    package static let errorMessageCharacterMax = 4_096
}
