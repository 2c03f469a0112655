// Every answer that sixteen providers gave, given again by a server of our own.

import AirshipCore
import ChatModels
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ProviderExchangesTests {
    private struct Exchange {
        let provider: String
        let status: Int
        let headers: [String: String]
        let body: String

        init?(_ line: Data.SubSequence) {
            guard
                let object = try? JSONSerialization.jsonObject(with: line) as? [String: Any],
                let status = object["http_status"] as? Int
            else { return nil }
            self.status = status
            provider = object["provider"] as? String ?? ""
            headers = object["response_headers"] as? [String: String] ?? [:]
            if let response = object["response"],
                let data = try? JSONSerialization.data(withJSONObject: response)
            {
                body = String(decoding: data, as: UTF8.self)
            } else {
                body = object["response_text"] as? String ?? ""
            }
        }

        /// What the recording says, read by Foundation and these lines alone; nil is an answer.
        var expected: AirshipAI.ErrorClass? {
            switch status {
            case 200: break
            case 429: return .rateLimited
            default: return .clientError
            }
            let response = try? JSONSerialization.jsonObject(with: Data(body.utf8))
            let choice = ((response as? [String: Any])?["choices"] as? [[String: Any]])?.first
            let reason = choice?["finish_reason"] as? String
            if reason == "length" { return .truncated }
            guard reason != "tool_calls",
                let message = choice?["message"] as? [String: Any],
                let content = message["content"] as? String,
                let value = try? JSONSerialization.jsonObject(
                    with: Data(content.utf8), options: .fragmentsAllowed)
            else { return .badResponse }
            return value is [String: Any] ? nil : .schemaMismatch
        }
    }

    private static let data = SharedFolder.data("data/provider-exchanges.ndjson")

    @Test(
        "each recorded answer ends in the outcome and the error class that it should",
        .enabled(if: Self.data != nil))
    func replay() async throws {
        let data = try #require(Self.data)
        let exchanges = data.split(separator: UInt8(ascii: "\n")).compactMap(Exchange.init)
        #expect(exchanges.count == 211)
        let replies = exchanges.map {
            StubReply.http($0.status, headers: $0.headers, body: $0.body)
        }
        let server = try StubServer { _, number in replies[number] }
        defer { server.stop() }
        var options = ChatCompletionsModel.Options()
        options.maxAttempts = 1
        let model = ChatCompletionsModel(
            baseURL: server.baseURL, model: "test-model", options: options)
        var outcomes: [String: Int] = [:]
        for (number, exchange) in exchanges.enumerated() {
            let record = try #require(await record(of: AnyObjectEvaluation(), by: model))
            #expect(
                record.errorClass == exchange.expected, "\(exchange.provider), line \(number + 1)")
            #expect(record.attempts == 1)
            outcomes[record.errorClass?.rawValue ?? "completed", default: 0] += 1
        }
        #expect(server.requests.count == exchanges.count)
        let counts = outcomes.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        print("provider exchanges: " + counts.joined(separator: ", "))
    }
}
