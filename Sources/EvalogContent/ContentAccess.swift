// The one place that makes the token without which the log does not open its content stream.

@_spi(ContentStream) package import EvalogLog

/// The way to the content of a log.
package enum ContentAccess {
    /// The content stream, for whoever may import this module.
    package static let stream = LogStream.content(token)

    static let token = ContentToken()

    /// The key of a log's digests, which is made where there is none (see `LogDirectory.key`): for
    /// whoever writes, never for a reader.
    ///
    /// - Parameter draw: Makes it: 32 random bytes.
    package static func key(
        of directory: LogDirectory, drawing draw: () -> [UInt8] = LogDirectory.randomBytes
    ) throws(LogError) -> [UInt8] {
        try directory.key(token, drawing: draw)
    }

    /// The key, where there is a log and one was drawn; nothing is made.
    package static func existingKey(of directory: LogDirectory) throws(LogError) -> [UInt8]? {
        try directory.existingKey(token)
    }

    /// Gives a log's key to a copy of it (see `LogDirectory.copyKey`). Comes before its segments:
    /// what is imported into the copy meanwhile would draw another one.
    package static func copyKey(
        from source: LogDirectory, to target: LogDirectory
    ) throws(LogError) -> KeyCopy? {
        try source.copyKey(token, to: target)
    }
}
