// Inference on a scene's text input: its name, its subject, and what an author configures.

extension AirshipAI {
    /// Reads what a user typed into a form field.
    public enum TextInputInference {
        /// What to register a provider or a model under for reading a text input.
        public static let usage = Usage<Subject>(rawValue: "scene_text_input")

        /// The text in question.
        public struct Subject: Hashable, Sendable {
            /// What the user typed, without surrounding white space.
            public let text: String
            /// The author's words to the app's provider; no model sees them.
            public let hints: [String: String]

            public init(text: String, hints: [String: String] = [:]) {
                self.text = text
                self.hints = hints
            }
        }
    }
}

/// The kinds of text input a scene can have.
package enum TextInputKind: String, CaseIterable, Sendable {
    case email, number, text, multiline = "text_multiline", sms

    /// Addresses and numbers of people are never sent to a model.
    package var allowsInference: Bool {
        switch self {
        case .number, .text, .multiline: true
        case .email, .sms: false
        }
    }
}

/// The `ai_inference` of a text input.
package struct TextInputConfiguration: Hashable, Sendable {
    package let prompt: String
    package let outputSchema: AirshipJSONSchema
    /// The layout's own context; follows the provider's.
    package let additionalContext: AirshipAI.Context
    package let subjectHints: [String: String]

    package init(
        prompt: String, outputSchema: AirshipJSONSchema,
        additionalContext: AirshipAI.Context = .empty, subjectHints: [String: String] = [:]
    ) {
        self.prompt = prompt
        self.outputSchema = outputSchema
        self.additionalContext = additionalContext
        self.subjectHints = subjectHints
    }

    /// Reads a layout's JSON text; text, because only there properties still have their order.
    ///
    /// - Throws: ``AirshipCoreError``: `invalidConfiguration` with the key that is wrong,
    ///   `invalidSchema`, or what malformed JSON gives.
    package init(json: String) throws(AirshipCoreError) {
        let node = try JSONNode(utf8: Array(json.utf8))
        guard case .string(let prompt)? = node["prompt"] else {
            throw .invalidConfiguration(key: "prompt")
        }
        guard let schema = node["output_schema"] else {
            throw .invalidConfiguration(key: "output_schema")
        }
        let values = AirshipJSON(node)
        self.init(
            prompt: prompt, outputSchema: try AirshipJSONSchema(schema),
            additionalContext: AirshipAI.Context(
                items: try values.contextItems("additional_context")),
            subjectHints: try values.hints("subject_hints"))
    }
}

extension AirshipJSON {
    /// The `{content, priority?}` under that key; none when it is absent or null.
    func contextItems(_ key: String) throws(AirshipCoreError) -> [AirshipAI.Context.Item] {
        guard let value = self[key], value != .null else { return [] }
        guard let elements = value.array else { throw .invalidConfiguration(key: key) }
        var items: [AirshipAI.Context.Item] = []
        for element in elements {
            let priority = element["priority"] ?? .null
            guard let content = element["content"]?.string, priority == .null || priority.isNumber
            else { throw .invalidConfiguration(key: key) }
            items.append(.init(content: content, priority: priority.number ?? 0))
        }
        return items
    }
}
