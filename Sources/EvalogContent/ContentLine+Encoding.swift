// The line of a content record: keys in the order of schemas/content-v1.schema.json.

import EvalogFacts
import EvalogText

extension ContentLine {
    /// Appends the line without its line feed.
    package func encode(into buffer: inout [UInt8]) {
        JSONWriter.append(to: &buffer) { json in
            json.beginObject()
            json.key(ContentField.version.name)
            json.integer(1)
            switch self {
            case .record(let record): record.writeMembers(to: &json)
            case .erased(let id):
                if let id {
                    json.key(ContentField.id.name)
                    json.id(id)
                }
                json.key(ContentField.erased.name)
                json.bool(true)
            }
            json.endObject()
        }
    }
}

extension ContentRecord {
    fileprivate func writeMembers(to json: inout JSONWriter) {
        json.key(ContentField.id.name)
        json.id(id)
        json.key(ContentField.time.name)
        json.time(time)
        json.member(.session, session?.text)
        json.member(.subject, subject)
        json.member(.instructions, instructions)
        if let schema {
            json.key(ContentField.schema.name)
            json.raw(schema)
        }
        if !context.isEmpty { writeContext(to: &json) }
        switch answer {
        case .output(let output):
            json.key(ContentField.output.name)
            json.raw(output)
        case .reason(let reason): json.member(.reason, reason)
        case .error(let error): json.member(.error, error)
        case nil: break
        }
    }

    private func writeContext(to json: inout JSONWriter) {
        json.key(ContentField.context.name)
        json.beginArray()
        for item in context {
            json.beginObject()
            json.key("content" as StaticString)
            json.string(item.content)
            json.key("priority" as StaticString)
            json.number(item.priority)
            json.endObject()
        }
        json.endArray()
    }
}

extension JSONWriter {
    fileprivate mutating func member(_ field: ContentField, _ text: String?) {
        guard let text else { return }
        key(field.name)
        string(text)
    }
}
