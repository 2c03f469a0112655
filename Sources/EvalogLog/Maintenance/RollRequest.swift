// How a writer in another process is asked to end its segment: by a file in the stream's folder that
// writers look at once a second while they have a segment open. No file, no message, no thread of
// a writer that has nothing open.

/// The file whose change asks every live writer of a stream to end its segment.
///
/// A writer remembers how the file was when it made its segment. Once there is another one it
/// writes what it has, seals the segment as its last, and goes on under a new id: so the segment
/// is sealed though there may be no next line for a long time.
enum RollRequest {
    static let fileName = ".roll"

    /// What tells one request from another; nil where nobody has asked.
    static func current(in folder: DiskHandle, on disk: any Disk) -> FileStatus? {
        // What cannot be looked at now is looked at again.
        try? disk.status(of: fileName, in: folder)
    }

    /// Asks. It holds for the segments that are there, and not for those made later.
    static func make(in folder: DiskHandle, on disk: any Disk) throws(DiskError) {
        let file = try NewFile(NewFile.maintenanceStem + "roll", in: folder, on: disk)
        defer { disk.close(file.handle) }
        do {
            try file.replace(fileName)
        } catch {
            file.discard()
            throw error
        }
    }
}
