// One question that a real model was asked, and what came back: read from a recording's line.

public import AirshipCore
public import Foundation

/// What a model did with one question, good or bad.
public struct RecordedExchange: Sendable {
    /// What came back.
    enum Ending: Sendable {
        /// An answer; `isValid` tells whether it conformed to the schema that it was asked with.
        case answered(AirshipJSON, isValid: Bool)
        case failed(any AirshipAI.ClassifiedError)
    }

    /// The usage that asked, such as `embedded_selection`.
    public let usage: String

    /// The name of the model that was asked; nil when the recording does not tell.
    public let model: String?

    /// What it was about, where the recording tells.
    public let subject: String?

    /// How long it took.
    public let latency: Duration

    let ending: Ending

    /// Whether it ended with an answer that conformed.
    public var isValidAnswer: Bool {
        if case .answered(_, isValid: true) = ending { true } else { false }
    }

    /// The class of its failure; nil for an answer.
    public var errorClass: AirshipAI.ErrorClass? {
        switch ending {
        case .answered(_, let isValid): isValid ? nil : .schemaMismatch
        case .failed(let error): error.errorClass
        }
    }
}

// Answers are texts of a model.
extension RecordedExchange: CustomStringConvertible, CustomReflectable {
    public var description: String {
        "RecordedExchange(\(usage), \(errorClass.map { "failed(\($0.rawValue))" } ?? "answered"))"
    }

    public var customMirror: Mirror { Mirror(self, children: ["usage": usage]) }
}

extension RecordedExchange {
    /// Reads a recording: one JSON object a line, each either an exchange with a server (`task`,
    /// `response_text`, `http_status`, `finish_reason` …) or an evaluation record (`usage`,
    /// `outcome`, `output` or `error_class`, `duration`, `attempts`).
    ///
    /// Lines of neither kind, and evaluations that never reached a model, are left out.
    public static func read(ndjson data: Data) -> [RecordedExchange] {
        data.split(separator: UInt8(ascii: "\n")).compactMap { line in
            guard let line = try? AirshipJSON.from(data: line) else { return nil }
            return RecordedExchange(exchange: line) ?? RecordedExchange(evaluation: line)
        }
    }

    // The tasks of exchanges are named after what is asked, not after the feature that asks.
    private static let usages = [
        "text_input_classification": "scene_text_input",
        "embedded_banner_ranking": "embedded_selection",
    ]

    private init?(exchange line: AirshipJSON) {
        guard let task = line["task"]?.string else { return nil }
        usage = Self.usages[task] ?? task
        model = line["model"]?.string
        subject = line["subject"]?.string
        latency = Self.duration(line["latency_ms"]?.number, unit: .milliseconds(1))
        switch line["error"]?["kind"]?.string {
        case "timeout": ending = .failed(ChatModelError.timedOut)
        case "connection_refused": ending = .failed(ChatModelError.cannotConnect)
        case "connection_lost": ending = .failed(ChatModelError.connectionLost)
        default: ending = Self.ending(ofResponse: line)
        }
    }

    /// The same reading as that of a live server's response.
    private static func ending(ofResponse line: AirshipJSON) -> Ending {
        guard line["http_status"]?.int == 200 else {
            let body = line["http_body"]?.string ?? ""
            let response = HTTPResponse(
                status: line["http_status"]?.int ?? 0, body: Data(body.utf8))
            let json = try? AirshipJSON.from(json: body)
            let failure = ServerFailure(response, body: json, now: .distantPast)
            return .failed(failure.error)
        }
        do throws(ChatModelError) {
            let answer = try ChatAnswer.json(
                in: line["response_text"]?.string ?? "",
                finishReason: line["finish_reason"]?.string)
            return .answered(answer, isValid: line["schema_errors"]?.array?.isEmpty == true)
        } catch {
            return .failed(error)
        }
    }

    private init?(evaluation line: AirshipJSON) {
        guard let usage = line["usage"]?.string, let outcome = line["outcome"]?.string else {
            return nil
        }
        switch outcome {
        case "completed": ending = .answered(line["output"] ?? .null, isValid: true)
        case "failed":
            let errorClass = line["error_class"]?.string.flatMap(AirshipAI.ErrorClass.init)
            // Records keep no text that broke a schema; null breaks every one.
            ending =
                errorClass == .schemaMismatch
                ? .answered(.null, isValid: false)
                : .failed(RecordedFailure(errorClass: errorClass ?? .other))
        default: return nil
        }
        self.usage = usage
        model = line["model"]?.string
        subject = line["subject"]?.string
        let attempts = max(line["attempts"]?.number ?? 1, 1)
        latency = Self.duration(
            line["duration"]?.number.map { $0 / attempts }, unit: .seconds(1))
    }

    /// Not negative and at most a day, whatever the line says.
    private static func duration(_ value: Double?, unit: Duration) -> Duration {
        guard let value, value.isFinite, value > 0 else { return .zero }
        return min(unit * min(value, 86_400_000), ChatLimits.budgetMax)
    }
}

/// A recorded failure of which the class is all that is known.
public struct RecordedFailure: AirshipAI.ClassifiedError, Hashable {
    public let errorClass: AirshipAI.ErrorClass
}
