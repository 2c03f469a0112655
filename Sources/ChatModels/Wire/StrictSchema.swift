// A schema in the dialect that strict structured output asks for: every object closed, every
// property required, optional ones nullable, and an object at the root.

package import AirshipCore

/// The strict form of a schema, and the way back from its answers.
package struct StrictSchema: Sendable {
    // What a root that is no object travels in.
    private static let wrapper = "answer"

    /// The schema as JSON, the same bytes for the same schema.
    package let text: String

    private let isWrapped: Bool

    /// Converts a schema. Vendor extensions are left out: they are no business of a server's.
    ///
    /// - Throws: `AirshipCoreError.nestedTooDeep`.
    package init(_ schema: AirshipJSONSchema) throws(AirshipCoreError) {
        // Below it is taken apart by recursion.
        try schema.checkDepth()
        if case .object = schema.kind {
            isWrapped = false
            text = try Self.strict(schema, isOptional: false).text
        } else {
            isWrapped = true
            let wrapped = AirshipJSONSchema.object(
                properties: [Self.wrapper: schema], required: [Self.wrapper])
            text = try Self.strict(wrapped, isOptional: false).text
        }
    }

    /// The answer to the schema as it was authored. A server that does not know structured
    /// output may answer without the wrapper; that is left as it is.
    package func unwrap(_ answer: AirshipJSON) -> AirshipJSON {
        guard isWrapped, let members = answer.object, members.count == 1,
            let inner = members[Self.wrapper]
        else { return answer }
        return inner
    }

    private static func strict(
        _ schema: AirshipJSONSchema, isOptional: Bool
    ) throws(AirshipCoreError) -> JSONText {
        let word = AirshipJSON.string(schema.kind.word)
        var members = [("type", try JSONText(isOptional ? .array([word, .string("null")]) : word))]
        if let description = schema.description {
            members.append(("description", try JSONText(.string(description))))
        }
        switch schema.kind {
        case .boolean, .integer, .number: break
        case .string(let choices):
            guard let choices else { break }
            // Without null among them the list would forbid what the type allows.
            let values = choices.map(AirshipJSON.string) + (isOptional ? [.null] : [])
            members.append(("enum", try JSONText(.array(values))))
        case .object(let properties, let required):
            members += try object(properties, required ?? [])
        case .array(let items):
            members.append(("items", try strict(items, isOptional: false)))
        }
        return try JSONText(object: members)
    }

    private static func object(
        _ properties: AirshipJSONSchema.Properties?, _ required: [String]
    ) throws(AirshipCoreError) -> [(String, JSONText)] {
        var members: [(String, JSONText)] = []
        for name in properties?.names ?? [] {
            guard let schema = properties?[name] else { continue }
            let isOptional = !required.contains(name)
            members.append((name, try strict(schema, isOptional: isOptional)))
        }
        // A closed object has no room for names without a property. Any value will do there, so
        // the plainest type is asked for.
        for name in required where !members.contains(where: { $0.0 == name }) {
            members.append((name, try strict(.string(), isOptional: false)))
        }
        return [
            ("properties", try JSONText(object: members)),
            ("required", try JSONText(.array(members.map { .string($0.0) }))),
            ("additionalProperties", try JSONText(false)),
        ]
    }
}
