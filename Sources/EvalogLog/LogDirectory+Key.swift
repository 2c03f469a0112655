// The log's key: 32 random bytes beside the content, so that digests of short texts cannot be guessed.

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

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
        try make()
        guard let folder = try openFolder(of: .content, making: true) else { return [] }
        defer { disk.close(folder) }
        do {
            do {
                return try readKey(in: folder)
            } catch where error.isMissing {
                try writeKey(draw(), in: folder)
                return try readKey(in: folder)
            }
        } catch {
            throw .disk(located(error, in: .content, name: Self.keyName))
        }
    }

    private func readKey(in folder: DiskHandle) throws(DiskError) -> [UInt8] {
        let file = try disk.openFile(Self.keyName, in: folder)
        defer { disk.close(file) }
        var bytes = [UInt8](repeating: 0, count: Self.keyByteCount + 1)
        let result = bytes.withUnsafeMutableBytes { buffer in
            Result { () throws(DiskError) in try disk.readFully(file, at: 0, into: buffer) }
        }
        guard try result.get() == Self.keyByteCount else {
            throw DiskError(operation: .read, path: Self.keyName, code: EINVAL)
        }
        return Array(bytes.prefix(Self.keyByteCount))
    }

    private func writeKey(_ key: [UInt8], in folder: DiskHandle) throws(DiskError) {
        let temporary = ".tmp-key-\(WriterID.random())"
        let file = try disk.createFile(temporary, in: folder)
        defer { disk.close(file) }
        var failure: DiskError?
        do {
            let result = key.withUnsafeBytes { bytes in
                Result { () throws(DiskError) in try disk.writeFully(file, at: 0, from: bytes) }
            }
            try result.get()
            try disk.syncFile(file)
            try disk.link(temporary, to: Self.keyName, in: folder)
        } catch {
            // Another process may have linked its key first: then that one is the log's.
            if !error.isTaken { failure = error }
        }
        try disk.unlink(temporary, in: folder)
        if let failure { throw failure }
        try disk.syncFolder(folder)
    }

    package static func randomBytes() -> [UInt8] {
        var source = SystemRandomNumberGenerator()
        return (0..<keyByteCount).map { _ in UInt8.random(in: .min ... .max, using: &source) }
    }
}
