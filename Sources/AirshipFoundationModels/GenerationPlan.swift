// A schema as guided generation wants it: a tree of named types, decided here and built by the few
// lines that know the framework.

package import AirshipCore

/// What guided generation is asked to generate.
package indirect enum GenerationPlan: Hashable, Sendable {
    case text
    case boolean
    case integer
    case number

    /// One of these strings; there is at least one.
    case choice(name: String, [String])
    case array(GenerationPlan)

    /// Properties are generated in this order.
    case object(name: String, description: String?, [Property])

    /// A property of an object.
    package struct Property: Hashable, Sendable {
        package let name: String
        package let description: String?
        package let isOptional: Bool
        package let plan: GenerationPlan

        package init(
            name: String, description: String? = nil, isOptional: Bool = false,
            plan: GenerationPlan
        ) {
            self.name = name
            self.description = description
            self.isOptional = isOptional
            self.plan = plan
        }
    }

    /// Plans for a schema. Names of types are unique within the plan, as the framework demands.
    ///
    /// - Throws: ``FoundationModelError/unsupportedSchema`` for a list of choices without one, and
    ///   for nesting that JSON would not be read from.
    package init(_ schema: AirshipJSONSchema) throws(FoundationModelError) {
        guard (try? schema.checkDepth()) != nil else { throw .unsupportedSchema }
        var planner = Planner()
        self = try planner.plan(schema)
    }
}

private struct Planner {
    private var nameCount = 0

    mutating func plan(
        _ schema: AirshipJSONSchema
    ) throws(FoundationModelError) -> GenerationPlan {
        switch schema.kind {
        case .boolean: return .boolean
        case .integer: return .integer
        case .number: return .number
        case .string(nil): return .text
        case .string(let choices?):
            guard !choices.isEmpty else { throw .unsupportedSchema }
            return .choice(name: nextName(), choices)
        case .array(let items): return .array(try plan(items))
        case .object(let properties, let required):
            let name = nextName()
            let properties = try self.properties(properties, required ?? [])
            return .object(name: name, description: schema.description, properties)
        }
    }

    private mutating func properties(
        _ properties: AirshipJSONSchema.Properties?, _ required: [String]
    ) throws(FoundationModelError) -> [GenerationPlan.Property] {
        var planned: [GenerationPlan.Property] = []
        for name in properties?.names ?? [] {
            guard let schema = properties?[name] else { continue }
            planned.append(
                .init(
                    name: name, description: schema.description,
                    isOptional: !required.contains(name), plan: try plan(schema)))
        }
        // Generated types have no room for names without a property; any value will do there.
        for name in required where !planned.contains(where: { $0.name == name }) {
            planned.append(.init(name: name, plan: .text))
        }
        return planned
    }

    private mutating func nextName() -> String {
        nameCount += 1
        return nameCount == 1 ? "Answer" : "Answer\(nameCount)"
    }
}
