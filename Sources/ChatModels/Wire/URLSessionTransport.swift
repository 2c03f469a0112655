// The network: the only file that uses FoundationNetworking.

import AirshipCore
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Posts with URLSession, without cache, cookies, stored credentials and redirects.
///
/// A session keeps its delegate, and itself, until it is invalidated; so there is one for all
/// models, which also lets them share connections, and any other goes with its transport.
package final class URLSessionTransport: HTTPTransport {
    package static let shared = URLSessionTransport()

    private let exchanges = Exchanges()
    private let session: URLSession

    package init() {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        configuration.urlCredentialStorage = nil
        session = URLSession(
            configuration: configuration, delegate: exchanges, delegateQueue: Self.delegateQueue)
    }

    private static var delegateQueue: OperationQueue? {
        #if canImport(FoundationNetworking)
            BackPressureQueue()
        #else
            nil
        #endif
    }

    deinit {
        session.invalidateAndCancel()
    }

    package func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        if Task.isCancelled { throw .cancelled }
        let task = session.dataTask(with: Self.urlRequest(request))
        let end: @Sendable (TransportError) -> Void = { [exchanges] error in
            exchanges.finish(task.taskIdentifier, .failure(error))
        }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                exchanges.begin(task.taskIdentifier, continuation)
                // The handler may have run before there was something to end.
                if Task.isCancelled { return end(.cancelled) }
                // URLSession's own timeout starts anew with every byte.
                let alarm = SystemTime().schedule(after: request.timeout) { end(.timedOut) }
                exchanges.end(task.taskIdentifier, with: alarm)
                task.resume()
            }
        } onCancel: {
            end(.cancelled)
        }
        // Here and not where it ended: that can be the thread that keeps all deadlines, or the one
        // that reads, which cancelling waits for. Of a task that is complete nothing is left.
        task.cancel()
        return try result.get()
    }

    private static func urlRequest(_ request: HTTPRequest) -> URLRequest {
        var urlRequest = URLRequest(url: request.url)
        urlRequest.httpMethod = "POST"
        urlRequest.httpBody = request.body
        urlRequest.httpShouldHandleCookies = false
        urlRequest.timeoutInterval = request.timeout.timeInterval
        // A short answer gains nothing by being packed, and a packed one can be of any length.
        urlRequest.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        for header in request.headers {
            urlRequest.setValue(header.value, forHTTPHeaderField: header.name)
        }
        return urlRequest
    }
}

#if canImport(FoundationNetworking)
    /// Runs what the delegate is to be told at once, on the thread that reads from the connections.
    ///
    /// FoundationNetworking reads as fast as a server sends and puts every piece in line for the
    /// delegate, without bound. So nothing is read before the delegate has had what came before;
    /// it must not wait for that thread, as cancelling a task does.
    private final class BackPressureQueue: OperationQueue, @unchecked Sendable {
        override func addOperation(_ block: @escaping @Sendable () -> Void) { block() }
    }
#endif

/// The exchanges that are going on, by their task.
private final class Exchanges: NSObject, URLSessionDataDelegate, Sendable {
    typealias Result = Swift.Result<HTTPResponse, TransportError>

    private struct Exchange {
        let continuation: CheckedContinuation<Result, Never>
        var alarm: (any Alarm)?
        var status = 0
        var headers: [String: String] = [:]
        var body = Data()

        var response: HTTPResponse { HTTPResponse(status: status, headers: headers, body: body) }
    }

    private let current = Locked<[Int: Exchange]>([:])

    func begin(_ id: Int, _ continuation: CheckedContinuation<Result, Never>) {
        current.withLock { $0[id] = Exchange(continuation: continuation) }
    }

    /// Lets go of the alarm when the exchange ends; at once if it has ended already.
    func end(_ id: Int, with alarm: any Alarm) {
        let isOver = current.withLock { current in
            current[id]?.alarm = alarm
            return current[id] == nil
        }
        if isOver { alarm.cancel() }
    }

    /// Ends an exchange; what comes later is without effect.
    func finish(_ id: Int, _ result: Result) {
        let exchange = current.withLock { $0.removeValue(forKey: id) }
        exchange?.alarm?.cancel()
        exchange?.continuation.resume(returning: result)
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        if response.expectedContentLength > ChatLimits.responseByteMax {
            finish(dataTask.taskIdentifier, .failure(.responseTooLarge))
        }
        let response = response as? HTTPURLResponse
        let fields = (response?.allHeaderFields ?? [:]).compactMap { name, value in
            (name as? String).flatMap { name in (value as? String).map { (name, $0) } }
        }
        current.withLock { current in
            current[dataTask.taskIdentifier]?.status = response?.statusCode ?? 0
            current[dataTask.taskIdentifier]?.headers = Dictionary(
                fields, uniquingKeysWith: { first, _ in first })
        }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let id = dataTask.taskIdentifier
        let isTooLarge = current.withLock { current in
            guard let count = current[id]?.body.count else { return false }
            guard count + data.count <= ChatLimits.responseByteMax else { return true }
            current[id]?.body.append(data)
            return false
        }
        if isTooLarge { finish(id, .failure(.responseTooLarge)) }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        let result: Result
        if let error {
            result = .failure(TransportError((error as? URLError)?.code))
        } else if let response = current.withLock({ $0[task.taskIdentifier]?.response }) {
            result = .success(response)
        } else {
            return
        }
        finish(task.taskIdentifier, result)
    }

    /// Ends the exchange when a server asks who is there: keys are sent unasked or not at all, and
    /// without a stored credential FoundationNetworking would wait for ever. Who the server is,
    /// the system checks.
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        guard let response = challenge.failureResponse as? HTTPURLResponse else {
            completionHandler(.performDefaultHandling, nil)
            return
        }
        finish(
            task.taskIdentifier, .success(HTTPResponse(status: response.statusCode, body: Data())))
    }

    /// Ends the exchange with the redirect itself.
    ///
    /// The completion handler is left alone: FoundationNetworking traps when it is called after
    /// the task was cancelled, and a deadline can do that at any moment. Cancelling lets go of it.
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        finish(
            task.taskIdentifier, .success(HTTPResponse(status: response.statusCode, body: Data())))
    }
}

extension TransportError {
    /// By code alone: the error's user info holds the address.
    fileprivate init(_ code: URLError.Code?) {
        switch code {
        case .timedOut: self = .timedOut
        case .cancelled: self = .cancelled
        case .cannotConnectToHost, .cannotFindHost, .dnsLookupFailed, .notConnectedToInternet,
            .internationalRoamingOff, .dataNotAllowed, .callIsActive:
            self = .cannotConnect
        case .secureConnectionFailed, .serverCertificateHasBadDate,
            .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid,
            .serverCertificateUntrusted, .clientCertificateRejected, .clientCertificateRequired,
            .appTransportSecurityRequiresSecureConnection:
            self = .insecureConnection
        default: self = .connectionLost
        }
    }
}
