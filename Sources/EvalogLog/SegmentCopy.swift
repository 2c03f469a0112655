// Merging two logs is copying files: identities never collide, and a block met twice counts once.

/// Copies the segments of one log into another.
package struct SegmentCopy: Sendable {
    let source: LogDirectory
    let target: LogDirectory

    package init(from source: LogDirectory, to target: LogDirectory) {
        self.source = source
        self.target = target
    }

    /// What became of the source's segments.
    package struct Outcome: Hashable, Sendable {
        package var copiedCount = 0
        package var byteCount: Int64 = 0
        /// Already there with as many bytes or more.
        package var presentCount = 0

        package init() {}
    }

    /// Copies every segment of a stream that the target lacks or has a shorter copy of.
    ///
    /// Each appears whole and synced, or not at all. A segment that its writer still holds is copied
    /// as far as it goes; copying again brings the rest.
    /// - Parameter progress: Called after each segment with the bytes copied so far.
    package func run(
        _ stream: LogStream, progress: (Int64) -> Void = { _ in }
    ) throws(LogError) -> Outcome {
        var outcome = Outcome()
        let entries = try source.list(stream).segments
        guard !entries.isEmpty,
            let from = try source.openFolder(of: stream.kind, making: false)
        else { return outcome }
        defer { source.disk.close(from) }
        try target.make()
        guard let to = try target.openFolder(of: stream.kind, making: true) else { return outcome }
        defer { target.disk.close(to) }
        for entry in entries {
            let name = entry.name.description
            do {
                if let known = try status(of: name, in: to), known.byteCount >= entry.status.byteCount {
                    outcome.presentCount += 1
                    continue
                }
                outcome.byteCount += try copy(name, from: from, to: to)
                outcome.copiedCount += 1
            } catch {
                throw target.located(error, in: stream.kind, name: name)
            }
            progress(outcome.byteCount)
        }
        do { try target.disk.syncFolder(to) } catch { throw target.located(error, in: stream.kind) }
        return outcome
    }

    private func status(of name: String, in folder: DiskHandle) throws(DiskError) -> FileStatus? {
        do {
            return try target.disk.status(of: name, in: folder)
        } catch where error.isMissing {
            return nil
        }
    }

    private func copy(
        _ name: String, from: DiskHandle, to: DiskHandle
    ) throws(DiskError) -> Int64 {
        let input = try source.disk.openFile(name, in: from)
        defer { source.disk.close(input) }
        let temporary = ".tmp-copy-\(WriterID.random())"
        let output = try target.disk.createFile(temporary, in: to)
        defer { target.disk.close(output) }
        do {
            let byteCount = try transfer(input, to: output)
            try target.disk.syncFile(output)
            try target.disk.rename(temporary, to: name, in: to)
            return byteCount
        } catch {
            try? target.disk.unlink(temporary, in: to)
            throw error
        }
    }

    private func transfer(
        _ input: DiskHandle, to output: DiskHandle
    ) throws(DiskError) -> Int64 {
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        var offset: Int64 = 0
        while true {
            let result = buffer.withUnsafeMutableBytes { bytes in
                Result { () throws(DiskError) in
                    let count = try source.disk.readFully(input, at: offset, into: bytes)
                    let piece = UnsafeRawBufferPointer(rebasing: bytes[..<count])
                    try target.disk.writeFully(output, at: offset, from: piece)
                    return count
                }
            }
            let count = try result.get()
            offset += Int64(count)
            if count < buffer.count { return offset }
        }
    }
}
