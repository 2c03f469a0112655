// Evaluation records of others (schemas/evaluation-record-v1.schema.json) → observations, and their
// content straight from where it stands.

import EvalogContent
package import EvalogFacts
import EvalogText

/// Reads evaluation records one after the other: any key order, unknown keys passed over.
package struct RecordReader {
    /// Keys of the last record that nobody knows, at every level.
    package private(set) var unknownKeyCount = 0

    private var fields = LineFields<RecordField>(
        byteCountMax: ContentLimits.lineByteCountMax, loneSurrogates: .replaced)
    private var request = RequestReader()
    private var answer: Answer?

    /// What content will say of how it ended, as it stands in the line; words between their quotes.
    private enum Answer {
        case output(UnsafeRawBufferPointer)
        case reason(UnsafeRawBufferPointer)
        case error(UnsafeRawBufferPointer)
    }

    package init() {}

    /// Reads one line. Schema, context and output are checked and left where they are: they are
    /// missing from the observation, and ``appendContent(of:to:)`` finds them.
    ///
    /// - Throws: ``RecordError``; says which field and where, never what stood there.
    package mutating func read(
        _ line: UnsafeRawBufferPointer
    ) throws(RecordError) -> ObservedEvaluation {
        try fields.read(line)
        unknownKeyCount = fields.unknownKeyCount
        guard !fields.present.contains(.type) else { throw fields.bad(.type) }
        guard let usage = try fields.string(.usage) else { throw missing(.usage) }
        guard fields.range(of: .outcome) != nil else { throw missing(.outcome) }
        let (outcome, ending) = try ending()
        var record = ObservedEvaluation(
            usage: usage, ending: ending,
            attempts: try fields.integer(.attempts, in: 0...FactLimits.attemptsMax).map(Int.init)
                ?? (outcome == .skipped ? 0 : 1))
        record.isDecoded = try fields.bool(.decoded) ?? true
        record.duration = try duration()
        record.id = try fields.string(.id)
        record.time = try fields.time(.time)
        record.session = try fields.string(.session)
        record.subject = try fields.string(.subject)
        record.model = try fields.string(.model)
        record.os = try fields.string(.os)
        record.device = try fields.string(.device)
        record.app = try fields.string(.app)
        request.forget()
        if let range = fields.range(of: .request) {
            record.request = try requested(in: UnsafeRawBufferPointer(rebasing: line[range]))
        }
        return record
    }

    /// Appends to an empty buffer the content line of the record that was read last, and whose line
    /// is still there.
    ///
    /// It is the one that ``ContentRetention`` makes of an observation that holds everything, made
    /// without a copy of what can be as long as the line.
    /// - Returns: false where it would be longer than a content line may be.
    package mutating func appendContent(
        of fact: EvaluationFact, to buffer: inout [UInt8]
    ) -> Bool {
        JSONWriter.append(to: &buffer, byteCountMax: ContentLimits.lineByteCountMax) { json in
            json.beginContent(
                id: fact.id, time: fact.time, session: fact.session, subject: fact.subject)
            request.write(to: &json, withContext: ContentRetention.keepsContext(of: fact))
            switch answer {
            case .output(let value):
                json.key(ContentField.output.name)
                json.raw(compacting: value)
            case .reason(let words):
                json.key(ContentField.reason.name)
                json.string(escaped: words)
            case .error(let words):
                json.key(ContentField.error.name)
                json.string(escaped: words)
            case nil: break
            }
            json.endObject()
        }
    }

    private func missing(_ field: RecordField) -> RecordError {
        RecordError(.missing(field), at: 0)
    }

    private mutating func requested(
        in text: UnsafeRawBufferPointer
    ) throws(RecordError) -> ObservedEvaluation.Request {
        do {
            return try request.read(text, &unknownKeyCount)
        } catch {
            throw fields.bad(.request)
        }
    }

    // MARK: How it ended

    /// Either a name with the rest beside it, or an object whose one key is the name and whose value
    /// is what belongs to it.
    private mutating func ending() throws(RecordError) -> (Outcome, ObservedEvaluation.Ending) {
        guard var scanner = try? fields.container(.outcome, .object) else {
            guard let outcome = try fields.name(.outcome, of: Outcome.self) else {
                throw fields.bad(.outcome)
            }
            return (outcome, try ending(outcome))
        }
        do {
            try scanner.beginObject()
            guard let key = try scanner.nextKey(),
                let outcome = scanner.withValue(of: key, { Outcome(name: $0) })
            else { throw fields.bad(.outcome) }
            let value = scanner.bytes(of: try scanner.skipValue())
            guard try scanner.nextKey() == nil else { throw fields.bad(.outcome) }
            return (outcome, try ending(outcome, value))
        } catch {
            throw fields.bad(.outcome)
        }
    }

    private mutating func ending(
        _ outcome: Outcome
    ) throws(RecordError) -> ObservedEvaluation.Ending {
        answer = nil
        switch outcome {
        case .completed:
            answer = fields.value(.output).map { .output($0) }
            return .completed(output: nil)
        case .skipped:
            answer = .reason(try fields.escapedText(.reason) ?? Self.unsaid)
            return .skipped(
                reason: try fields.string(.reason) ?? "other", detail: try fields.string(.detail))
        case .failed:
            answer = .error(try fields.escapedText(.error) ?? Self.nothing)
            return .failed(
                error: try fields.string(.error) ?? "", class: try fields.string(.errorClass))
        case .cancelled: return .cancelled
        }
    }

    /// The ending whose words stand in the outcome itself: `"words"` or `{"reason":"words"}`.
    private mutating func ending(
        _ outcome: Outcome, _ value: UnsafeRawBufferPointer
    ) throws -> ObservedEvaluation.Ending {
        answer = nil
        if outcome == .completed { answer = .output(value) }
        guard outcome == .skipped || outcome == .failed else {
            return outcome == .completed ? .completed(output: nil) : .cancelled
        }
        var scanner = JSONScanner(value, loneSurrogates: .replaced)
        var words: JSONString?
        if try scanner.valueKind() == .object {
            let wanted = outcome == .skipped ? "reason" : "error"
            try scanner.beginObject()
            while let key = try scanner.nextKey() {
                if scanner.value(of: key) == wanted {
                    words = try scanner.string()
                } else {
                    _ = try scanner.skipValue()
                }
            }
        } else {
            words = try scanner.string()
        }
        let text = words.map { scanner.value(of: $0) }
        let place = words.map { scanner.bytes(of: $0.range) }
        if outcome == .skipped {
            answer = .reason(place ?? Self.unsaid)
            return .skipped(reason: text ?? "other")
        }
        answer = .error(place ?? Self.nothing)
        return .failed(error: text ?? "")
    }

    /// The reason of a skipped evaluation that says none.
    private static var unsaid: UnsafeRawBufferPointer {
        let name = SkipReason.other.name
        return UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
    }

    private static var nothing: UnsafeRawBufferPointer { .init(start: nil, count: 0) }

    /// Seconds as a number. Words such as "NaN", for which JSON has no number, are invalid.
    private func duration() throws(RecordError) -> ObservedDuration {
        guard let range = fields.range(of: .duration) else { return .absent }
        let text = UnsafeRawBufferPointer(rebasing: fields.line[range])
        switch text[0] {
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            return Decimal.microseconds(secondsText: text).map { .microseconds($0) } ?? .invalid
        case UInt8(ascii: "\""): return .invalid
        default: throw fields.bad(.duration)
        }
    }
}
