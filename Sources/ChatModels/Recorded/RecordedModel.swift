// A model that does again what a real one did: for demonstrations and tests without a model.

public import AirshipCore
public import Foundation

/// Answers each question with one of the recorded exchanges, chosen by a seed.
///
/// The n-th question gets the same exchange in every run with the same recording, usage and seed.
/// A request does not tell its usage, so there is one model for each: route them with
/// `setModelResolver`.
public struct RecordedModel: AirshipAI.ModelProtocol {
    private let exchanges: [RecordedExchange]
    private let seed: UInt64
    private let latencyScale: Double
    private let time: any TimeSource
    private let count = QuestionCount()
    private let readiness: @Sendable () -> AirshipAI.Availability
    /// Whether good answers are made to fit the question. Who judges answers wants them as they were.
    package var fitsAnswers = true

    public let label: String?
    public let maxAttempts: Int
    public let responseTimeout: TimeInterval

    /// Makes a model that waits by the system's clock.
    ///
    /// - Parameters:
    ///   - exchanges: Each is as likely as any other.
    ///   - usage: Only what that usage asked is played; nil plays all.
    ///   - latencyScale: What recorded latencies are multiplied with: 1 is as it was, 0 answers at
    ///     once, and so do negative and not finite ones.
    ///   - label: Nil takes the name of the first exchange's model.
    ///   - availability: Asked before each evaluation.
    public init(
        _ exchanges: [RecordedExchange], usage: AirshipAI.AnyUsage? = nil, seed: UInt64,
        latencyScale: Double = 1, label: String? = nil, maxAttempts: Int = 3,
        responseTimeout: TimeInterval = 30,
        availability: @escaping @Sendable () -> AirshipAI.Availability = { .available }
    ) {
        self.init(
            exchanges, usage: usage, seed: seed, latencyScale: latencyScale, label: label,
            maxAttempts: maxAttempts, responseTimeout: responseTimeout,
            availability: availability, time: SystemTime())
    }

    /// Makes a model that waits by that clock.
    package init(
        _ exchanges: [RecordedExchange], usage: AirshipAI.AnyUsage? = nil, seed: UInt64,
        latencyScale: Double = 1, label: String? = nil, maxAttempts: Int = 3,
        responseTimeout: TimeInterval = 30,
        availability: @escaping @Sendable () -> AirshipAI.Availability = { .available },
        time: any TimeSource
    ) {
        self.exchanges = exchanges.filter { usage == nil || $0.usage == usage?.rawValue }
        self.seed = seed
        self.latencyScale =
            latencyScale.isFinite ? min(max(latencyScale, 0), ChatLimits.latencyScaleMax) : 0
        self.label = label ?? self.exchanges.first?.model
        self.maxAttempts = maxAttempts
        self.responseTimeout = responseTimeout
        readiness = availability
        self.time = time
    }

    /// Without a fitting recording the model is missing; else what the app says.
    public var availability: AirshipAI.Availability {
        exchanges.isEmpty ? .unavailable(reason: .missingModel) : readiness()
    }

    /// Plays the next exchange.
    ///
    /// A valid answer is fitted to the request's schema; an invalid one is given as it was.
    ///
    /// - Throws: What the recorded question ended with, `CancellationError`, or
    ///   ``RecordedFailure`` when there is nothing to play.
    public func respond(_ request: AirshipAI.Request) async throws -> AirshipJSON {
        guard let exchange = next() else { throw RecordedFailure(errorClass: .unavailable) }
        let latency = exchange.latency * latencyScale
        if latency > .zero {
            await time.sleep(for: min(latency, ChatLimits.budgetMax))
            try Task.checkCancellation()
        }
        switch exchange.ending {
        case .answered(let answer, isValid: true) where fitsAnswers:
            return AnswerFitting.fit(answer, to: request.schema)
        case .answered(let answer, isValid: _): return answer
        case .failed(let error): throw error
        }
    }

    private func next() -> RecordedExchange? {
        guard !exchanges.isEmpty else { return nil }
        let number = count.increment()
        return exchanges[Int(Self.mix(seed, number) % UInt64(exchanges.count))]
    }

    /// The number-th value of the SplitMix64 sequence of that seed.
    private static func mix(_ seed: UInt64, _ number: UInt64) -> UInt64 {
        var value = seed &+ number &* 0x9E37_79B9_7F4A_7C15
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}

extension RecordedModel: CustomStringConvertible, CustomReflectable {
    public var description: String { "RecordedModel(\(exchanges.count) exchanges)" }
    public var customMirror: Mirror { Mirror(self, children: ["exchanges": exchanges.count]) }
}

/// How many questions a model and its copies were asked.
private final class QuestionCount: Sendable {
    private let value = Locked<UInt64>(0)

    /// The number of this question, from 1.
    func increment() -> UInt64 {
        value.withLock { value in
            value += 1
            return value
        }
    }
}
