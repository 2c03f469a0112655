// What the vendor documents of evaluations and no more: a record's five fields and the observer.

public import Foundation

public enum Airship {
    public static let ai: any AirshipAI.Manager = Observing()
}

public enum AirshipAI {
    public protocol Manager: Sendable {
        func setEvaluationObserver(_ observer: (@Sendable (EvaluationRecord) -> Void)?)
    }

    public struct AnyUsage: Hashable, Sendable {
        public let rawValue: String
    }

    public struct Context: Sendable {
        public struct Item: Sendable {
            public var content: String
            public var priority: Double
        }

        public let items: [Item]
    }

    public struct Request: Sendable {
        public let instructions: String
        public let schema: AirshipJSONSchema
        public let context: Context

        public func prompt() -> String { instructions }
    }

    public struct EvaluationRecord: Sendable {
        public enum Outcome: Sendable {
            case completed(AirshipJSON)
            case skipped(reason: String)
            case failed(any Error)
        }

        public let usage: AnyUsage
        public let request: Request
        public let outcome: Outcome
        public let duration: TimeInterval
        public let attempts: Int
    }
}

public enum AirshipJSON: Codable, Sendable {
    case string(String)

    public init(from decoder: any Decoder) throws {
        self = .string(try decoder.singleValueContainer().decode(String.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if case .string(let text) = self { try container.encode(text) }
    }
}

public struct AirshipJSONSchema: Codable, Sendable {
    public let type: String
}

/// Tells its observer of one evaluation of each outcome, at once.
private struct Observing: AirshipAI.Manager {
    struct Failure: Error { let body = "vq7zcanarytestsuite" }

    func setEvaluationObserver(_ observer: (@Sendable (AirshipAI.EvaluationRecord) -> Void)?) {
        let outcomes: [AirshipAI.EvaluationRecord.Outcome] = [
            .completed(.string("vq7zcanarytestsuite")), .skipped(reason: "Model unavailable"),
            .failed(Failure()), .failed(CancellationError()),
        ]
        for outcome in outcomes {
            let request = AirshipAI.Request(
                instructions: "vq7zcanarytestsuite", schema: AirshipJSONSchema(type: "string"),
                context: .init(items: [.init(content: "vq7zcanarytestsuite", priority: 0)]))
            observer?(
                AirshipAI.EvaluationRecord(
                    usage: .init(rawValue: "embedded_selection"), request: request,
                    outcome: outcome, duration: 0.5, attempts: 1))
        }
    }
}
