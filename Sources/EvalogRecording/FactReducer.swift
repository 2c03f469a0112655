// From what somebody saw to what may be known: free text goes no further than this file.

package import EvalogFacts
package import EvalogText

/// Turns observations into facts; texts that fit no shape are replaced and counted.
package struct FactReducer: Sendable {
    package private(set) var shaper: Shaper
    private let key: HMACSHA256

    /// - Parameter key: The log's 32 random bytes: who lacks them cannot guess a digested text.
    package init(key: [UInt8]) {
        shaper = Shaper(key: key)
        self.key = HMACSHA256(key: key)
    }

    /// The fact of a line that is one already, with digests where texts do not fit; nil for an
    /// unknown type.
    package mutating func fact(of view: FactView) -> Fact? { shaper.fact(view) }

    /// The fact of an observation that names no id or no time of its own.
    ///
    /// - Parameters:
    ///   - id: Taken where the observation has none.
    ///   - assumedTime: Taken where the observation has none; the fact then says so. µs since 1970.
    package mutating func fact(
        of observation: Observation, id: @autoclosure () -> UniqueID, assumedTime: Int64
    ) -> EvaluationFact {
        var fact = EvaluationFact(
            id: observation.id.map(identified) ?? id(), time: observation.time ?? assumedTime,
            usage: shaper.usage(observation.usage), outcome: .completed,
            attempts: observation.attempts)
        fact.isTimeAssumed = observation.time == nil
        fact.subject = observation.subject.map { shaper.subject($0) }
        fact.session = observation.session.map { shaper.session($0) }
        fact.model = observation.model.map { shaper.model($0) }
        fact.os = observation.os.map { shaper.os($0) }
        fact.device = observation.device.map { shaper.device($0) }
        fact.app = observation.app.map { shaper.app($0) }
        if fact.subject == nil, fact.session != nil {
            // Without a subject, what was asked stands for what it was asked about.
            fact.subject = shaper.subject(
                usage: observation.usage, instructions: observation.request.instructions ?? "")
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
    package func derivedID(source: String, line: UnsafeRawBufferPointer, occurrence: Int) -> UniqueID {
        var code = key
        code.update(Array("record".utf8))
        code.update([0xFF])
        code.update(Array(source.utf8))
        code.update([0xFF])
        code.update(Array(String(occurrence).utf8))
        code.update([0xFF])
        code.update(line)
        return .derived(fromDigest: code.finish())
    }

    /// The id itself where it is a UUID, else one that is the same for the same text.
    private func identified(_ text: String) -> UniqueID {
        var copy = text
        if let id = copy.withUTF8({ UniqueID(UnsafeRawBufferPointer($0)) }) { return id }
        var code = key
        code.update(Array("id".utf8))
        code.update([0xFF])
        code.update(Array(text.utf8))
        return .derived(fromDigest: code.finish())
    }

    private func setEnding(of fact: inout EvaluationFact, from ending: Observation.Ending) {
        switch ending {
        case .completed: fact.outcome = .completed
        case .cancelled: fact.outcome = .cancelled
        case .skipped(let reason, let detail):
            fact.outcome = .skipped
            fact.reason = SkipReason(said: reason)
            if fact.reason == .modelUnavailable {
                fact.detail = detail.flatMap(SkipDetail.init(words:)) ?? SkipDetail(after: reason)
            }
        case .failed(let error, let known):
            fact.outcome = .failed
            // The words are never searched: only a text that is the name of a class counts as one.
            fact.error = known ?? ErrorClass(words: error) ?? .other
        }
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
        let head = String(text.prefix { $0 != ":" })
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
