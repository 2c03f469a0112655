// Schemas from and to standard JSON Schema words. Text of ours keeps the authored order; Codable
// goes through Foundation's unordered objects, so there the order is `required`, then by name.

public import Foundation

extension AirshipJSONSchema {
    /// Reads a schema from JSON text, keeping the order in which properties were authored.
    ///
    /// - Throws: ``AirshipCoreError``: `invalidSchema` with a path, or what malformed JSON gives.
    public init(json: String) throws(AirshipCoreError) {
        try self.init(JSONNode(utf8: Array(json.utf8)))
    }

    /// Reads a schema from the bytes of a JSON text, keeping the order of properties.
    public init(data: Data) throws(AirshipCoreError) {
        try self.init(JSONNode(utf8: Array(data)))
    }

    package init(_ node: JSONNode) throws(AirshipCoreError) {
        try self.init(node, at: "$")
    }

    private init(_ node: JSONNode, at path: String) throws(AirshipCoreError) {
        guard case .object(let members) = node, case .string(let type) = node["type"] else {
            throw .invalidSchema(path: path)
        }
        let kind: Kind
        switch type {
        case "string": kind = .string(choices: try node.strings("enum", at: path))
        case "boolean": kind = .boolean
        case "integer": kind = .integer
        case "number": kind = .number
        case "object":
            kind = .object(
                properties: try Self.properties(of: node, at: path),
                required: try node.strings("required", at: path))
        case "array":
            guard let items = node["items"], items != .null else {
                throw .invalidSchema(path: path)
            }
            kind = .array(items: try Self(items, at: path + "[]"))
        default: throw .invalidSchema(path: path)
        }
        let extensions = members.map { ($0.name, AirshipJSON($0.value)) }
        self.init(
            kind, description: try node.text("description", at: path),
            extensions: Dictionary(extensions, uniquingKeysWith: { first, _ in first }))
    }

    private static func properties(
        of node: JSONNode, at path: String
    ) throws(AirshipCoreError) -> Properties? {
        switch node["properties"] {
        case nil, .null?: return nil
        case .object(let members)?:
            var properties: [(String, AirshipJSONSchema)] = []
            for member in members {
                let path = path + "." + member.name
                properties.append((member.name, try AirshipJSONSchema(member.value, at: path)))
            }
            return Properties(properties)
        default: throw .invalidSchema(path: path)
        }
    }

    /// The schema as JSON text, properties in authored order.
    ///
    /// - Throws: ``AirshipCoreError``: `nonFiniteNumber` or `nestedTooDeep`.
    public func toString() throws(AirshipCoreError) -> String {
        try checkDepth()
        var writer = JSONWriter()
        try write(to: &writer, depth: 1)
        return writer.text
    }

    /// - Parameter depth: For the extensions, whose own depth nobody has checked.
    private func write(to writer: inout JSONWriter, depth: Int) throws(AirshipCoreError) {
        writer.raw("{")
        writer.member("type", isFirst: true)
        writer.write(kind.word)
        if let description {
            writer.member("description", isFirst: false)
            writer.write(description)
        }
        switch kind {
        case .string(let choices): try writer.write(choices, as: "enum")
        case .boolean, .integer, .number: break
        case .object(let properties, let required):
            if let properties {
                writer.member("properties", isFirst: false)
                writer.raw("{")
                for (index, name) in properties.names.enumerated() {
                    writer.member(name, isFirst: index == 0)
                    try properties[name]?.write(to: &writer, depth: depth + Self.propertyDepth)
                }
                writer.raw("}")
            }
            try writer.write(required, as: "required")
        case .array(let items):
            writer.member("items", isFirst: false)
            try items.write(to: &writer, depth: depth + 1)
        }
        for name in extensions.keys.sortedByBytes() {
            writer.member(name, isFirst: false)
            try writer.write(extensions[name] ?? .null, depth: depth + 1)
        }
        writer.raw("}")
    }
}

extension AirshipJSONSchema: Codable {
    /// Foundation's decoders forget the order of members, so `required` gives it, then the names.
    public init(from decoder: any Decoder) throws {
        try self.init(JSONNode(AirshipJSON(from: decoder)))
    }

    public func encode(to encoder: any Encoder) throws {
        try AirshipJSON(JSONNode(utf8: Array(toString().utf8))).encode(to: encoder)
    }
}

extension AirshipJSONSchema.Kind {
    /// The value of the `type` word.
    package var word: String {
        switch self {
        case .string: "string"
        case .boolean: "boolean"
        case .integer: "integer"
        case .number: "number"
        case .object: "object"
        case .array: "array"
        }
    }
}

extension JSONNode {
    /// A node for an unordered value: members that a sibling `required` names, then by name.
    fileprivate init(_ json: AirshipJSON) {
        self.init(json, first: [])
    }

    private init(_ json: AirshipJSON, first: [String]) {
        switch json {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .number(let value): self = .number(value)
        case .string(let value): self = .string(value)
        case .array(let elements): self = .array(elements.map { JSONNode($0) })
        case .object(let members):
            let required = members["required"]?.array?.compactMap(\.string) ?? []
            let leading = first.filter { members[$0] != nil }
            let names = leading + Set(members.keys).subtracting(leading).sortedByBytes()
            self = .object(
                names.compactMap { name in
                    members[name].map {
                        Member(
                            name: name,
                            value: JSONNode($0, first: name == "properties" ? required : []))
                    }
                })
        }
    }

    /// The strings of that member; nil when it is absent or null.
    fileprivate func strings(
        _ name: String, at path: String
    ) throws(AirshipCoreError) -> [String]? {
        switch self[name] {
        case nil, .null?: return nil
        case .array(let elements)?:
            var strings: [String] = []
            for case .string(let string) in elements { strings.append(string) }
            guard strings.count == elements.count else { throw .invalidSchema(path: path) }
            return strings
        default: throw .invalidSchema(path: path)
        }
    }

    /// The text of that member; nil when it is absent or null.
    fileprivate func text(_ name: String, at path: String) throws(AirshipCoreError) -> String? {
        switch self[name] {
        case nil, .null?: return nil
        case .string(let text)?: return text
        default: throw .invalidSchema(path: path)
        }
    }
}

extension JSONWriter {
    fileprivate mutating func write(
        _ strings: [String]?, as name: String
    ) throws(AirshipCoreError) {
        guard let strings else { return }
        member(name, isFirst: false)
        try write(.array(strings.map(AirshipJSON.string)))
    }
}
