// A server on a port of this machine that says what the test says, good HTTP or bad. Plain sockets,
// so that nothing of what is tested is also the tester.

package import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// What a stub server got.
package struct StubRequest: Sendable {
    /// The request line and the headers.
    package let head: String
    package let body: String

    /// The value of that header; nil when absent.
    package func header(_ name: String) -> String? {
        head.split(separator: "\r\n").first { $0.lowercased().hasPrefix(name.lowercased() + ":") }
            .map { $0.drop { $0 != ":" }.dropFirst().trimmingCharacters(in: .whitespaces) }
    }
}

/// What a stub server does with a request.
package enum StubReply: Sendable {
    case http(Int, headers: [String: String] = [:], body: String = "")
    /// An answer of gzip's, whether it was asked for or not.
    case packed(Data)
    /// These bytes and no more; then the connection is closed.
    case bytes(String)
    /// Begins an answer that never ends.
    case endless(chunk: String)
    /// Nothing until the other side goes away.
    case silence
}

/// Answers one request a connection, each on a thread of its own, until it is stopped.
package final class StubServer: Sendable {
    private let listener: Int32
    private let port: UInt16
    private let state = Mutex(State())
    private let reply: @Sendable (StubRequest, Int) -> StubReply

    private struct State: Sendable {
        var requests: [StubRequest] = []
        var connectionCount = 0
        var open: Set<Int32> = []
        var isStopped = false
        var hangUps = 0
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    /// - Parameter reply: Gets the request and its number, from 0.
    package init(_ reply: @escaping @Sendable (StubRequest, Int) -> StubReply) throws {
        self.reply = reply
        (listener, port) = try Self.listen()
        let thread = Thread { [self] in accept() }
        thread.start()
    }

    /// A server that says the same to everyone.
    package convenience init(always reply: StubReply) throws {
        try self.init { _, _ in reply }
    }

    package var baseURL: URL { url(host: "127.0.0.1") }

    /// Its address under another name of this machine.
    package func url(host: String) -> URL { URL(string: "http://\(host):\(port)/v1")! }

    package var requests: [StubRequest] { state.withLock { $0.requests } }

    /// How often a client has connected, whether it then asked or not.
    package var connectionCount: Int { state.withLock { $0.connectionCount } }

    /// Ends all connections and stops listening; the port refuses connections afterwards.
    package func stop() {
        // Under the lock, like every close: a number that is free again may be anyone's socket.
        state.withLock { state in
            guard !state.isStopped else { return }
            state.isStopped = true
            for socket in state.open.union([listener]) { shutdown(socket, Int32(SHUT_RDWR)) }
        }
    }

    /// Returns once a client has closed its connection before it was answered.
    package func hungUp() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if state.hangUps > 0 { return true }
                state.waiters.append(continuation)
                return false
            }
            if isOver { continuation.resume() }
        }
    }

    private static func listen() throws -> (Int32, UInt16) {
        #if canImport(Glibc)
            let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            let socket = Darwin.socket(AF_INET, SOCK_STREAM, 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(socket, address, length) == 0 && getsockname(socket, address, &length) == 0
            }
        }
        guard socket >= 0, isListening, Self.listen(on: socket) else {
            throw CocoaError(.fileWriteUnknown)
        }
        return (socket, UInt16(bigEndian: address.sin_port))
    }

    private static func listen(on socket: Int32) -> Bool {
        #if canImport(Glibc)
            Glibc.listen(socket, 64) == 0
        #else
            Darwin.listen(socket, 64) == 0
        #endif
    }

    private func accept() {
        while true {
            #if canImport(Glibc)
                let client = Glibc.accept(listener, nil, nil)
            #else
                let client = Darwin.accept(listener, nil, nil)
            #endif
            let isStopped = state.withLock { state in
                if state.isStopped {
                    if client >= 0 { close(client) }
                    close(listener)
                } else if client >= 0 {
                    state.open.insert(client)
                    state.connectionCount += 1
                }
                return state.isStopped
            }
            if isStopped { break }
            // Without a client: it went away before it was accepted.
            guard client >= 0 else { continue }
            let thread = Thread { [self] in serve(client) }
            thread.start()
        }
    }

    private func serve(_ client: Int32) {
        defer {
            state.withLock { state in
                state.open.remove(client)
                close(client)
            }
        }
        guard let request = Self.read(client) else { return }
        let number = state.withLock { state in
            state.requests.append(request)
            return state.requests.count - 1
        }
        switch reply(request, number) {
        case .http(let status, let headers, let body):
            var head = "HTTP/1.1 \(status) Stub\r\n"
            for (name, value) in headers { head += "\(name): \(value)\r\n" }
            head += "Content-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n"
            Self.write(client, head + body)
        case .packed(let body):
            let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n"
            Self.write(client, head + "Content-Length: \(body.count)\r\nConnection: close\r\n\r\n")
            Self.write(client, Array(body))
        case .bytes(let text): Self.write(client, text)
        case .endless(let chunk):
            Self.write(client, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n")
            let bytes = Array(chunk.utf8)
            while Self.write(client, bytes) {}
            noteHangUp()
        case .silence:
            var byte: UInt8 = 0
            while recv(client, &byte, 1, 0) > 0 {}
            noteHangUp()
        }
    }

    private func noteHangUp() {
        let waiters = state.withLock { state in
            defer { state.waiters = [] }
            state.hangUps += 1
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Nil when the client goes away in the middle.
    private static func read(_ client: Int32) -> StubRequest? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var bodyStart: Int?
        while true {
            let count = recv(client, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            bytes += buffer[..<count]
            let end = bodyStart ?? bytes.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound
            guard let end else { continue }
            if bodyStart == nil {
                bodyStart = end
                let head = String(decoding: bytes[..<end], as: UTF8.self).lowercased()
                if head.contains("expect: 100-continue") {
                    write(client, "HTTP/1.1 100 Continue\r\n\r\n")
                }
            }
            let request = StubRequest(
                head: String(decoding: bytes[..<end], as: UTF8.self),
                body: String(decoding: bytes[end...], as: UTF8.self))
            let length = request.header("content-length").flatMap(Int.init) ?? 0
            if bytes.count - end >= length { return request }
        }
    }

    /// False when the client has gone away.
    @discardableResult
    private static func write(_ client: Int32, _ text: String) -> Bool {
        write(client, Array(text.utf8))
    }

    @discardableResult
    private static func write(_ client: Int32, _ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            #if canImport(Glibc)
                let flags = Int32(MSG_NOSIGNAL)
            #else
                let flags: Int32 = 0
            #endif
            let count = bytes[sent...].withUnsafeBytes {
                send(client, $0.baseAddress, $0.count, flags)
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }
}
