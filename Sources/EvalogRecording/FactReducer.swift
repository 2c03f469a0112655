// From what somebody saw to what may be known: free text goes no further than these files.

package import EvalogFacts
package import EvalogText

/// Turns observations into facts; texts that fit no shape are replaced and counted.
///
/// Digests stand for texts that identify something and fit no shape. They need the log's key; a
/// reducer without it leaves such a text out, or draws an id, for a digest that could be guessed
/// or that changed with the key would be worse than none.
package struct FactReducer: Sendable {
    var shaper: Shaper
    private let key: HMACSHA256?
    /// Texts left out for want of a key.
    private var leftOutCount = 0
    /// Values of reports that no catalog lists, or that have no shape.
    var unlistedCount = 0
    /// Numbers of attempts that no fact can have.
    private var cutCount = 0

    /// - Parameter key: The log's 32 random bytes: who lacks them cannot guess a digested text.
    package init(key: [UInt8]?) {
        shaper = Shaper(key: key ?? [])
        self.key = key.map { HMACSHA256(key: $0) }
    }

    /// What could not stand as it was, over all facts made.
    package var replacedCount: Int {
        shaper.replacedCount + leftOutCount + unlistedCount + cutCount
    }

    package var hasKey: Bool { key != nil }

    /// Whether the fact of this observation holds a digest.
    package static func needsKey(for observation: ObservedEvaluation) -> Bool {
        let lacksSubject = observation.subject == nil && observation.session != nil
        return lacksSubject || observation.subject.map { !Shape.subject.fits($0) } ?? false
            || observation.session.map { parsed($0) == nil } ?? false
            || observation.id.map { UniqueID(text: $0) == nil } ?? false
    }

    /// The fact of a line that is one already, with digests where texts do not fit; nil for an
    /// unknown type.
    ///
    /// - Precondition: There is a key.
    package mutating func fact(of view: FactView) -> Fact? {
        precondition(hasKey, "digests need the log's key")
        return shaper.fact(view)
    }

    /// The fact of an observation that names no id or no time of its own.
    ///
    /// - Parameters:
    ///   - id: Taken where the observation has none.
    ///   - assumedTime: Taken where the observation has none; the fact then says so. µs since 1970.
    package mutating func fact(
        of observation: ObservedEvaluation, id: @autoclosure () -> UniqueID, assumedTime: Int64
    ) -> EvaluationFact {
        let attempts = min(max(Int64(observation.attempts), 0), FactLimits.attemptsMax)
        if attempts != observation.attempts { cutCount += 1 }
        var fact = EvaluationFact(
            id: observation.id.flatMap { identified($0) } ?? id(),
            time: observation.time ?? assumedTime, usage: shaper.usage(observation.usage),
            outcome: .completed, attempts: Int32(attempts))
        fact.isTimeAssumed = observation.time == nil
        fact.subject = observation.subject.flatMap { subject($0) }
        fact.session = observation.session.flatMap { session($0) }
        fact.model = observation.model.map { shaper.model($0) }
        fact.os = observation.os.map { shaper.os($0) }
        fact.device = observation.device.map { shaper.device($0) }
        fact.app = observation.app.map { shaper.app($0) }
        if observation.subject == nil, fact.session != nil, hasKey {
            // Without a subject, what was asked stands for what it was asked about.
            fact.subject = shaper.subject(
                usage: observation.usage,
                instructions: FenceNames.removed(from: observation.request.instructions ?? ""))
        }
        setEnding(of: &fact, from: observation.ending)
        switch observation.duration {
        case .absent: break
        case .invalid: fact.isDurationInvalid = true
        case .microseconds(let duration): fact.duration = duration
        }
        fact.isDecoded = observation.isDecoded
        return fact
    }

    /// A UUIDv8 for a record that has no id: the same for the same line of the same source.
    ///
    /// - Parameter occurrence: How often this very line came before in this input, so that two equal
    ///   lines stay two.
    /// - Precondition: There is a key.
    package func derivedID(
        source: String, line: UnsafeRawBufferPointer, occurrence: Int
    ) -> UniqueID {
        guard var code = key else { preconditionFailure("derived ids need the log's key") }
        code.update(Array("record".utf8))
        code.update([0xFF])
        code.update(Array(source.utf8))
        code.update([0xFF])
        code.update(Array(String(occurrence).utf8))
        code.update([0xFF])
        code.update(line)
        return .derived(fromDigest: code.finish())
    }

    private mutating func setEnding(
        of fact: inout EvaluationFact, from ending: ObservedEvaluation.Ending
    ) {
        switch ending {
        case .completed: fact.outcome = .completed
        case .cancelled: fact.outcome = .cancelled
        case .skipped(let reason, let detail):
            fact.outcome = .skipped
            fact.reason = SkipReason(said: reason)
            if fact.reason == .modelUnavailable {
                fact.detail =
                    detail.map { SkipDetail(words: $0) ?? .other } ?? SkipDetail(after: reason)
            }
        case .failed(let error, let known):
            fact.outcome = .failed
            // The words are never searched: only a text that is the name of a class counts as one.
            fact.error = ErrorClass(words: known ?? error) ?? .other
        }
    }
}

