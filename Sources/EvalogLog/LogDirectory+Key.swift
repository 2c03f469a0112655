// The log's key: 32 random bytes beside the content, so that digests of short texts cannot be
// guessed.

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// What became of a log's key when the log was copied.
package enum KeyCopy: Hashable, Sendable {
    case copied
    /// The target had the same.
    case present
    /// The target has another one and keeps it: what both logs derive from the same bytes differs.
    case different
}

extension LogDirectory {
    package static let keyByteCount = 32
    static let keyName = "key"

    /// The log's key, which is drawn and synced where there is none yet.
    ///
    /// Two processes that ask at once get the same key: the name is given by link, so one of them
    /// wins and both read it.
    /// - Throws: `LogError.disk`; a key of another length counts as a failed read, for a new one
    ///   would change the ids of everything imported so far.
    package func key(
        _ token: ContentToken, drawing draw: () -> [UInt8] = LogDirectory.randomBytes
    ) throws(LogError) -> [UInt8] {
        let folder = try makeFolder(of: .content)
        defer { disk.close(folder) }
        return try locating(.content, Self.keyName) { () throws(DiskError) in
            if let key = try readKey(in: folder) { return key }
            try publishKey(draw(), in: folder)
            if let key = try readKey(in: folder) { return key }
            throw DiskError(operation: .open, path: Self.keyName, code: ENOENT)
        }
    }

    /// Gives this log's key to another log that has none yet.
    ///
    /// - Returns: nil where this log has none.
    /// - Throws: `LogError.disk`, also for a key of another length in either log.
    package func copyKey(
        _ token: ContentToken, to target: LogDirectory
    ) throws(LogError) -> KeyCopy? {
        guard let own = try existingKey(token) else { return nil }
        var isMissing = false
        let key = try target.key(token) {
            isMissing = true
            return own
        }
        if key != own { return .different }
        return isMissing ? .copied : .present
    }

    /// The log's key, where there is a log and one was drawn.
    package func existingKey(_ token: ContentToken) throws(LogError) -> [UInt8]? {
        let found: DiskHandle?
        do { found = try openFolder(of: .content) } catch  where error.isMissing { return nil }
        guard let folder = found else { return nil }
        defer { disk.close(folder) }
        do {
            return try readKey(in: folder)
        } catch {
            throw .disk(located(error, in: .content, name: Self.keyName))
        }
    }

    /// nil where there is none.
    private func readKey(in folder: DiskHandle) throws(DiskError) -> [UInt8]? {
        let file: DiskHandle
        do {
            file = try disk.openFile(Self.keyName, in: folder)
        } catch  where error.isMissing {
            return nil
        }
        defer { disk.close(file) }
        var bytes = [UInt8](repeating: 0, count: Self.keyByteCount + 1)
        let count = try bytes.withUnsafeMutableBufferPointer { buffer throws(DiskError) in
            try disk.readFully(file, at: 0, into: UnsafeMutableRawBufferPointer(buffer))
        }
        guard count == Self.keyByteCount else {
            throw DiskError(operation: .read, path: Self.keyName, code: EINVAL)
        }
        return Array(bytes.prefix(count))
    }

    private func publishKey(_ key: [UInt8], in folder: DiskHandle) throws(DiskError) {
        let file = try NewFile(Self.keyName, in: folder, on: disk)
        defer { disk.close(file.handle) }
        do {
            try disk.writeFully(file.handle, at: 0, from: key)
            try disk.syncFile(file.handle)
            try file.publish(as: Self.keyName)
        } catch {
            file.discard()
            // Another process may have linked its key first: then that one is the log's.
            if !error.isTaken { throw error }
        }
        try disk.syncFolder(folder)
    }

    package static func randomBytes() -> [UInt8] {
        var source = SystemRandomNumberGenerator()
        return (0..<keyByteCount).map { _ in UInt8.random(in: .min ... .max, using: &source) }
    }
}
