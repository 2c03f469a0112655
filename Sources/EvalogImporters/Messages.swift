// What a model was told, in whatever form a tracer writes messages: system texts are instructions,
// everything else is context.

import EvalogText

struct Messages {
    private(set) var instructions: [String] = []
    private(set) var items: [String] = []

    /// Adds a list of messages, one message, or a text.
    mutating func add(_ value: JSONTree?, asInstructions isInstruction: Bool = false) {
        guard let value = value?.unwrapped else { return }
        if let list = value["messages"] { return add(list) }
        if case .array(let elements) = value {
            for element in elements { add(message: element, isInstruction) }
        } else {
            add(message: value, isInstruction)
        }
    }

    private mutating func add(message: JSONTree, _ isInstruction: Bool) {
        let text = Self.text(of: message)
        if text.isEmpty { return }
        let role = message["role"]?.text ?? ""
        if isInstruction || ["system", "developer"].contains(role) {
            instructions.append(text)
        } else {
            items.append(text)
        }
    }

    /// The texts of a message's content or parts; where it has none, the message as it is.
    static func text(of message: JSONTree) -> String {
        if case .string(let text) = message { return text }
        guard let content = message["content"] ?? message["parts"] ?? message["text"] else {
            if case .object = message {
                var bytes: [UInt8] = []
                JSONWriter.append(to: &bytes) { message.write(to: &$0) }
                return String(decoding: bytes, as: UTF8.self)
            }
            return ""
        }
        if case .array(let parts) = content {
            return parts.map(text).filter { !$0.isEmpty }.joined(separator: "\n")
        }
        return text(of: content)
    }

    /// The request of an evaluation record.
    func write(to json: inout JSONWriter) {
        json.beginObject()
        if !instructions.isEmpty {
            json.key("instructions")
            json.string(instructions.joined(separator: "\n"))
        }
        json.key("context")
        json.beginObject()
        json.key("items")
        json.beginArray()
        for item in items {
            json.beginObject()
            json.key("content")
            json.string(item)
            json.endObject()
        }
        json.endArray()
        json.endObject()
        json.endObject()
    }
}
