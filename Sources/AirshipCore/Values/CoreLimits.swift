// Every limit of this module, in one place.

/// The numbers that bound memory, stacks and waiting.
package enum CoreLimits {
    /// Levels of nesting in JSON and in schemas. Decoding recurses on the caller's stack, which
    /// can be as small as half a megabyte.
    package static let jsonDepthMax = 64

    /// The longest budget; anything above, infinite or NaN is cut to it.
    package static let budgetMax: Duration = .seconds(86_400)

    /// Threads that may be inside models at once; further calls wait, within their budget.
    package static let callThreadMax = 64

    /// Seconds that a thread waits for its next call before it ends.
    package static let callThreadIdleSeconds = 5.0

    /// Members of a closed set that may be reported, and the bytes of each.
    package static let reportChoiceMax = 64
    package static let reportChoiceByteCountMax = 64

    /// How long a text field must be left alone before its text is sent to a model.
    package static let textInputIdleDelay: Duration = .seconds(2)
}