// MARK: Identities

extension FactReducer {
    /// The id itself where it is a UUID, else one that is the same for the same text; nil without
    /// the key that it would take.
    package mutating func identified(_ text: String) -> UniqueID? {
        if let id = UniqueID(text: text) { return id }
        guard var code = key else {
            leftOutCount += 1
            return nil
        }
        code.update(Array("id".utf8))
        code.update([0xFF])
        var text = text
        text.withUTF8 { code.update(UnsafeRawBufferPointer($0)) }
        return .derived(fromDigest: code.finish())
    }

    mutating func subject(_ text: String) -> String? {
        if hasKey || Shape.subject.fits(text) { return shaper.subject(text) }
        leftOutCount += 1
        return nil
    }

    mutating func session(_ text: String) -> SessionID? {
        if hasKey || Self.parsed(text) != nil { return shaper.session(text) }
        leftOutCount += 1
        return nil
    }

    static func parsed(_ session: String) -> SessionID? {
        var copy = session
        return copy.withUTF8 { SessionID(UnsafeRawBufferPointer($0)) }
    }
}

extension UniqueID {
    /// Reads a UUID of either case; nil for every other text.
    init?(text: String) {
        var copy = text
        let id = copy.withUTF8 { UniqueID(UnsafeRawBufferPointer($0)) }
        guard let id else { return nil }
        self = id
    }
}

extension ClosedList {
    /// The case that a text names; nil if the text is no name of the list.
    package init?(words text: String) {
        let named = Self.allCases.first { "\($0.name)" == text }
        guard let named else { return nil }
        self = named
    }
}

extension SkipReason {
    /// What the evaluator says when it skips, and what `reason` it is.
    private static let sentences: [String: Self] = [
        "AI disabled by privacy manager": .aiDisabled,
        "No model configured": .noModel,
        "No context to personalize on": .noContext,
        "Model unavailable": .modelUnavailable,
    ]

    /// Reads a name of the list or one of the evaluator's sentences, up to a colon; else `other`.
    init(said text: String) {
        // What is longer is none of these, and may be as long as a line.
        let head = String(text.prefix(64).prefix { $0 != ":" })
        self = Self.sentences[head] ?? Self.allCases.first { "\($0.name)" == head } ?? .other
    }
}

extension SkipDetail {
    /// Reads the detail of `model_unavailable: not_enabled`; nil where there is no colon.
    init?(after text: String) {
        guard let colon = text.firstIndex(of: ":") else { return nil }
        let words = text[text.index(after: colon)...].drop { $0 == " " }
        self = Self(words: String(words)) ?? .other
    }
}
