// What a record says was asked: checked where it stands, copied only into the line of content.

import EvalogContent
import EvalogFacts
import EvalogText

/// Reads the `request` of one record. Its errors have no place that means anything outside of it.
///
/// What it found is valid as long as the text it was given.
struct RequestReader {
    private var fields = LineFields<RequestField>(
        byteCountMax: ContentLimits.lineByteCountMax, loneSurrogates: .replaced)
    private var instructions: UnsafeRawBufferPointer?
    private var schema: UnsafeRawBufferPointer?
    /// At the start of the context's items.
    private var items: JSONScanner?
    private var itemCount = 0

    /// The record that comes next asks nothing until it is read.
    mutating func forget() {
        instructions = nil
        schema = nil
        items = nil
        itemCount = 0
    }

    mutating func read(
        _ text: UnsafeRawBufferPointer, _ unknownKeyCount: inout Int
    ) throws(LineError<RequestField>) -> ObservedEvaluation.Request {
        try fields.read(text)
        unknownKeyCount += fields.unknownKeyCount
        var request = ObservedEvaluation.Request()
        request.instructions = try fields.string(.instructions)
        instructions = try fields.escapedText(.instructions)
        schema = fields.value(.schema)
        guard let range = fields.range(of: .context) else { return request }
        try fields.read(UnsafeRawBufferPointer(rebasing: text[range]))
        unknownKeyCount += fields.unknownKeyCount
        items = try fields.container(.items, .array)
        do {
            var count = 0
            try forEachItem(&unknownKeyCount) { _, _ in count += 1 }
            itemCount = count
        } catch {
            throw fields.bad(.items)
        }
        return request
    }

    /// Writes the members of content that say what was asked.
    mutating func write(to json: inout JSONWriter, withContext: Bool) {
        if let instructions {
            json.key(ContentField.instructions.name)
            json.string(escaped: instructions)
        }
        if let schema {
            json.key(ContentField.schema.name)
            json.raw(compacting: schema)
        }
        guard withContext, itemCount > 0 else { return }
        json.beginContentItems()
        // Nothing can be wrong with them: they were read before.
        var unknownKeyCount = 0
        try? forEachItem(&unknownKeyCount) { content, priority in
            json.contentItem(priority: priority) { $0.string(escaped: content) }
        }
        json.endArray()
    }

    private mutating func forEachItem(
        _ unknownKeyCount: inout Int, _ body: (UnsafeRawBufferPointer, Double) -> Void
    ) throws {
        guard var scanner = items else { return }
        try scanner.beginArray()
        while try scanner.nextElement() {
            let item = scanner.bytes(of: try scanner.skipValue())
            try fields.read(item)
            unknownKeyCount += fields.unknownKeyCount
            guard let content = try fields.escapedText(.content) else { throw fields.bad(.content) }
            body(content, try priority())
        }
    }

    private func priority() throws(LineError<RequestField>) -> Double {
        guard let range = fields.range(of: .priority) else { return 0 }
        let digits = String(decoding: fields.line[range], as: UTF8.self)
        guard let priority = Double(digits) else { throw fields.bad(.priority) }
        return priority
    }
}
