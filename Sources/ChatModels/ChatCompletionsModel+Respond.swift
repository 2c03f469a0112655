// One question from the first byte to the answer: trimmed, asked, asked again with less context or
// later, all within one budget.

public import AirshipCore
import Foundation

extension ChatCompletionsModel {
    /// Asks once, or as often as less context or a server's `Retry-After` make it worthwhile.
    ///
    /// Context given up and pauses kept are part of one attempt. A pause that does not fit into
    /// what earlier attempts left of the budget fails at once, and so does every question that has
    /// no more time, until it is over.
    ///
    /// - Throws: ``ChatModelError``, `AirshipCoreError` for a schema nested too deep, or
    ///   `CancellationError`.
    public func respond(_ request: AirshipAI.Request) async throws -> AirshipJSON {
        let deadline = time.elapsed + min(budget, request.remainingBudget?() ?? budget)
        let schema = try StrictSchema(request.schema)
        var request = request
        try await options.promptBudget.trim(&request, schema: schema)
        var pauseCount = 0
        while true {
            try await keepPause(until: deadline)
            let failure: ServerFailure
            do throws(ServerFailure) {
                return schema.unwrap(try await ask(request, schema, until: deadline))
            } catch {
                failure = error
            }
            try Task.checkCancellation()
            if failure.error == .contextOverflow, request.dropLowestPriorityContextItem() != nil {
                continue
            }
            guard let delay = failure.retryAfter else { throw failure.error }
            pause.begin(.init(until: time.elapsed + delay, error: failure.error))
            pauseCount += 1
            guard pauseCount <= ChatLimits.pauseCountMax else { throw failure.error }
        }
    }

    /// The budget as a time that can be waited for. The evaluator's is for all attempts together
    /// and ends the task; this one is what a single attempt may use.
    private var budget: Duration {
        let most = ChatLimits.budgetMax
        // Also for NaN.
        guard responseTimeout < most.timeInterval else { return most }
        return .seconds(max(responseTimeout, 0))
    }

    private func keepPause(until deadline: Duration) async throws {
        while let hold = pause.hold(at: time.elapsed) {
            guard hold.until < deadline else { throw hold.error }
            await time.sleep(for: hold.until - time.elapsed)
            try Task.checkCancellation()
        }
    }

    private func ask(
        _ request: AirshipAI.Request, _ schema: StrictSchema, until deadline: Duration
    ) async throws(ServerFailure) -> AirshipJSON {
        let remaining = deadline - time.elapsed
        guard remaining > .zero else { throw ServerFailure(.timedOut) }
        guard let endpoint, Self.areValid(options.headers),
            let body = try? ChatRequestBody.data(
                model: model, request, schema: schema, options: options)
        else { throw ServerFailure(.invalidConfiguration) }
        let headers = try await headers()
        let response: HTTPResponse
        do throws(TransportError) {
            response = try await transport.send(
                HTTPRequest(
                    url: endpoint, headers: headers, body: body,
                    timeout: remaining + ChatLimits.timeoutGrace))
        } catch {
            throw ServerFailure(ChatModelError(error))
        }
        return try ChatAnswer.read(response, now: time.date)
    }

    private var endpoint: URL? {
        guard var parts = URLComponents(url: baseURL, resolvingAgainstBaseURL: true),
            ["http", "https"].contains(parts.scheme?.lowercased()), parts.host?.isEmpty == false
        else { return nil }
        while parts.path.hasSuffix("/") { parts.path.removeLast() }
        parts.path += "/chat/completions"
        return parts.url
    }

    private func headers() async throws(ServerFailure) -> [(name: String, value: String)] {
        var headers = [(name: "Content-Type", value: "application/json")]
        headers.append((name: "Accept", value: "application/json"))
        if let key {
            // What the provider throws can hold anything, so it goes no further.
            guard let key = try? await key(), !key.isEmpty, Self.isValid(key) else {
                throw ServerFailure(.noKey)
            }
            headers.append((name: "Authorization", value: "Bearer " + key))
        }
        for (name, value) in options.headers.sorted(by: { $0.key < $1.key }) {
            headers.append((name: name, value: value))
        }
        return headers
    }

    private static func areValid(_ headers: [String: String]) -> Bool {
        headers.allSatisfy { name, value in
            !name.isEmpty && name.utf8.allSatisfy(isTokenByte) && isValid(value)
        }
    }

    // A line break in a value would begin a header of its own.
    private static func isValid(_ value: String) -> Bool {
        value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
