// What models answer: what a schema allows, with a marker wherever it leaves room, and what it does not.

import AirshipCore

extension Planter {
    /// A value that conforms.
    mutating func answer(to schema: AirshipJSONSchema) -> AirshipJSON {
        switch schema.kind {
        case .string(nil): return .string(text(.outputValue))
        case .string(let choices?): return .string(choices.isEmpty ? "" : pick(choices))
        case .boolean: return .bool(oneIn(2))
        case .integer, .number: return .number(number())
        case .array(let items): return .array((0..<(1 + roll(2))).map { _ in answer(to: items) })
        case .object(nil, let required):
            var members = Dictionary(
                (required ?? []).map { ($0, AirshipJSON.string(text(.outputValue))) },
                uniquingKeysWith: { first, _ in first })
            members[mark(.outputKey)] = .string(text(.outputValue))
            if oneIn(10) { members["nested"] = nested(levels: 40) }
            return .object(members)
        case .object(let properties?, let required):
            var members: [String: AirshipJSON] = [:]
            for name in properties.names {
                guard let property = properties[name] else { continue }
                if required?.contains(name) == true || oneIn(2) {
                    members[name] = answer(to: property)
                }
            }
            // What a schema does not name, it does not forbid.
            if oneIn(4) { members[mark(.outputKey)] = .number(number()) }
            return .object(members)
        }
    }

    /// A value that conforms to nothing that is asked here.
    mutating func wrongAnswer() -> AirshipJSON {
        switch roll(4) {
        case 0: .string(text(.outputValue))
        case 1: .array([.number(number()), .object([mark(.outputKey): .null])])
        case 2: .object([mark(.outputKey): .string(text(.outputValue))])
        // One level less than an answer may have, as many, and one more.
        default: nested(levels: pick([63, 64, 65]))
        }
    }

    /// Levels of objects and arrays around a number, every key a marker.
    mutating func nested(levels: Int) -> AirshipJSON {
        var json = AirshipJSON.number(number())
        for level in 0..<levels {
            json = level % 3 == 0 ? .array([json]) : .object([mark(.outputKey): json])
        }
        return json
    }
}
