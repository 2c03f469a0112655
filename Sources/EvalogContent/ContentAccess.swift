// The one place that makes the token without which the log does not open its content stream.

@_spi(ContentStream) package import EvalogLog

/// The way to the content of a log.
package enum ContentAccess {
    /// The content stream, for whoever may import this module.
    package static let stream = LogStream.content(token)

    static let token = ContentToken()

    /// The key of a log's digests (see `LogDirectory.key`).
    package static func key(of directory: LogDirectory) throws(LogError) -> [UInt8] {
        try directory.key(token)
    }
}
