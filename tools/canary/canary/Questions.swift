// What is asked: a question of any kind, with markers in all that an author or an app writes.

import AirshipCore

/// A question outside the three features.
struct CanaryQuestion: AirshipAI.Evaluation {
    struct Output: Sendable {}

    let usage: AirshipAI.Usage<String>
    let subject: String
    let subjectID: String?
    let schema: AirshipJSONSchema
    let requiresContext: Bool
    let words: (instructions: String, prompt: String)
    /// What reading the answer throws, if it does.
    let unreadable: String?

    func instructions() -> String { words.instructions }

    func prompt(context: AirshipAI.Context) -> String {
        [words.prompt, context.renderBullets()].compactMap(\.self).joined(separator: "\n")
    }

    func decode(_ output: AirshipJSON) throws -> Output {
        if let unreadable { throw NestedError(text: unreadable, inner: nil) }
        return Output()
    }
}

extension Planter {
    mutating func question() -> CanaryQuestion {
        CanaryQuestion(
            usage: AirshipAI.Usage(rawValue: oneIn(8) ? text(.identifier) : "canary_question"),
            subject: text(.userText),
            subjectID: identifier(else: "canary-subject-\(roll(50))"),
            schema: schema(depth: 0), requiresContext: oneIn(4),
            words: (text(.instructions), text(.userText)),
            unreadable: oneIn(10) ? text(.nestedError) : nil)
    }

    /// A name of one of three kinds: none, one that fits its form, one that does not.
    mutating func identifier(else fitting: String) -> String? {
        switch roll(6) {
        case 0: nil
        case 1: text(.identifier)
        default: fitting
        }
    }

    mutating func context() -> AirshipAI.Context {
        AirshipAI.Context(
            items: (0..<roll(4)).map { _ in
                .init(content: text(.contextItem), priority: Double(roll(100)) - 50)
            })
    }

    mutating func hints() -> [String: String] {
        oneIn(2) ? [:] : [mark(.hint): text(.hint)]
    }

    /// An object of whatever there is, down to objects of any members.
    mutating func schema(depth: Int) -> AirshipJSONSchema {
        let names = (0..<(1 + roll(3))).map { _ in mark(.schemaKey) }
        let properties = names.map { ($0, node(depth: depth + 1)) }
        return .object(
            description: text(.schemaText), properties: .init(properties),
            required: names.filter { _ in !oneIn(3) },
            extensions: oneIn(3) ? ["x-note": .string(text(.schemaText))] : [:])
    }

    private mutating func node(depth: Int) -> AirshipJSONSchema {
        let description = oneIn(2) ? text(.schemaText) : nil
        return switch roll(depth < 3 ? 7 : 4) {
        case 0: .string(description: description)
        case 1:
            .string(description: description, choices: (0..<3).map { _ in mark(.schemaKey) })
        case 2: .number(description: description)
        case 3: .boolean(description: description)
        case 4: .array(description: description, items: node(depth: depth + 1))
        case 5: .object(description: description)
        default: schema(depth: depth)
        }
    }
}
