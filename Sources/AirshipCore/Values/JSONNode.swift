// JSON with its members in the order of the text: what a schema must keep and Foundation forgets.

/// A JSON value whose objects keep every member, in order.
package indirect enum JSONNode: Equatable, Sendable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([JSONNode])
    case object([Member])

    /// One name and its value; a name may occur more than once.
    package struct Member: Equatable, Sendable {
        package let name: String
        package let value: JSONNode
    }

    /// The first member of that name; nil when absent, or when this is no object.
    package subscript(name: String) -> JSONNode? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }
}

extension AirshipJSON {
    /// Forgets the order; of members with one name the first counts, as in Foundation's decoder.
    package init(_ node: JSONNode) {
        switch node {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .number(let value): self = .number(value)
        case .string(let value): self = .string(value)
        case .array(let elements): self = .array(elements.map(AirshipJSON.init))
        case .object(let members):
            self = .object(
                Dictionary(
                    members.map { ($0.name, AirshipJSON($0.value)) },
                    uniquingKeysWith: { first, _ in first }))
        }
    }
}
