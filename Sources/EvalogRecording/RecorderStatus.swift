// What became of everything that a recorder was given, in numbers.

/// Counters of one recorder, from when it was made. They say nothing of any text.
public struct RecorderStatus: Hashable, Sendable {
    /// Facts that the log took: evaluations, events, catalogs and gate changes.
    public internal(set) var recordedCount = 0
    /// Content lines that the log took, less those taken back when on-device AI was switched off.
    public internal(set) var contentCount = 0
    /// Content that was wanted and not kept because on-device AI was off, or went off before it was
    /// written.
    public internal(set) var withheldCount = 0
    /// Events that name an evaluation which this recorder has not seen, or not lately. They are
    /// recorded all the same.
    public internal(set) var orphanCount = 0
    /// Texts and values that had no shape in facts and were replaced, digested or left out.
    public internal(set) var replacedCount = 0
    /// Lines that the log did not take, by cause: those of a `log_gap` fact, and `closed` for what
    /// came after ``EvaluationRecorder/close()``.
    public internal(set) var refusedCounts: [String: Int] = [:]

    init() {}
}
