// Evaluation records of others (schemas/evaluation-record-v1.schema.json) → observations.

import EvalogFacts
import EvalogText

/// Reads one evaluation record: any key order, unknown keys passed over and counted.
package struct RecordReader {
    /// Keys that no version of this reader knows, over all records read.
    package private(set) var unknownKeyCount = 0

    private var scanner: JSONScanner
    private var seen: Set<RecordError.Field> = []
    private var outcome: OutcomeName?
    private var output: String?
    private var reason: String?
    private var detail: String?
    private var error: String?
    private var errorClass: String?
    private var attempts: Int?
    private var observation = ObservedEvaluation(usage: "", ending: .cancelled, attempts: 0)

    private enum OutcomeName: String { case completed, skipped, failed, cancelled }

    /// - Throws: ``RecordError``; says which field, never what stood there.
    package static func read(
        _ line: UnsafeRawBufferPointer
    ) throws(RecordError) -> (observation: ObservedEvaluation, unknownKeyCount: Int) {
        var reader = RecordReader(scanner: JSONScanner(line, loneSurrogates: .replaced))
        do {
            try reader.readRecord()
            try reader.scanner.end()
        } catch let error as TextError {
            throw .notJSON(error)
        } catch let error as RecordError {
            throw error
        } catch {
            preconditionFailure("the scanner throws TextError, the reader RecordError")
        }
        return (try reader.assembled(), reader.unknownKeyCount)
    }

    private init(scanner: JSONScanner) {
        self.scanner = scanner
    }

    private mutating func readRecord() throws {
        try eachMember { reader, field in try reader.readMember(field) }
    }

    private mutating func readMember(_ field: RecordError.Field) throws {
        switch field {
        case .usage: observation.usage = try required(field)
        case .request: try readRequest()
        case .outcome: try readOutcome()
        case .output: output = try json()
        case .reason: reason = try text(field)
        case .detail: detail = try text(field)
        case .error: error = try text(field)
        case .errorClass: errorClass = try text(field)
        case .duration: observation.duration = try duration()
        case .attempts: attempts = try count(field)
        case .decoded: observation.isDecoded = try flag(field) ?? true
        case .id: observation.id = try text(field)
        case .time: observation.time = try time(field)
        case .session: observation.session = try text(field)
        case .subject: observation.subject = try text(field)
        case .model: observation.model = try text(field)
        case .os: observation.os = try text(field)
        case .device: observation.device = try text(field)
        case .app: observation.app = try text(field)
        case .instructions, .schema, .context, .items, .content, .priority:
            unknownKeyCount += 1
            _ = try scanner.skipValue()
        }
    }

    private func assembled() throws(RecordError) -> ObservedEvaluation {
        guard seen.contains(.usage) else { throw .missing(.usage) }
        guard let outcome else { throw .missing(.outcome) }
        var result = observation
        switch outcome {
        case .completed: result.ending = .completed(output: output)
        case .skipped: result.ending = .skipped(reason: reason ?? "other", detail: detail)
        case .failed: result.ending = .failed(error: error ?? "", class: errorClass)
        case .cancelled: result.ending = .cancelled
        }
        result.attempts = attempts ?? (outcome == .skipped ? 0 : 1)
        return result
    }

    // MARK: Nested members

    private mutating func readRequest() throws {
        try eachMember { reader, field in
            switch field {
            case .instructions: reader.observation.request.instructions = try reader.text(field)
            case .schema: reader.observation.request.schema = try reader.json()
            case .context: try reader.readContext()
            default:
                reader.unknownKeyCount += 1
                _ = try reader.scanner.skipValue()
            }
        }
    }

    private mutating func readContext() throws {
        try eachMember { reader, field in
            guard field == .items else {
                reader.unknownKeyCount += 1
                _ = try reader.scanner.skipValue()
                return
            }
            guard try reader.scanner.valueKind() == .array else {
                throw RecordError.badValue(.items)
            }
            try reader.scanner.beginArray()
            while try reader.scanner.nextElement() { try reader.readItem() }
        }
    }

    private mutating func readItem() throws {
        var item = ObservedEvaluation.ContextItem(content: "")
        try eachMember { reader, field in
            switch field {
            case .content: item.content = try reader.required(field)
            case .priority: item.priority = try reader.number(field)
            default:
                reader.unknownKeyCount += 1
                _ = try reader.scanner.skipValue()
            }
        }
        observation.request.context.append(item)
    }

    /// Either a name, or an object whose one key is the name and whose value is what belongs to it.
    private mutating func readOutcome() throws {
        if try scanner.valueKind() == .string {
            outcome = try OutcomeName(rawValue: required(.outcome))
            guard outcome != nil else { throw RecordError.badValue(.outcome) }
            return
        }
        guard try scanner.valueKind() == .object else { throw RecordError.badValue(.outcome) }
        try scanner.beginObject()
        while let key = try scanner.nextKey() {
            guard outcome == nil, let name = OutcomeName(rawValue: scanner.value(of: key)) else {
                throw RecordError.badValue(.outcome)
            }
            outcome = name
            switch name {
            case .completed: output = try json()
            case .skipped: reason = try textOrMember(.reason)
            case .failed: error = try textOrMember(.error)
            case .cancelled: _ = try scanner.skipValue()
            }
        }
        guard outcome != nil else { throw RecordError.badValue(.outcome) }
    }

    /// `"words"` or `{"reason":"words"}`.
    private mutating func textOrMember(_ wanted: RecordError.Field) throws -> String? {
        guard try scanner.valueKind() == .object else { return try text(wanted) }
        var found: String?
        try eachMember { reader, field in
            if field == wanted {
                found = try reader.text(field)
            } else {
                reader.unknownKeyCount += 1
                _ = try reader.scanner.skipValue()
            }
        }
        return found
    }

    /// Hands every known key of the object that comes next to `body`, which takes its value.
    private mutating func eachMember(
        _ body: (inout Self, RecordError.Field) throws -> Void
    ) throws {
        let outer = seen
        seen = []
        try scanner.beginObject()
        while let key = try scanner.nextKey() {
            guard let field = RecordError.Field(rawValue: scanner.value(of: key)) else {
                unknownKeyCount += 1
                _ = try scanner.skipValue()
                continue
            }
            guard seen.insert(field).inserted else { throw RecordError.duplicateKey(field) }
            try body(&self, field)
        }
        if scanner.depth > 0 { seen = outer }
    }

    // MARK: Values. A null is an absent value.

    private mutating func isNull() throws -> Bool {
        guard try scanner.valueKind() == .null else { return false }
        try scanner.null()
        return true
    }

    private mutating func text(_ field: RecordError.Field) throws -> String? {
        guard try !isNull() else { return nil }
        return try required(field)
    }

    private mutating func required(_ field: RecordError.Field) throws -> String {
        guard try scanner.valueKind() == .string else { throw RecordError.badValue(field) }
        return scanner.value(of: try scanner.string())
    }

    private mutating func json() throws -> String {
        String(decoding: scanner.bytes(of: try scanner.skipValue()), as: UTF8.self)
    }

    private mutating func flag(_ field: RecordError.Field) throws -> Bool? {
        guard try !isNull() else { return nil }
        guard try scanner.valueKind() == .bool else { throw RecordError.badValue(field) }
        return try scanner.bool()
    }

    private mutating func number(_ field: RecordError.Field) throws -> Double {
        guard try scanner.valueKind() == .number else { throw RecordError.badValue(field) }
        let digits = scanner.bytes(of: try scanner.number())
        return Double(String(decoding: digits, as: UTF8.self)) ?? 0
    }

    private mutating func count(_ field: RecordError.Field) throws -> Int? {
        guard try !isNull() else { return nil }
        guard try scanner.valueKind() == .number,
            let value = JSONScanner.integer(scanner.bytes(of: try scanner.number())),
            (0...Int64(FactLimits.attemptsMax)).contains(value)
        else { throw RecordError.badValue(field) }
        return Int(value)
    }

    private mutating func time(_ field: RecordError.Field) throws -> Int64? {
        guard let words = try text(field) else { return nil }
        var copy = words
        guard let time = copy.withUTF8({ Timestamp.microseconds(UnsafeRawBufferPointer($0)) })
        else {
            throw RecordError.badValue(field)
        }
        return time
    }

    /// Seconds as a number. Words such as "NaN", which JSON has no number for, are invalid durations.
    private mutating func duration() throws -> ObservedDuration {
        switch try scanner.valueKind() {
        case .null:
            try scanner.null()
            return .absent
        case .number:
            let digits = scanner.bytes(of: try scanner.number())
            return Decimal.microseconds(secondsText: digits).map { .microseconds($0) } ?? .invalid
        case .string:
            _ = try scanner.string()
            return .invalid
        default: throw RecordError.badValue(.duration)
        }
    }
}
