// Every limit of this module, in one place.

package import Dispatch

/// The numbers that bound memory, stacks and waiting.
package enum CoreLimits {
    /// Levels of nesting in JSON and in schemas. Decoding recurses on the caller's stack, which
    /// can be as small as half a megabyte.
    package static let jsonDepthMax = 64

    /// The longest budget; anything above, infinite or NaN is cut to it.
    package static let budgetMax: Duration = .seconds(86_400)

    /// Calls of a model for one evaluation: as many as a fact can tell of.
    package static let attemptMax = 1_000_000

    /// Values in an answer, and bytes of all its texts and names together: ten times what any
    /// question here can need, and little enough to be checked and kept in no time.
    package static let answerValueMax = 100_000
    package static let answerByteMax = 1 << 20

    /// UTF-8 bytes that count as one token where no tokenizer is at hand.
    package static let bytesPerToken = 4

    /// How long a context provider is waited for; the evaluation goes on without context then.
    package static let providerBudget: Duration = .seconds(10)

    /// How much longer an observer is waited for once it is replaced.
    package static let observerBudget: Duration = .seconds(10)

    /// Threads that may be inside one model, or one provider, at once; further calls wait, within
    /// their budget.
    package static let callThreadMax = 16

    /// Models of a process that have threads of their own; further ones share. Each registered
    /// provider has its own.
    package static let callLaneMax = 16

    /// Seconds that a thread waits for its next call before it ends.
    package static let callThreadIdleSeconds = 5.0

    /// How long a thread waits until what was reported before has been received.
    package static let drainLimit = DispatchTimeInterval.seconds(5)

    /// How long a process waits for another one that changes the stored choice of features.
    package static let storageLockLimit: Duration = .seconds(1)

    /// Members of a closed set that may be reported, and the bytes of each.
    package static let reportChoiceMax = 64
    package static let reportChoiceByteCountMax = 64

    /// How long a text field must be left alone before its text is sent to a model.
    package static let textInputIdleDelay: Duration = .seconds(2)
}
