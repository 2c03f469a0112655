// Content that has had its days is deleted when a log is opened, so that it ages on a device where
// nobody runs a command.

import EvalogContent
import EvalogLog

/// Deletes whole segments of content, and nothing else.
struct ContentExpiry: Sendable {
    let directory: LogDirectory
    let days: Int

    /// Deletes segments whose last line was appended more than ``days`` before, as they say
    /// themselves, unless a writer holds them. Erasing some of their lines later does not make them
    /// younger. What cannot be deleted now is left for the next time.
    ///
    /// - Parameter wallTime: Now, in microseconds since 1970.
    func run(at wallTime: Int64) {
        let limit = wallTime - Int64(days) * 86_400_000_000
        guard let listing = try? directory.list(ContentAccess.stream) else { return }
        let expired = listing.segments.filter { segment in
            if segment.status.modified / 1_000 < limit { return true }
            let appended = try? directory.lastAppendTime(of: segment.name, ContentAccess.stream)
            return appended.flatMap(\.self).map { $0 < limit } ?? false
        }
        guard !expired.isEmpty, let lock = try? MaintenanceLock(directory),
            let root = try? directory.disk.openFolder(directory.path)
        else {
            return
        }
        defer { directory.disk.close(root) }
        let name = StreamKind.content.name
        guard let folder = try? directory.disk.openFolder(name, in: root) else { return }
        defer { directory.disk.close(folder) }
        withExtendedLifetime(lock) {
            for segment in expired { try? delete(segment.name.description, in: folder) }
        }
    }

    private func delete(_ name: String, in folder: DiskHandle) throws(DiskError) {
        let file = try directory.disk.openFile(name, in: folder)
        defer { directory.disk.close(file) }
        guard try directory.disk.lock(file, exclusively: true) else { return }
        try directory.disk.unlink(name, in: folder)
    }
}
