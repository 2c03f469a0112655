// Content lines as they come: any order, unknown keys, half surrogate pairs.

import EvalogFacts
import EvalogText

/// Decodes content lines one after the other into records of their own.
package struct ContentDecoder {
    private var fields = LineFields<ContentField>(
        byteCountMax: ContentLimits.lineByteCountMax, loneSurrogates: .replaced)

    package init() {}

    /// Reads one line, with or without white space around it.
    ///
    /// A session that has not its shape is absent.
    /// - Throws: ``ContentError`` for the first fault; the decoder can be used on.
    package mutating func decode(
        _ line: UnsafeRawBufferPointer
    ) throws(ContentError) -> ContentLine {
        try fields.read(line)
        guard try fields.integer(.version, in: .min ... .max) ?? 1 == 1 else {
            throw ContentError(
                .unsupportedVersion, at: fields.range(of: .version)?.lowerBound ?? 0)
        }
        let id = try fields.id(.id)
        if try fields.bool(.erased) == true { return .erased(id: id) }
        guard let id else { throw ContentError(.missing(.id), at: 0) }
        guard let time = try fields.time(.time) else { throw ContentError(.missing(.time), at: 0) }
        var record = ContentRecord(id: id, time: time)
        record.session = try fields.text(.session).flatMap { SessionID($0) }
        record.subject = try fields.string(.subject)
        record.instructions = try fields.string(.instructions)
        record.schema = try fields.json(.schema)
        record.context = try items()
        record.answer = try answer()
        return .record(record)
    }

    private mutating func answer() throws(ContentError) -> ContentRecord.Answer? {
        let output = try fields.json(.output).map { ContentRecord.Answer.output($0) }
        let reason = try fields.string(.reason).map { ContentRecord.Answer.reason($0) }
        let error = try fields.string(.error).map { ContentRecord.Answer.error($0) }
        let answers = [output, reason, error].compactMap { $0 }
        guard answers.count <= 1 else { throw fields.bad(error == nil ? .reason : .error) }
        return answers.first
    }

    private func items() throws(ContentError) -> [ContentRecord.Item] {
        guard var scanner = try fields.container(.context, .array) else { return [] }
        do {
            var items: [ContentRecord.Item] = []
            try scanner.beginArray()
            while try scanner.nextElement() {
                guard let item = try item(from: &scanner) else { throw fields.bad(.context) }
                items.append(item)
            }
            return items
        } catch {
            throw fields.bad(.context)
        }
    }

    /// Takes one item; nil if it has no content. Without priority it has 0.
    private func item(
        from scanner: inout JSONScanner
    ) throws(TextError) -> ContentRecord.Item? {
        var content: String?
        var priority = 0.0
        try scanner.beginObject()
        while let key = try scanner.nextKey() {
            switch scanner.value(of: key) {
            case "content": content = scanner.value(of: try scanner.string())
            case "priority":
                let number = scanner.bytes(of: try scanner.number())
                priority = Double(String(decoding: number, as: UTF8.self)) ?? 0
            default: _ = try scanner.skipValue()
            }
        }
        return content.map { ContentRecord.Item(content: $0, priority: priority) }
    }
}
