// One HTTP exchange as this module needs it, so that everything but one file does without sockets.

package import Foundation

/// Sends a request and brings back the answer as the server gave it.
package protocol HTTPTransport: Sendable {
    /// Posts, follows no redirect, keeps nothing. Cancelling the task closes the connection.
    ///
    /// - Throws: ``TransportError``; also for a cancelled task, as `.cancelled`.
    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse
}

/// What is posted.
package struct HTTPRequest: Sendable {
    package let url: URL
    package let headers: [(name: String, value: String)]
    package let body: Data

    /// How long the whole exchange may take.
    package let timeout: Duration

    package init(
        url: URL, headers: [(name: String, value: String)], body: Data, timeout: Duration
    ) {
        self.url = url
        self.headers = headers
        self.body = body
        self.timeout = timeout
    }
}

/// What came back, whatever its status.
package struct HTTPResponse: Sendable {
    package let status: Int
    package let body: Data
    private let headers: [String: String]

    /// - Parameter headers: Of names that differ in case only, any one counts.
    package init(status: Int, headers: [String: String] = [:], body: Data) {
        self.status = status
        self.body = body
        self.headers = Dictionary(
            headers.map { ($0.key.lowercased(), $0.value) }, uniquingKeysWith: { first, _ in first }
        )
    }

    /// The value of a header, whatever the case of its name; nil when absent.
    package func header(_ name: String) -> String? { headers[name.lowercased()] }
}

/// Why there is no response.
package enum TransportError: Error, Hashable, Sendable {
    case cannotConnect
    case connectionLost
    case insecureConnection
    case timedOut
    case responseTooLarge
    case cancelled
}

extension ChatModelError {
    /// A cancellation that nobody asked for is a lost connection.
    init(_ error: TransportError) {
        switch error {
        case .cannotConnect: self = .cannotConnect
        case .connectionLost, .cancelled: self = .connectionLost
        case .insecureConnection: self = .insecureConnection
        case .timedOut: self = .timedOut
        case .responseTooLarge: self = .responseTooLarge
        }
    }
}
