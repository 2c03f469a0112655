// The two streams of a log, and the token without which nobody opens the confidential one.

/// Names a stream on disk and in headers; knowing it gives no access.
package enum StreamKind: UInt8, CaseIterable, Hashable, Sendable, Comparable {
    case facts = 0
    case content = 1

    /// The folder below the log, also the middle part of every segment's name.
    package var name: String {
        switch self {
        case .facts: "facts"
        case .content: "content"
        }
    }

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// The right to open the content stream. Only `EvalogContent` imports the SPI that makes one.
public struct ContentToken: Hashable, Sendable {
    @_spi(ContentStream) public init() {}
}

/// A stream together with the right to open it. Every call that touches lines asks for one.
package enum LogStream: Hashable, Sendable {
    case facts
    case content(ContentToken)

    /// The stream without the right: byte 0 in headers for facts, 1 for content.
    package var kind: StreamKind {
        switch self {
        case .facts: .facts
        case .content: .content
        }
    }
}
