// `LOG/aside/`: bytes of segments that no reader understands, kept when a segment is rewritten
// without them. A file is named after the segment and the offset that it comes from.

/// The folder of damaged bytes.
package struct AsideFolder {
    static let name = "aside"
    private static let separator: Character = "@"

    private let directory: LogDirectory
    private var disk: any Disk { directory.disk }

    package init(of directory: LogDirectory) { self.directory = directory }

    /// Copies a stretch of a segment, and returns once the disk has confirmed it. What is there
    /// from an earlier attempt stays as it is.
    func keep(_ range: Range<Int64>, of segment: SegmentName, _ handle: DiskHandle)
        throws(LogError)
    {
        let name = "\(segment)\(Self.separator)\(range.lowerBound)"
        do {
            let root = try disk.openFolder(directory.path)
            defer { disk.close(root) }
            try disk.makeFolder(Self.name, in: root)
            let folder = try disk.openFolder(Self.name, in: root)
            defer { disk.close(folder) }
            try copy(range, of: handle, to: name, in: folder)
            try disk.syncFolder(folder)
            try disk.syncFolder(root)
        } catch {
            throw located(error, name)
        }
    }

    private func copy(
        _ range: Range<Int64>, of handle: DiskHandle, to name: String, in folder: DiskHandle
    ) throws(DiskError) {
        let file = try NewFile(NewFile.maintenanceStem + name, in: folder, on: disk)
        defer { disk.close(file.handle) }
        do {
            let window = ByteWindow(handle, on: disk)
            var offset = range.lowerBound
            while offset < range.upperBound {
                let count = Int(min(range.upperBound - offset, Int64(LogLimits.resyncByteCount)))
                let piece = try window.bytes(at: offset, count: count)
                if piece.isEmpty { break }
                try disk.writeFully(file.handle, at: offset - range.lowerBound, from: piece)
                offset += Int64(piece.count)
            }
            try disk.syncFile(file.handle)
            try file.publish(as: name)
        } catch {
            file.discard()
            if !error.isTaken { throw error }
        }
    }

    /// The files kept from segments of a stream.
    package func files(of kind: StreamKind) throws(LogError) -> [String] {
        try directory.files(in: Self.name).filter { Self.kind(of: $0) == kind }
    }

    /// Deletes files that ``files(of:)`` gave.
    package func delete(_ files: [String]) throws(LogError) {
        try directory.delete(files, in: Self.name)
    }

    private static func kind(of file: String) -> StreamKind? {
        SegmentName(String(file.prefix { $0 != separator }))?.kind
    }

    private func located(_ error: DiskError, _ name: String?) -> LogError {
        var error = error
        if error.operation != .openFolder || error.path == Self.name {
            error.path = "\(directory.path)/\(Self.name)" + (name.map { "/\($0)" } ?? "")
        }
        return .disk(error)
    }
}
