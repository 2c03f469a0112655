// Content lines as they come: any order, unknown keys, half surrogate pairs.

import EvalogFacts
package import EvalogText

/// Checks and decodes content lines one after the other.
package struct ContentDecoder {
    private var fields = LineFields<ContentField>(
        byteCountMax: ContentLimits.lineByteCountMax, loneSurrogates: .replaced)

    package init() {}

    /// What a line is.
    package enum Kind: Hashable, Sendable {
        case record(id: UniqueID)
        case erased(id: UniqueID?)
    }

    /// Checks all of one line, with or without white space around it, and copies nothing.
    ///
    /// - Throws: ``ContentError`` for the first fault; the decoder can be used on.
    package mutating func check(
        _ line: UnsafeRawBufferPointer
    ) throws(ContentError) -> Kind {
        try fields.read(line)
        guard try fields.integer(.version, in: .min ... .max) ?? 1 == 1 else {
            throw ContentError(
                .unsupportedVersion, at: fields.range(of: .version)?.lowerBound ?? 0)
        }
        let id = try fields.id(.id)
        if try fields.bool(.erased) == true { return .erased(id: id) }
        guard let id else { throw ContentError(.missing(.id), at: 0) }
        guard try fields.time(.time) != nil else { throw ContentError(.missing(.time), at: 0) }
        _ = try fields.escapedText(.session)
        _ = try fields.escapedText(.subject)
        _ = try fields.escapedText(.instructions)
        if var items = try items() { while try nextItem(of: &items) != nil {} }
        _ = try fields.escapedText(.finding)
        let answers = [
            fields.value(.output), try fields.escapedText(.reason), try fields.escapedText(.error),
        ]
        guard answers.count(where: { $0 != nil }) <= 1 else {
            throw fields.bad(answers[2] == nil ? .reason : .error)
        }
        return .record(id: id)
    }

    /// Reads one line into a record of its own.
    ///
    /// A session that has not its shape is absent.
    /// - Throws: As ``check(_:)``.
    package mutating func decode(
        _ line: UnsafeRawBufferPointer
    ) throws(ContentError) -> ContentLine {
        let id: UniqueID
        switch try check(line) {
        case .erased(let erased): return .erased(id: erased)
        case .record(let found): id = found
        }
        guard let time = try fields.time(.time) else { throw ContentError(.missing(.time), at: 0) }
        var record = ContentRecord(id: id, time: time)
        record.session = try fields.text(.session).flatMap { SessionID($0) }
        record.subject = try fields.string(.subject)
        record.instructions = try fields.string(.instructions)
        record.schema = try fields.json(.schema)
        if var items = try items() {
            while let (content, priority) = try nextItem(of: &items) {
                record.context.append(
                    ContentRecord.Item(content: items.value(of: content), priority: priority))
            }
        }
        if let output = try fields.json(.output) { record.answer = .output(output) }
        if let reason = try fields.string(.reason) { record.answer = .reason(reason) }
        if let error = try fields.string(.error) { record.answer = .error(error) }
        record.expected = try fields.json(.expected)
        record.finding = try fields.string(.finding)
        return .record(record)
    }

    /// Lends what the record that was checked last asked and heard, in the order in which we write
    /// it, the schema left out. Its line must still be there.
    package func forEachText(_ body: (ContentField, ContentText) throws -> Void) throws {
        if let text = try fields.escapedText(.instructions) {
            try body(.instructions, .escaped(text))
        }
        if var items = try items() {
            while let (content, _) = try nextItem(of: &items) {
                try body(.context, .escaped(items.bytes(of: content.range)))
            }
        }
        if let value = fields.value(.output) { try body(.output, .json(value)) }
        if let text = try fields.escapedText(.reason) { try body(.reason, .escaped(text)) }
        if let text = try fields.escapedText(.error) { try body(.error, .escaped(text)) }
        if let value = fields.value(.expected) { try body(.expected, .json(value)) }
        if let text = try fields.escapedText(.finding) { try body(.finding, .escaped(text)) }
    }

    /// A scanner within the list of what the model was told; nil where there is none.
    private func items() throws(ContentError) -> JSONScanner? {
        guard var scanner = try fields.container(.context, .array) else { return nil }
        do { try scanner.beginArray() } catch { throw fields.bad(.context) }
        return scanner
    }

    /// Takes one item; nil at the end. One without content is a fault, one without priority has 0.
    private func nextItem(
        of items: inout JSONScanner
    ) throws(ContentError) -> (content: JSONString, priority: Double)? {
        do {
            guard try items.nextElement() else { return nil }
            var content: JSONString?
            var priority = 0.0
            try items.beginObject()
            while let key = try items.nextKey() {
                switch items.value(of: key) {
                case "content": content = try items.string()
                case "priority":
                    let number = items.bytes(of: try items.number())
                    priority = Double(String(decoding: number, as: UTF8.self)) ?? 0
                default: _ = try items.skipValue()
                }
            }
            if let content { return (content, priority) }
        } catch {
            throw fields.bad(.context)
        }
        throw fields.bad(.context)
    }
}

/// A text of a content line, on loan as long as the line.
package enum ContentText {
    /// A string as it stands between its quotes.
    case escaped(UnsafeRawBufferPointer)
    /// Any value as it stands.
    case json(UnsafeRawBufferPointer)

    /// Lends what it says as UTF-8, in pieces that cut no character.
    package func forEachPiece<Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        switch self {
        case .escaped(let text): try JSONString.forEachPiece(of: text, body)
        case .json(let value): try body(value)
        }
    }
}
