// Evaluation records of others (schemas/evaluation-record-v1.schema.json) → observations.

import EvalogContent
import EvalogFacts
import EvalogText

/// Reads evaluation records one after the other: any key order, unknown keys passed over.
package struct RecordReader {
    /// Keys of the last record that nobody knows, at every level.
    package private(set) var unknownKeyCount = 0

    private var fields = LineFields<RecordField>(
        byteCountMax: ContentLimits.lineByteCountMax, loneSurrogates: .replaced)
    private var request = RequestReader()

    package init() {}

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
        if let range = fields.range(of: .request) {
            record.request = try requested(in: UnsafeRawBufferPointer(rebasing: line[range]))
        }
        return record
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
            return (outcome, try Self.ending(outcome, value))
        } catch {
            throw fields.bad(.outcome)
        }
    }

    private func ending(_ outcome: Outcome) throws(RecordError) -> ObservedEvaluation.Ending {
        switch outcome {
        case .completed: return .completed(output: try fields.json(.output).map(Self.text(of:)))
        case .skipped:
            return .skipped(
                reason: try fields.string(.reason) ?? "other", detail: try fields.string(.detail))
        case .failed:
            return .failed(
                error: try fields.string(.error) ?? "", class: try fields.string(.errorClass))
        case .cancelled: return .cancelled
        }
    }

    /// The ending whose words stand in the outcome itself: `"words"` or `{"reason":"words"}`.
    private static func ending(
        _ outcome: Outcome, _ value: UnsafeRawBufferPointer
    ) throws -> ObservedEvaluation.Ending {
        guard outcome != .completed else { return .completed(output: text(of: try RawJSON(value))) }
        guard outcome != .cancelled else { return .cancelled }
        var scanner = JSONScanner(value, loneSurrogates: .replaced)
        var words: String?
        if try scanner.valueKind() == .object {
            let wanted = outcome == .skipped ? "reason" : "error"
            try scanner.beginObject()
            while let key = try scanner.nextKey() {
                if scanner.value(of: key) == wanted {
                    words = scanner.value(of: try scanner.string())
                } else {
                    _ = try scanner.skipValue()
                }
            }
        } else {
            words = scanner.value(of: try scanner.string())
        }
        return outcome == .skipped
            ? .skipped(reason: words ?? "other") : .failed(error: words ?? "")
    }

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

    private static func text(of json: RawJSON) -> String {
        String(decoding: json.bytes, as: UTF8.self)
    }
}

/// Reads what a record says was asked. Its errors do not leave this file: the record's has the place.
private struct RequestReader {
    private var fields = LineFields<RequestField>(
        byteCountMax: ContentLimits.lineByteCountMax, loneSurrogates: .replaced)
    private var inner = LineFields<RequestField>(
        byteCountMax: ContentLimits.lineByteCountMax, loneSurrogates: .replaced)

    mutating func read(
        _ text: UnsafeRawBufferPointer, _ unknownKeyCount: inout Int
    ) throws(LineError<RequestField>) -> ObservedEvaluation.Request {
        try fields.read(text)
        unknownKeyCount += fields.unknownKeyCount
        var request = ObservedEvaluation.Request()
        request.instructions = try fields.string(.instructions)
        request.schema = try fields.json(.schema).map { String(decoding: $0.bytes, as: UTF8.self) }
        guard let range = fields.range(of: .context) else { return request }
        try inner.read(UnsafeRawBufferPointer(rebasing: text[range]))
        unknownKeyCount += inner.unknownKeyCount
        guard var scanner = try inner.container(.items, .array) else { return request }
        do {
            try scanner.beginArray()
            while try scanner.nextElement() {
                let item = scanner.bytes(of: try scanner.skipValue())
                request.context.append(try self.item(item, &unknownKeyCount))
            }
        } catch {
            throw inner.bad(.items)
        }
        return request
    }

    private mutating func item(
        _ text: UnsafeRawBufferPointer, _ unknownKeyCount: inout Int
    ) throws(LineError<RequestField>) -> ObservedEvaluation.ContextItem {
        try fields.read(text)
        unknownKeyCount += fields.unknownKeyCount
        guard let content = try fields.string(.content) else { throw fields.bad(.content) }
        guard let range = fields.range(of: .priority) else {
            return ObservedEvaluation.ContextItem(content: content)
        }
        let digits = String(decoding: text[range], as: UTF8.self)
        guard let priority = Double(digits) else { throw fields.bad(.priority) }
        return ObservedEvaluation.ContextItem(content: content, priority: priority)
    }
}
