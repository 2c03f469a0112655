// The body of a chat completions request, the same bytes for the same question.

import AirshipCore
import Foundation

/// Writes request bodies.
enum ChatRequestBody {
    /// - Throws: `AirshipCoreError`, for a temperature that is not finite.
    static func data(
        model: String, _ request: AirshipAI.Request, schema: StrictSchema,
        options: ChatCompletionsModel.Options
    ) throws(AirshipCoreError) -> Data {
        var members: [(name: String, value: JSONText)] = [
            ("model", try JSONText(.string(model))),
            ("messages", try messages(request, schema: schema, format: options.answerFormat)),
        ]
        if let format = try responseFormat(schema, options.answerFormat) {
            members.append(("response_format", format))
        }
        if let limit = options.maxTokens {
            members.append((options.maxTokensName.rawValue, try JSONText(.number(Double(limit)))))
        }
        if let temperature = options.temperature {
            members.append(("temperature", try JSONText(.number(temperature))))
        }
        members.append(("stream", try JSONText(false)))
        return Data(try JSONText(object: members).text.utf8)
    }

    private static func messages(
        _ request: AirshipAI.Request, schema: StrictSchema,
        format: ChatCompletionsModel.AnswerFormat
    ) throws(AirshipCoreError) -> JSONText {
        var instructions = request.instructions
        if format != .jsonSchema {
            // The server will not hold the model to the schema, so the model must see it.
            instructions +=
                "\n\nAnswer with one JSON value that conforms to this JSON Schema, "
                + "and with nothing else:\n" + schema.text
        }
        return JSONText(array: [
            try message(role: "system", instructions), try message(role: "user", request.prompt()),
        ])
    }

    private static func message(
        role: String, _ content: String
    ) throws(AirshipCoreError) -> JSONText {
        try JSONText(object: [
            ("role", try JSONText(.string(role))), ("content", try JSONText(.string(content))),
        ])
    }

    private static func responseFormat(
        _ schema: StrictSchema, _ format: ChatCompletionsModel.AnswerFormat
    ) throws(AirshipCoreError) -> JSONText? {
        switch format {
        case .plainText: nil
        case .jsonObject: try JSONText(object: [("type", try JSONText("json_object"))])
        case .jsonSchema:
            try JSONText(object: [
                ("type", try JSONText("json_schema")),
                (
                    "json_schema",
                    try JSONText(object: [
                        ("name", try JSONText("evaluation")), ("strict", try JSONText(true)),
                        ("schema", JSONText(raw: schema.text)),
                    ])
                ),
            ])
        }
    }
}
