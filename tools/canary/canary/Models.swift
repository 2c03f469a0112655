// A model that does, question by question, what a model, a server or a recording can do.

import AirshipCore
import ChatModels
import Foundation

/// What the model of one question says and does.
struct Turn: Sendable {
    var label: String?
    var availability = AirshipAI.Availability.available
    var attempts = 1
    var budget: TimeInterval = 30
    var context = AirshipAI.Context.empty
    var respond: @Sendable (AirshipAI.Request) async throws -> AirshipJSON = { _ in .null }
}

/// Takes its turn from its player.
struct CanaryModel: AirshipAI.ModelProtocol {
    let turn: Locked<Turn>
    let ledger: Ledger

    var label: String? { turn.withLock { $0.label } }
    var availability: AirshipAI.Availability { turn.withLock { $0.availability } }
    var maxAttempts: Int { turn.withLock { $0.attempts } }
    var responseTimeout: TimeInterval { turn.withLock { $0.budget } }

    func respond(_ request: AirshipAI.Request) async throws -> AirshipJSON {
        ledger.saw(request.instructions, request.prompt())
        return try await turn.withLock { $0.respond }(request)
    }
}

/// An error as apps throw them: words in every place that an error has, another one inside.
struct NestedError: Error, LocalizedError, CustomNSError, CustomStringConvertible {
    let text: String
    let inner: (any Error)?

    var errorDescription: String? { text }
    var failureReason: String? { text }
    var recoverySuggestion: String? { text }
    var description: String { text }
    var errorUserInfo: [String: Any] {
        [NSUnderlyingErrorKey: (inner ?? CancellationError()) as NSError, text: text]
    }
}

/// An error whose cases hold text, as enums of apps do.
enum WordyError: Error {
    case refused(answer: String, path: [String])
}

extension Planter {
    /// An error of any kind that a model may throw.
    mutating func error() -> any Error {
        let inner = NestedError(
            text: text(.nestedError),
            inner: DecodingError.dataCorrupted(
                .init(codingPath: [], debugDescription: text(.nestedError))))
        switch roll(6) {
        case 0: return NestedError(text: text(.errorText), inner: inner)
        case 1: return WordyError.refused(answer: text(.errorText), path: [mark(.errorText)])
        case 2:
            return NSError(
                domain: text(.errorText), code: 7,
                userInfo: [
                    NSLocalizedDescriptionKey: text(.errorText), NSUnderlyingErrorKey: inner,
                ])
        case 3:
            return DecodingError.typeMismatch(
                Int.self,
                .init(
                    codingPath: [CanaryKey(stringValue: mark(.errorText))],
                    debugDescription: text(.errorText), underlyingError: inner))
        case 4:
            return NSError(
                domain: NSURLErrorDomain, code: -1004,
                userInfo: [NSURLErrorFailingURLErrorKey: "http://\(mark(.address)).invalid/"])
        default: return inner
        }
    }
}

private struct CanaryKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

/// Waits for nothing: what should happen later happens now, and the clock says that it was later.
final class HurriedTime: TimeSource {
    private let skipped = Locked(Duration.zero)
    private let system = SystemTime()

    var date: Date { system.date }
    var elapsed: Duration { system.elapsed + skipped.withLock { $0 } }

    func schedule(after delay: Duration, _ call: @escaping @Sendable () -> Void) -> any Alarm {
        skipped.withLock { $0 += delay }
        call()
        return NoAlarm()
    }

    private struct NoAlarm: Alarm {
        func cancel() {}
    }
}
