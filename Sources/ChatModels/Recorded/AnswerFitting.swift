// A recorded answer named the choices of its own question. Asked again, a good answer must be good
// for today's: the same choices in the same order, under today's names.

import AirshipCore

/// Makes a recorded answer conform to another schema, changing as little as it can.
///
/// What has a place in the schema keeps its value. Strings that are no choice become choices, in
/// order of appearance; elements for which no choice is left are dropped; what is missing gets the
/// plainest value there is.
struct AnswerFitting {
    // One renaming for each list of choices, so that a name means the same wherever it stands.
    private var renamings: [[String]: [String: String]] = [:]
    // Every string in the answer: one that is a choice already is no other's new name.
    private let words: Set<String>

    /// - Returns: A conforming value, if the schema has any.
    static func fit(_ answer: AirshipJSON, to schema: AirshipJSONSchema) -> AirshipJSON {
        var fitting = AnswerFitting(words: Set(words(in: answer)))
        return fitting.fit(answer, schema) ?? plainest(schema)
    }

    private init(words: Set<String>) {
        self.words = words
    }

    private static func words(in value: AirshipJSON) -> [String] {
        switch value {
        case .null, .bool, .number: []
        case .string(let word): [word]
        case .array(let elements): elements.flatMap(words)
        case .object(let members): members.values.flatMap(words)
        }
    }

    /// Nil when no choice is left for a string in it.
    private mutating func fit(_ value: AirshipJSON, _ schema: AirshipJSONSchema) -> AirshipJSON? {
        switch schema.kind {
        case .boolean: value.isBool ? value : Self.plainest(schema)
        case .number: value.isNumber ? value : Self.plainest(schema)
        case .integer: value.number.map { .number($0.rounded()) } ?? Self.plainest(schema)
        case .string(nil): value.isString ? value : Self.plainest(schema)
        case .string(let choices?):
            if let text = value.string {
                choice(text, of: choices).map(AirshipJSON.string)
            } else {
                Self.plainest(schema)
            }
        case .array(let items):
            .array((value.array ?? []).compactMap { fit($0, items) })
        case .object(let properties, let required):
            object(value.object ?? [:], properties, required ?? [])
        }
    }

    private mutating func object(
        _ members: [String: AirshipJSON], _ properties: AirshipJSONSchema.Properties?,
        _ required: [String]
    ) -> AirshipJSON? {
        var fitted = properties == nil ? members : [:]
        for name in properties?.names ?? [] {
            guard let schema = properties?[name] else { continue }
            if let member = members[name], !member.isNull {
                guard let value = fit(member, schema) else { return nil }
                fitted[name] = value
            } else if required.contains(name) {
                fitted[name] = Self.plainest(schema)
            }
        }
        for name in required where fitted[name] ?? .null == .null { fitted[name] = "" }
        return .object(fitted)
    }

    private mutating func choice(_ text: String, of choices: [String]) -> String? {
        if choices.contains(text) { return text }
        if let known = renamings[choices]?[text] { return known }
        let taken = words.union((renamings[choices] ?? [:]).values)
        guard let choice = choices.first(where: { !taken.contains($0) }) else { return nil }
        renamings[choices, default: [:]][text] = choice
        return choice
    }

    private static func plainest(_ schema: AirshipJSONSchema) -> AirshipJSON {
        switch schema.kind {
        case .boolean: false
        case .integer, .number: 0
        case .string(let choices): .string(choices?.first ?? "")
        case .array: []
        case .object(let properties, let required):
            .object(
                Dictionary(
                    (required ?? []).map { ($0, properties?[$0].map(plainest) ?? "") },
                    uniquingKeysWith: { first, _ in first }))
        }
    }
}
