// Content that has had its days is deleted when a log is opened, so that it ages on a device where
// nobody runs a command.

import EvalogContent
import EvalogLog

/// Deletes whole segments of content, and nothing else.
struct ContentExpiry: Sendable {
    let directory: LogDirectory
    let days: Int

    /// Deletes what was last written more than ``days`` before, as the file says itself, unless a
    /// writer holds it. What cannot be deleted now is left for the next time.
    ///
    /// - Parameter wallTime: Now, in microseconds since 1970.
    func run(at wallTime: Int64) {
        let limit = wallTime - Int64(days) * 86_400_000_000
        guard let listing = try? directory.list(ContentAccess.stream) else { return }
        let expired = listing.segments.filter { $0.status.modified / 1_000 < limit }
        guard !expired.isEmpty, let root = try? directory.disk.openFolder(directory.path) else {
            return
        }
        defer { directory.disk.close(root) }
        let name = StreamKind.content.name
        guard let folder = try? directory.disk.openFolder(name, in: root) else { return }
        defer { directory.disk.close(folder) }
        for segment in expired { try? delete(segment.name.description, in: folder) }
    }

    private func delete(_ name: String, in folder: DiskHandle) throws(DiskError) {
        let file = try directory.disk.openFile(name, in: folder)
        defer { directory.disk.close(file) }
        guard try directory.disk.lock(file, exclusively: true) else { return }
        try directory.disk.unlink(name, in: folder)
    }
}
