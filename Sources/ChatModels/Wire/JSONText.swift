// JSON in an order of our choosing: the same request is the same bytes, and a schema's properties
// come in the order in which they were authored.

import AirshipCore

/// A piece of JSON text.
struct JSONText {
    let text: String

    /// - Parameter raw: JSON already.
    init(raw: String) {
        text = raw
    }

    /// - Throws: `AirshipCoreError.nonFiniteNumber` or `.nestedTooDeep`.
    init(_ json: AirshipJSON) throws(AirshipCoreError) {
        text = try json.toString()
    }

    /// An array of these, in this order.
    init(array elements: [JSONText]) {
        text = "[" + elements.map(\.text).joined(separator: ",") + "]"
    }

    /// An object of these members, in this order.
    init(object members: [(name: String, value: JSONText)]) throws(AirshipCoreError) {
        var parts: [String] = []
        for member in members {
            parts.append(try JSONText(.string(member.name)).text + ":" + member.value.text)
        }
        text = "{" + parts.joined(separator: ",") + "}"
    }
}
