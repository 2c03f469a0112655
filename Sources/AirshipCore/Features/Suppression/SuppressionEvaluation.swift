// How a model is asked whether a message may be shown.

/// One question: does anything speak against showing this message to this user?
package struct SuppressionEvaluation: AirshipAI.Evaluation {
    /// The answer; the model's reason goes nowhere.
    package struct Output: Hashable, Sendable {
        package let allow: Bool

        package init(allow: Bool) {
            self.allow = allow
        }
    }

    package typealias Subject = AirshipAI.InAppMessageSuppression.Subject

    package let subject: Subject
    package let subjectID: String?
    private let condition: String

    package init(condition: String, subject: Subject, messageID: String?) {
        self.condition = condition
        self.subject = subject
        subjectID = messageID
    }

    package var usage: AirshipAI.Usage<Subject> { AirshipAI.InAppMessageSuppression.usage }

    // The reason comes first: a model writes properties in order, and decides better after it.
    package var schema: AirshipJSONSchema {
        .object(
            properties: [
                "reason": .string(description: "One short sentence: the evidence that decided."),
                "allow": .boolean(
                    description: "true to show the message, false to hold it back."),
            ],
            required: ["reason", "allow"])
    }

    package func instructions() -> String {
        """
        You guard one in-app message for one user and decide whether it is shown. The author of \
        the message wrote when it is meant to be shown:
        <condition>
        \(condition)
        </condition>
        Decide by that condition and by nothing else. The only evidence is what the prompt tells \
        about the message and the user; do not assume, guess or invent anything beyond it.
        Show the message unless the evidence clearly contradicts the condition. If there is no \
        evidence, or it can be read either way, show it: not knowing is no contradiction.
        """
    }

    package func prompt(context: AirshipAI.Context) -> String {
        var blocks = ["Message: \(subject.name.onOneLine)"]
        // What cannot be written as JSON is left out; the question stands without it.
        if let extras = subject.extras, !extras.isBlank, let text = try? extras.toString() {
            blocks.append("Extras of the message: \(text)")
        }
        blocks.append("Priority of the message: \(subject.priority)")
        if let bullets = context.renderBullets() { blocks.append("About the user:\n\(bullets)") }
        return blocks.joined(separator: "\n\n")
    }

    package func decode(_ output: AirshipJSON) throws(AirshipCoreError) -> Output {
        guard let allow = output["allow"]?.bool else { throw .undecodableOutput }
        return Output(allow: allow)
    }
}

extension AirshipJSON {
    /// Whether there is nothing in it to tell a model: null, or an empty object or array.
    var isBlank: Bool {
        switch self {
        case .null: true
        case .object(let members): members.isEmpty
        case .array(let elements): elements.isEmpty
        case .bool, .number, .string: false
        }
    }
}
