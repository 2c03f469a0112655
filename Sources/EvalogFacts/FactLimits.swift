// How much a fact may hold, in one place.

/// Limits of what a fact may hold.
package enum FactLimits {
    /// Longer lines are unreadable; the longest that we write has some 800,000 bytes.
    package static let lineByteCountMax = 1 << 20
    package static let attemptsMax: Int64 = 1_000_000
    package static let usageByteCountMax = 64
    package static let modelByteCountMax = 64
    package static let subjectByteCountMax = 128
    package static let osByteCountMax = 32
    package static let deviceByteCountMax = 32
    package static let appByteCountMax = 32
    /// Of suites and cases of test sets.
    package static let testNameByteCountMax = 63
    /// As text. 64 bits: enough to tell versions of one file apart.
    package static let suiteDigestByteCount = 16
    /// How often a run may ask about each case.
    package static let repetitionMax: Int64 = 1_000
    /// Fields of one report.
    package static let reportFieldCountMax = 32
    package static let reportValueByteCountMax = 64
    /// Combinations of names that a decoder remembers, about 200 bytes each; lines with others take
    /// longer to read.
    static let combinationCountMax = 1 << 16
    /// Values that the catalog lists for one field.
    package static let catalogValueCountMax = 64
}
