// Scene suppression: what it is called, what its provider receives, what an author configures.

extension AirshipAI {
    /// Decides before a scene is prepared whether it is shown.
    public enum InAppMessageSuppression {
        /// What to register a provider or a model under for suppressing a scene.
        public static let usage = Usage<Subject>(rawValue: "in_app_message_suppression")

        /// The message in question.
        public struct Subject: Hashable, Sendable {
            /// The author's name of it, empty if there is none.
            public let name: String
            public let extras: AirshipJSON?
            /// The schedule's priority; lower is shown first.
            public let priority: Int
            /// The author's words to the app's provider; no model sees them.
            public let hints: [String: String]

            public init(
                name: String, extras: AirshipJSON? = nil, priority: Int = 0,
                hints: [String: String] = [:]
            ) {
                self.name = name
                self.extras = extras
                self.priority = priority
                self.hints = hints
            }
        }
    }
}

/// The `ai_suppression` of a schedule or of a deferred response.
package struct SuppressionConfiguration: Hashable, Sendable {
    /// When to show, in the author's words; nothing is asked when it is blank.
    package let condition: String
    package let subjectHints: [String: String]
    /// What happens to the schedule of a suppressed message; nil is `skip`.
    ///
    /// The default of an ordinary audience check is another one.
    package let missBehavior: AirshipAI.MissBehavior?

    package init(
        condition: String, subjectHints: [String: String] = [:],
        missBehavior: AirshipAI.MissBehavior? = nil
    ) {
        self.condition = condition
        self.subjectHints = subjectHints
        self.missBehavior = missBehavior
    }

    /// Reads `condition`, `subject_hints` and `miss_behavior`; case does not matter in the last.
    ///
    /// - Throws: `AirshipCoreError.invalidConfiguration` with the key that is wrong.
    package init(_ json: AirshipJSON) throws(AirshipCoreError) {
        guard let condition = json["condition"]?.string else {
            throw .invalidConfiguration(key: "condition")
        }
        let word = json["miss_behavior"] ?? .null
        let missBehavior = word.string.flatMap { AirshipAI.MissBehavior(rawValue: $0.lowercased()) }
        guard word == .null || missBehavior != nil else {
            throw .invalidConfiguration(key: "miss_behavior")
        }
        self.init(
            condition: condition, subjectHints: try json.hints("subject_hints"),
            missBehavior: missBehavior)
    }
}

extension AirshipJSON {
    /// The texts by name under that key; none when it is absent or null.
    func hints(_ key: String) throws(AirshipCoreError) -> [String: String] {
        guard let value = self[key], value != .null else { return [:] }
        guard let object = value.object else { throw .invalidConfiguration(key: key) }
        var hints: [String: String] = [:]
        for (name, hint) in object {
            guard let text = hint.string else { throw .invalidConfiguration(key: key) }
            hints[name] = text
        }
        return hints
    }
}
