// The line of a content record: keys in the order of schemas/content-v1.schema.json.

package import EvalogFacts
package import EvalogText

extension ContentLine {
    /// Appends the line without its line feed.
    package func encode(into buffer: inout [UInt8]) {
        JSONWriter.append(to: &buffer) { json in
            switch self {
            case .record(let record): record.write(to: &json)
            case .erased(let id):
                json.beginObject()
                json.key(ContentField.version.name)
                json.integer(1)
                if let id {
                    json.key(ContentField.id.name)
                    json.id(id)
                }
                json.key(ContentField.erased.name)
                json.bool(true)
                json.endObject()
            }
        }
    }
}

extension JSONWriter {
    /// Begins a record's object with the members that say whose content it is.
    package mutating func beginContent(
        id: UniqueID, time: Int64, session: SessionID?, subject: String?
    ) {
        beginObject()
        key(ContentField.version.name)
        integer(1)
        key(ContentField.id.name)
        self.id(id)
        key(ContentField.time.name)
        self.time(time)
        member(.session, session?.text)
        member(.subject, subject)
    }

    /// Begins the list of what the model was told; its items follow, then an end of array.
    package mutating func beginContentItems() {
        key(ContentField.context.name)
        beginArray()
    }

    /// One item of that list.
    package mutating func contentItem(priority: Double, _ content: (inout JSONWriter) -> Void) {
        beginObject()
        key("content" as StaticString)
        content(&self)
        key("priority" as StaticString)
        number(priority)
        endObject()
    }

    fileprivate mutating func member(_ field: ContentField, _ text: String?) {
        guard let text else { return }
        key(field.name)
        string(text)
    }
}

extension ContentRecord {
    fileprivate func write(to json: inout JSONWriter) {
        json.beginContent(id: id, time: time, session: session, subject: subject)
        json.member(.instructions, instructions)
        if let schema {
            json.key(ContentField.schema.name)
            json.raw(schema)
        }
        if !context.isEmpty {
            json.beginContentItems()
            for item in context {
                json.contentItem(priority: item.priority) { $0.string(item.content) }
            }
            json.endArray()
        }
        switch answer {
        case .output(let output):
            json.key(ContentField.output.name)
            json.raw(output)
        case .reason(let reason): json.member(.reason, reason)
        case .error(let error): json.member(.error, error)
        case nil: break
        }
        if let expected {
            json.key(ContentField.expected.name)
            json.raw(expected)
        }
        json.member(.finding, finding)
        json.endObject()
    }
}
